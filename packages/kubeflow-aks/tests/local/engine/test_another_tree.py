"""A copy of this tree with a change that this one refuses: its program runs with its own modules."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import aks_facts
from kubeflow_aks.local_aks.azure.rules import rule
from kubeflow_aks.local_aks.engine import Engine, EngineError
from kubeflow_aks.project import PROJECT_ROOT
from tests.local.engine.deployment import Deployment

NEW_SIZE = "Standard_D8s_v99"
OURS_ONLY = (
    ".venv",
    ".git",
    "build",
    "docs",
    "tests",
    "packages",
    "__pycache__",
)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The program in a folder of its own, with a VM size in its facts that ours lacks."""
    root = tmp_path / "copy"
    shutil.copytree(PROJECT_ROOT, root, ignore=shutil.ignore_patterns(*OURS_ONLY))
    sizes = root / "aks_facts" / "vm_sizes.csv"
    [row] = [line for line in sizes.read_text().splitlines() if line.startswith("Standard_D8s_v5,")]
    with sizes.open("a") as table:
        table.write(row.replace("Standard_D8s_v5", NEW_SIZE) + "\n")
    return root


@pytest.fixture
def offered(monkeypatch: pytest.MonkeyPatch) -> None:
    """The simulated Azure offers the size."""
    size = replace(aks_facts.vm_sizes()["Standard_D8s_v5"], name=NEW_SIZE)
    original_vm_size = rule.vm_size

    def vm_size(name: str) -> aks_facts.VmSize | None:
        return size if name == NEW_SIZE else original_vm_size(name)

    monkeypatch.setattr(rule, "vm_size", vm_size)


def _pools(size: str) -> dict[str, Any]:
    return {"general": {"vmSize": size, "minCount": 2, "maxCount": 3}}


def _engine(stack: Deployment, root: Path) -> Engine:
    return replace(stack.engine(pools=_pools(NEW_SIZE)), project_root=root)


@pytest.mark.usefixtures("offered")
def test_a_branch_is_previewed_brought_up_and_destroyed_beside_ours(demo: Deployment, copy: Path) -> None:
    """A release that labels every object anew replaces none, nor does it touch the subnets of an older one."""
    _edit(copy / "components" / "kubeflow" / "labels.py", '"pulumi"', '"somebody-else"')
    _edit(
        copy / "components" / "network" / "network.py",
        "default_outbound_access=False",
        "default_outbound_access=None",
    )
    replace(demo.engine(), project_root=copy).up()
    before = demo.cluster.objects().keys() - demo.before.keys()
    done = demo.engine().up()
    assert {step.op for step in done.changed()} == {"update"}
    assert not [step for step in done.changed() if step.type.endswith(":VirtualNetwork")]
    assert before <= demo.cluster.objects().keys()
    daemons = [step.name for step in done.changed() if step.type.endswith(":DaemonSet")]
    assert sorted(daemons) == ["kubeflow-aks-demo-device-plugin", "kubeflow-aks-demo-inotify"]

    with pytest.raises(EngineError, match=NEW_SIZE):
        _engine(demo, PROJECT_ROOT).preview()
    theirs = _engine(demo, copy)
    promised = theirs.preview().changes
    assert theirs.up().changes == promised
    assert demo.pool("general").outputs["vmSize"] == NEW_SIZE
    assert theirs.up().changed() == ()
    theirs.refresh()
    theirs.destroy()
    demo.assert_nothing_exists()


def test_what_its_program_refuses_is_what_the_user_reads(demo: Deployment, copy: Path) -> None:
    engine = replace(demo.engine(pools=_pools("Standard_D8s_v98")), project_root=copy)
    with pytest.raises(EngineError) as refusal:
        engine.preview()
    assert "Standard_D8s_v98" in str(refusal.value)
    assert "Traceback" not in str(refusal.value)


def _edit(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))
