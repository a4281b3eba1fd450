"""`docs/change-matrix.md` was written with a real API server; without one its edits of objects are answered alike."""

from __future__ import annotations

import sys
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Final

import pytest

from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.pull_request.stand_ins import stand_ins
from kubeflow_aks.tools import Tools
from tests.local.engine import matrix
from tests.local.engine.deployment import TODAY, Cluster, Deployment
from tests.local.engine.edits import EDITS, STACK, Edit
from tests.local.engine.matrix import Row

OF_OBJECTS: Final = ("data.checkpoints.", "gpu.plugin", "kubeflow.", "pools.cpuspot.fallback", "pools.extra")
ABOUT_OBJECTS: Final = [edit for edit in EDITS if edit.path.startswith(OF_OBJECTS)]


@pytest.fixture(scope="module")
def deployed(tools: Tools, tmp_path_factory: pytest.TempPathFactory) -> Generator[Deployment]:
    """The stack of the change matrix, with no control plane."""
    run = RunDirectory.at(tmp_path_factory.mktemp("kept") / "run")
    with stand_ins(Path(sys.executable), run, today=TODAY) as serving:
        settings = {"asOf": TODAY.isoformat()}
        stack = Deployment(run, tools, serving.providers, Cluster(run.kubeconfig), STACK, {}, settings)
        stack.engine().up()
        yield stack


READS = "kubeflow.argoRetries: true"
"""An edit whose program reads an object that the stack does not make."""


def test_edits_of_objects_are_among_them() -> None:
    assert len(ABOUT_OBJECTS) > 15


@pytest.fixture(scope="module")
def confirmed(deployed: Deployment) -> Mapping[Edit, Row]:
    """The document's rows that previews of several edits at once confirm."""
    return matrix.confirmed(ABOUT_OBJECTS, deployed)


@pytest.mark.parametrize("edit", ABOUT_OBJECTS, ids=lambda edit: edit.text)
def test_an_edit_does_what_the_document_states(
    edit: Edit, confirmed: Mapping[Edit, Row], deployed: Deployment
) -> None:
    row = confirmed.get(edit) or matrix.row(edit, deployed)
    if edit.text == READS:  # here it is assumed to be there, and the comment says so
        published = "update ConfigMap agent-pools (data.argoRetries)"
        assert row.details == f"create ConfigMapPatch argo-retries; {published}"
        return
    assert str(row) in matrix.FILE.read_text(encoding="utf-8").splitlines()
