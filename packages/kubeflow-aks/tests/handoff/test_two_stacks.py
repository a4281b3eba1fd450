"""The scripts of two stacks on one machine, which share Juju and the Terraform root, in the middle of one another."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kubeflow_aks.deployed.outputs import parse
from kubeflow_aks.handoff.files import files
from kubeflow_aks.handoff.folder import write
from tests.handoff.fake_programs import Fakes
from tests.handoff.made_up_outputs import outputs, with_basis


@pytest.fixture
def dev(tmp_path: Path) -> Fakes:
    write(tmp_path / "dev", files(outputs()))
    return Fakes.installed(tmp_path / "dev", tmp_path / "machine")


@pytest.fixture
def demo(dev: Fakes, tmp_path: Path) -> Fakes:
    write(tmp_path / "demo", files(parse("demo", json.dumps(with_basis(stack="demo")), "outputs.json")))
    return Fakes.installed(tmp_path / "demo", tmp_path / "machine of demo").beside(dev)


def _applied(fakes: Fakes) -> list[str]:
    """Workspace and controller of each `apply` on this machine."""
    return sorted((fakes.root / "state" / "applied").read_text().splitlines())


def _current(fakes: Fakes) -> str:
    return (fakes.root / "state" / "current").read_text()


def _hold(fakes: Fakes, command: str) -> Path:
    """Lets a command of the next script wait until the file is removed."""
    fakes.put(f"cleans-up/{command}")
    return fakes.root / "state" / "cleans-up" / command


@pytest.mark.parametrize("held", ["juju-bootstrap", "tofu-init", "tofu-workspace", "tofu-apply"])
def test_two_at_once_deploy_each_into_its_own_controller(dev: Fakes, demo: Fakes, held: str) -> None:
    """The first one waits at a command until the second one is through."""
    gate = _hold(dev, held)
    with dev.started("bootstrap.sh", "--yes") as script:
        dev.wait_for(_call(dev, held))
        done = demo.run("bootstrap.sh", "--yes")
        assert (done.returncode, done.stderr) == (0, "")
        gate.unlink()
        assert script.wait(timeout=120) == 0
    assert _applied(dev) == ["demo aks-demo-controller", "dev aks-dev-controller"]


def test_a_switch_in_the_middle_changes_nothing(dev: Fakes) -> None:
    dev.put("current", "staging")
    gate = _hold(dev, "tofu-apply")
    with dev.started("bootstrap.sh", "--yes") as script:
        dev.wait_for(_call(dev, "tofu-apply"))
        dev.put("current", "production")
        gate.unlink()
        assert script.wait(timeout=120) == 0
    assert _applied(dev) == ["dev aks-dev-controller"]
    assert _current(dev) == "production"


def test_a_teardown_in_the_middle_takes_only_its_own(dev: Fakes, demo: Fakes) -> None:
    assert demo.run("bootstrap.sh", "--yes").returncode == 0
    gate = _hold(dev, "tofu-apply")
    with dev.started("bootstrap.sh", "--yes") as script:
        dev.wait_for(_call(dev, "tofu-apply"))
        done = demo.run("teardown.sh", "--yes")
        assert (done.returncode, done.stderr) == (0, "")
        gate.unlink()
        assert script.wait(timeout=120) == 0
    assert _applied(dev) == ["demo aks-demo-controller", "dev aks-dev-controller"]
    assert [path.name for path in (dev.root / "state" / "workspaces").iterdir()] == ["dev"]
    assert [path.name for path in (dev.root / "deploy" / ".terraform").iterdir()] == ["aks-dev"]


def _call(fakes: Fakes, command: str) -> str:
    """How a command is noted that `command` names."""
    program, _, name = command.partition("-")
    return f"{program} -chdir={fakes.root / 'deploy'} {name}" if program == "tofu" else f"{program} {name}"
