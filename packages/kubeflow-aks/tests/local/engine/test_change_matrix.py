"""Every setting's edits against `docs/change-matrix.md`, which `CHANGE_MATRIX=write` writes anew."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Mapping
from functools import cache

import pytest

from kubeflow_aks.local_aks.azure.state import MANAGED_CLUSTER
from kubeflow_aks.local_aks.engine import EngineError
from kubeflow_aks.tools import Tools
from tests.local.engine import matrix
from tests.local.engine.by_hand import upgrade_by_hand
from tests.local.engine.deployment import Cluster, Deployment, deployment
from tests.local.engine.edits import BASE, EDITS, STACK, UPGRADES, Edit, settings
from tests.local.engine.grouping import merged, together
from tests.local.engine.matrix import Row

WRITING = os.environ.get("CHANGE_MATRIX") == "write"


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory, tools: Tools, cluster: Cluster) -> Generator[Deployment]:
    with deployment(tmp_path_factory.mktemp("matrix") / "run", tools, cluster, STACK) as stack:
        yield stack


@pytest.fixture(scope="module")
def upgrades(empty: Deployment) -> list[tuple[Edit, Row]]:
    """The rows of upgrades, tried between one and the next; afterwards the stack has its file's settings."""
    rows: list[tuple[Edit, Row]] = []
    for base, edits in UPGRADES:
        empty.engine(**base.config()).up()
        upgrade_by_hand(empty, "system", base.values["kubernetes.version"])
        rows += [(base, matrix.row(edit, empty)) for edit in edits]
    empty.engine().up()
    return rows


@pytest.fixture(scope="module")
def deployed(empty: Deployment, upgrades: list[tuple[Edit, Row]]) -> Deployment:
    """The stack that is only looked at."""
    assert upgrades
    return empty


@pytest.fixture(scope="module")
def confirmed(deployed: Deployment) -> Mapping[Edit, Row]:
    """The rows that previews of several edits at once confirm."""
    return {} if WRITING else matrix.confirmed(EDITS, deployed)


@pytest.fixture(scope="module")
def answer(deployed: Deployment, confirmed: Mapping[Edit, Row]) -> Callable[[Edit], Row]:
    """The row of an edit, computed once."""

    @cache
    def ask(edit: Edit) -> Row:
        return confirmed.get(edit) or matrix.row(edit, deployed)

    return ask


def test_every_setting_has_an_edit() -> None:
    assert set(settings()) - {edit.setting for edit in EDITS} == set()


def test_the_settings_that_edits_start_from_are_the_stacks_own(deployed: Deployment) -> None:
    assert deployed.engine(**BASE).preview().changed() == ()


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.text)
def test_an_edit_does_what_the_document_states(edit: Edit, answer: Callable[[Edit], Row]) -> None:
    assert WRITING or str(answer(edit)) in matrix.FILE.read_text(encoding="utf-8").splitlines()


def test_the_document_states_nothing_else(
    answer: Callable[[Edit], Row], upgrades: list[tuple[Edit, Row]]
) -> None:
    document = matrix.document({edit: answer(edit) for edit in EDITS}, upgrades)
    if WRITING:
        matrix.FILE.write_text(document, encoding="utf-8")
    assert matrix.FILE.read_text(encoding="utf-8") == document


def test_a_protected_stack_refuses_every_edit_that_replaces_the_cluster(
    deployed: Deployment, answer: Callable[[Edit], Row]
) -> None:
    every = [edit for edit in EDITS if answer(edit).outcome == matrix.CLUSTER_REPLACED]
    tried = list({_tried_once(edit): edit for edit in every}.values())
    groups = together(tried, lambda one, other: matrix.hidden(answer(one), answer(other)))
    replacing = [merged(group) for group in groups]
    assert replacing
    deployed.engine(protect=True).up()
    there, [cluster] = _ids(deployed), deployed.azure.all(MANAGED_CLUSTER)
    protected = [deployed.engine(protect=True, **edit.config()) for edit in replacing]
    for attempt in (protected[0].preview, *(engine.up for engine in protected)):
        with pytest.raises(
            EngineError, match=r"unable to replace resource .*\s+as it is currently marked for protection"
        ):
            attempt()
    # What the new cluster would need may have been made by then, such as a NAT gateway.
    assert there <= _ids(deployed)
    assert deployed.azure.all(MANAGED_CLUSTER) == [cluster]


def _tried_once(edit: Edit) -> str:
    """What edits have in common of which one is tried: names, and subnets of others, differ in nothing but the key."""
    alike = ("names.", "network.subnetIds.")
    return next((group for group in alike if edit.path.startswith(group)), edit.text)


def _ids(deployed: Deployment) -> set[str]:
    """Everything there is, in Azure and in the cluster."""
    return {resource.id for resource in deployed.azure.all()} | set(deployed.cluster.objects())
