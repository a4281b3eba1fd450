"""Every setting's edits against `docs/change-matrix.md`, which `CHANGE_MATRIX=write` writes anew."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from functools import cache

import pytest

from local_aks.azure.state import MANAGED_CLUSTER
from local_aks.engine import EngineError
from tests.local.engine import matrix
from tests.local.engine.by_hand import upgrade_by_hand
from tests.local.engine.deployment import Cluster, Deployment, deployment
from tests.local.engine.edits import BASE, EDITS, STACK, UPGRADES, Edit, settings
from tests.local.engine.matrix import Row
from tools import Tools

WRITING = os.environ.get("CHANGE_MATRIX") == "write"


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory, tools: Tools, cluster: Cluster) -> Generator[Deployment]:
    with deployment(tmp_path_factory.mktemp("matrix") / "run", tools, cluster, STACK) as stack:
        yield stack


@pytest.fixture(scope="module")
def upgrades(empty: Deployment) -> list[tuple[Edit, Row]]:
    """The rows of upgrades, asked between one and the next; afterwards the stack says what its file does."""
    rows: list[tuple[Edit, Row]] = []
    for says, edits in UPGRADES:
        engine = empty.engine(**says.config())
        engine.up()
        upgrade_by_hand(empty, "system", says.values["kubernetes.version"])
        assert engine.preview().changed() == ()
        rows += [(says, matrix.row(edit, empty)) for edit in edits]
    empty.engine().up()
    return rows


@pytest.fixture(scope="module")
def deployed(empty: Deployment, upgrades: list[tuple[Edit, Row]]) -> Deployment:
    """The stack that is only looked at."""
    assert upgrades
    return empty


@pytest.fixture(scope="module")
def answer(deployed: Deployment) -> Callable[[Edit], Row]:
    """The row of an edit, asked for once."""

    @cache
    def ask(edit: Edit) -> Row:
        return matrix.row(edit, deployed)

    return ask


def test_every_setting_has_an_edit() -> None:
    assert set(settings()) - {edit.setting for edit in EDITS} == set()


def test_the_settings_that_edits_start_from_are_the_stacks_own(deployed: Deployment) -> None:
    assert deployed.engine(**BASE).preview().changed() == ()


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.text)
def test_an_edit_does_what_the_document_says(edit: Edit, answer: Callable[[Edit], Row]) -> None:
    assert WRITING or str(answer(edit)) in matrix.FILE.read_text(encoding="utf-8").splitlines()


def test_the_document_says_nothing_else(
    answer: Callable[[Edit], Row], upgrades: list[tuple[Edit, Row]]
) -> None:
    document = matrix.document({edit: answer(edit) for edit in EDITS}, upgrades)
    if WRITING:
        matrix.FILE.write_text(document, encoding="utf-8")
    assert matrix.FILE.read_text(encoding="utf-8") == document


def test_a_protected_stack_refuses_every_edit_that_replaces_the_cluster(
    deployed: Deployment, answer: Callable[[Edit], Row]
) -> None:
    replacing = [edit for edit in EDITS if answer(edit).outcome == matrix.CLUSTER_REPLACED]
    assert replacing
    deployed.engine(protect=True).up()
    there, [cluster] = _ids(deployed), deployed.azure.all(MANAGED_CLUSTER)
    for edit in replacing:
        protected = deployed.engine(protect=True, **edit.config())
        for attempt in (protected.preview, protected.up):
            with pytest.raises(
                EngineError, match=r"unable to replace resource .*\s+as it is currently marked for protection"
            ):
                attempt()
    # What the new cluster would need may have been made by then, such as a NAT gateway.
    assert there <= _ids(deployed)
    assert deployed.azure.all(MANAGED_CLUSTER) == [cluster]


def _ids(deployed: Deployment) -> set[str]:
    """Everything there is, in Azure and in the cluster."""
    return {resource.id for resource in deployed.azure.all()} | set(deployed.cluster.objects())
