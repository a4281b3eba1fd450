"""One recorded run for all tests of the preview."""

import pytest

from kubeflow_aks.recorder.document import PlanDocument, Pool, plan_document
from kubeflow_aks.recorder.run import Record, record

DAY = {"asOf": "2026-11-21"}


@pytest.fixture(scope="session")
def recorded() -> Record:
    """The `dev` stack in preview mode, judged on a fixed day."""
    return record("dev", preview=True, extra=DAY)


@pytest.fixture(scope="session")
def document(recorded: Record) -> PlanDocument:
    """The plan document of that run."""
    return plan_document(recorded)


@pytest.fixture(scope="session")
def created() -> PlanDocument:
    """The plan document of the `prod` stack in up mode."""
    return plan_document(record("prod", extra=DAY))


@pytest.fixture
def pools(document: PlanDocument) -> dict[str, Pool]:
    """The pools of `dev`, by name."""
    return {pool["name"]: pool for pool in document["pools"]}
