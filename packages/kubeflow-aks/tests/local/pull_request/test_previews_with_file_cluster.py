"""Previews of a change to objects in a cluster: the cluster in a file and a real API server agree."""

from __future__ import annotations

import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

import pytest

from kubeflow_aks.clients.kubernetes import cleanup
from kubeflow_aks.local_aks.engine import Engine, EngineError, program
from kubeflow_aks.local_aks.kubernetes_provider import file_cluster
from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.pull_request.stand_ins import stand_ins
from kubeflow_aks.tools import Tools

PROGRAM = Path(__file__).parents[1] / "programs" / "kinds"
UPDATES = "image environment memory user priorities expansion policy label patch custom removed added"
REPLACEMENTS = "selector frozen parameters role secret"
EDITS = {
    "": {},
    "spelling": {},
    UPDATES: {
        "agent": "update",
        "priorities": "update",
        "disks": "update",
        "policy": "update",
        "token": "update",
        "patch": "update",
        "thing": "update",
        "quota": "delete",
        "added": "create",
    },
    REPLACEMENTS: {
        "agent": "replace",
        "frozen": "replace",
        "disks": "replace",
        "binding": "replace",
        "password": "replace",
    },
}
"""What edits of the program do, by object; those of one preview do not hide one another."""
CONTAINER = "spec.template.spec.containers[0]"
OF_ONE_OBJECT = {
    f"{CONTAINER}.image",
    f"{CONTAINER}.env[0].value",
    f"{CONTAINER}.resources.limits.memory",
    f"{CONTAINER}.securityContext.runAsUser",
}
"""Properties of `agent` that the updates change: image, environment, memory and user."""
REFUSED = {
    "value": 'PriorityClass.scheduling.k8s.io "test-kinds" is invalid: value: Forbidden: may not be changed in an '
    "update.",
    "reclaim": 'StorageClass.storage.k8s.io "test-kinds" is invalid: reclaimPolicy: Forbidden: updates to '
    "reclaimPolicy are forbidden.",
}
OPERATION = {"create-replacement": "replace", "delete-replaced": "replace"}

Changes = Mapping[str, tuple[str, Mapping[str, str]]]


@dataclass(frozen=True)
class Base:
    """A program that is up, of which edits are previewed."""

    engine: Engine
    created: int

    def edited(self, edits: str) -> Engine:
        """The engine for the program with edits."""
        return replace(self.engine, extra_config={**self.engine.extra_config, "edits": edits})

    def changes(self, edits: str) -> Changes:
        """What the engine would do to each object, and which properties change."""
        result = self.edited(edits).preview()
        changes: dict[str, tuple[str, Mapping[str, str]]] = {}
        for step in result.changed():
            _, differences = changes.get(step.name, ("", {}))
            changes[step.name] = (OPERATION.get(step.op, step.op), differences or step.differences)
        return changes


@contextmanager
def up(folder: Path, tools: Tools, kubeconfig: Path | None) -> Generator[Base]:
    """The program on a cluster; with none, on objects that are kept."""
    run = RunDirectory.at(folder)
    text = kubeconfig.read_text() if kubeconfig else file_cluster.kubeconfig()
    today = date(2026, 11, 22)
    with (
        stand_ins(Path(sys.executable), run, today=today, kubeconfig=kubeconfig) as served,
        program.served(PROGRAM) as host,  # one for all edits, which are configuration
    ):
        settings = {"kubeconfig": text, "edits": ""}
        engine = Engine(run, tools, served.providers, PROGRAM, "test", settings, lambda _: nullcontext(host))
        yield Base(engine, engine.up().changes["create"])


@pytest.fixture(scope="module")
def keeping(tools: Tools, tmp_path_factory: pytest.TempPathFactory) -> Generator[Base]:
    with up(tmp_path_factory.mktemp("kept") / "run", tools, None) as base:
        yield base


@pytest.fixture(scope="module")
def serving(tools: Tools, kubeconfig: Path, tmp_path_factory: pytest.TempPathFactory) -> Generator[Base]:
    cleanup.erase(str(kubeconfig))
    with up(tmp_path_factory.mktemp("served") / "run", tools, kubeconfig) as base:
        yield base
        base.engine.destroy()


def test_the_base_comes_up_on_both(keeping: Base, serving: Base) -> None:
    assert keeping.created == serving.created
    assert keeping.engine.outputs() == serving.engine.outputs()
    assert keeping.engine.outputs().values["token"] == ["ca.crt", "namespace", "token"]


@pytest.mark.parametrize("edits", EDITS, ids=["none", "spelling", "updates", "replacements"])
def test_edits_do_the_same_to_both(edits: str, keeping: Base, serving: Base) -> None:
    changes = keeping.changes(edits)
    assert changes == serving.changes(edits)
    assert {name: operation for name, (operation, _) in changes.items()} == EDITS[edits]
    if edits == UPDATES:
        _, differences = changes["agent"]
        assert differences.keys() == OF_ONE_OBJECT


@pytest.mark.parametrize("edit", REFUSED)
def test_both_refuse_what_may_not_change(edit: str, keeping: Base, serving: Base) -> None:
    for base in (keeping, serving):
        with pytest.raises(EngineError) as refusal:
            base.changes(edit)
        assert REFUSED[edit] in str(refusal.value)


def test_a_second_up_changes_nothing(keeping: Base) -> None:
    assert keeping.edited("").up().changed() == ()
