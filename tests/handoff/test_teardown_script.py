"""`teardown.sh` with stand-ins of the programs that it calls."""

from __future__ import annotations

from pathlib import Path

import pytest

from handoff.files import files
from handoff.folder import write
from tests.handoff.fake_programs import Fakes
from tests.handoff.made_up_outputs import outputs

ALL = [
    "juju destroy-model",
    "tofu workspace",
    "tofu workspace",
    "juju destroy-controller",
    "juju remove-credential",
    "juju remove-cloud",
]


@pytest.fixture
def fakes(tmp_path: Path) -> Fakes:
    """After a bootstrap."""
    write(tmp_path / "handoff", files(outputs()))
    fakes = Fakes.installed(tmp_path / "handoff", tmp_path / "machine")
    assert fakes.run("bootstrap.sh", "--yes").returncode == 0
    fakes.calls()
    return fakes


def test_it_goes_from_the_model_outwards_and_says_how_the_cluster_goes(fakes: Fakes) -> None:
    done = fakes.run("teardown.sh", "--yes")
    assert (done.returncode, done.stderr) == (0, "")
    assert fakes.changes() == ALL
    assert "  pulumi config set --stack dev protect false\n" in done.stdout
    assert done.stdout.index("protect false") < done.stdout.index("pulumi destroy --stack dev")
    assert not any(fakes.has(f"{each}/aks-dev") for each in ("clouds", "credentials"))


def test_volumes_go_with_the_model(fakes: Fakes) -> None:
    fakes.run("teardown.sh", "--yes")
    assert "juju destroy-model aks-dev-controller:kubeflow --destroy-storage --no-prompt" in fakes.calls()


def test_nothing_goes_without_a_yes(fakes: Fakes) -> None:
    done = fakes.run("teardown.sh")
    assert (done.returncode, fakes.changes()) == (1, [])
    assert "destroy the model kubeflow of stack dev? [y/N]" in done.stderr
    assert done.stderr.endswith("error: stopped as you said; what is done stays done\n")


@pytest.mark.parametrize("stopped", ["juju-destroy-model", "juju-destroy-controller"])
def test_it_goes_on_where_it_was_stopped(fakes: Fakes, stopped: str) -> None:
    fakes.fails(stopped, "ERROR timed out")
    first = fakes.run("teardown.sh", "--yes")
    assert first.returncode == 1
    assert "could not be destroyed" in first.stderr
    second = fakes.run("teardown.sh", "--yes")
    assert (second.returncode, second.stderr) == (0, "")
    assert not fakes.has("controllers/aks-dev-controller")
    assert not fakes.has("namespaces/kubeflow")


def test_nothing_is_left_to_do_the_second_time(fakes: Fakes) -> None:
    fakes.run("teardown.sh", "--yes")
    fakes.changes()
    again = fakes.run("teardown.sh")
    assert (again.returncode, fakes.changes()) == (0, [])


def test_the_second_stage_goes_first(fakes: Fakes) -> None:
    fakes.put("configmap", "kubeflow-aks")
    done = fakes.run("teardown.sh", "--yes")
    assert (done.returncode, fakes.changes()) == (1, [])
    assert done.stderr.startswith("error: kubeflow.argoRetries is on")


def test_a_colleague_s_controller_is_left_alone(fakes: Fakes) -> None:
    (fakes.root / "state" / "controllers" / "aks-dev-controller").unlink()
    (fakes.root / "state" / "models" / "kubeflow").unlink()
    done = fakes.run("teardown.sh", "--yes")
    assert done.returncode == 1
    assert "the cluster has one: whoever bootstrapped it has to run teardown.sh" in done.stderr
    assert "juju destroy-controller" not in fakes.changes()


def test_a_deployment_again_starts_afresh(fakes: Fakes) -> None:
    fakes.run("teardown.sh", "--yes")
    assert not fakes.has("workspaces/dev")
    assert fakes.run("bootstrap.sh", "--yes").returncode == 0
