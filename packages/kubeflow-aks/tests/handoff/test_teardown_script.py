"""`teardown.sh` with stand-ins of the programs that it calls."""

from __future__ import annotations

from pathlib import Path

import pytest

from kubeflow_aks.handoff.files import files
from kubeflow_aks.handoff.folder import write
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


def test_it_goes_from_the_model_outwards_and_shows_how_to_delete_the_cluster(fakes: Fakes) -> None:
    done = fakes.run("teardown.sh", "--yes")
    assert (done.returncode, done.stderr) == (0, "")
    assert fakes.changes() == ALL
    assert "  pulumi config set --stack dev protect false\n" in done.stdout
    assert done.stdout.index("protect false") < done.stdout.index("pulumi destroy --stack dev")
    assert not any(fakes.has(f"{kind}/aks-dev") for kind in ("clouds", "credentials"))


def test_volumes_go_with_the_model(fakes: Fakes) -> None:
    fakes.run("teardown.sh", "--yes")
    assert "juju destroy-model aks-dev-controller:kubeflow --destroy-storage --no-prompt" in fakes.calls()


def test_nothing_goes_without_a_yes(fakes: Fakes) -> None:
    done = fakes.run("teardown.sh")
    assert (done.returncode, fakes.changes()) == (1, [])
    assert done.stdout == (
        "This goes from stack dev:\n"
        "  model kubeflow with its 2 volumes: pipelines, artifacts in MinIO, experiments\n"
        f"  Terraform's workspace dev in {fakes.root / 'deploy'}, with its state\n"
        "  controller aks-dev-controller\n"
        "  the cloud aks-dev and its credential in this machine's Juju\n"
    )
    assert done.stderr == (
        "remove all of this? [y/N] error: not confirmed; nothing was removed\n  --yes confirms without a question\n"
    )


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


def test_a_colleague_s_deployment_is_left_alone_with_its_state(fakes: Fakes) -> None:
    """On a machine whose Juju knows nothing of it, and that has Terraform's workspace."""
    (fakes.root / "state" / "controllers" / "aks-dev-controller").unlink()
    fakes.put("replicas", "1")
    done = fakes.run("teardown.sh", "--yes")
    assert (done.returncode, fakes.changes()) == (1, [])
    assert (
        "the cluster has a controller aks-dev-controller that this machine's Juju does not know"
        in done.stderr
    )
    assert fakes.has("workspaces/dev")


def test_a_model_of_another_controller_is_left_alone(fakes: Fakes) -> None:
    (fakes.root / "state" / "models" / "kubeflow").unlink()
    done = fakes.run("teardown.sh", "--yes")
    assert (done.returncode, fakes.changes()) == (1, [])
    assert done.stderr.startswith(
        "error: the namespace kubeflow exists, and no controller here has such a model\n"
    )
    assert fakes.has("workspaces/dev")


@pytest.mark.parametrize("silent", ["silent", "slow/juju-models"])
def test_a_model_that_could_not_be_looked_up_stops_it(fakes: Fakes, silent: str) -> None:
    fakes.put(silent)
    done = fakes.run("teardown.sh", "--yes", QUESTION_SECONDS="0.3")
    assert (done.returncode, fakes.changes()) == (3, [])
    assert done.stderr.startswith("error: the controller aks-dev-controller does not answer: ")
    assert "delete" not in done.stderr
    assert fakes.has("workspaces/dev")


def test_a_cluster_that_does_not_answer_stops_it(fakes: Fakes) -> None:
    fakes.fails("kubectl---request-timeout=20s", "", "", "error: i/o timeout")
    done = fakes.run("teardown.sh", "--yes")
    assert (done.returncode, fakes.changes()) == (3, [])


def test_what_is_left_of_a_cluster_that_is_gone_is_forgotten(fakes: Fakes) -> None:
    """The cluster was made anew under the same name; this machine still knows the old one's controller."""
    for namespace in ("kubeflow", "controller-aks-dev-controller"):
        (fakes.root / "state" / "namespaces" / namespace).unlink()
    done = fakes.run("teardown.sh", "--yes")
    assert (done.returncode, done.stderr) == (0, "")
    assert "a controller aks-dev-controller, which the cluster no longer has\n" in done.stdout
    assert fakes.changes() == [
        "tofu workspace",
        "tofu workspace",
        "juju unregister",
        "juju remove-credential",
        "juju remove-cloud",
    ]


def _left_without_a_record(fakes: Fakes, identity: str) -> None:
    """The namespace of a bootstrap that failed, which Juju has no record of; the cluster's has the id `id`."""
    assert fakes.run("teardown.sh", "--yes").returncode == 0
    fakes.put("namespaces/controller-aks-dev-controller", "Active id 99999999-2222-4333-8444-555555555555")
    (fakes.folder / "logs" / "left-behind").write_text(identity)
    fakes.calls()


def test_what_juju_left_without_a_record_goes_by_its_namespace_s_id(fakes: Fakes) -> None:
    _left_without_a_record(fakes, "id")
    unconfirmed = fakes.run("teardown.sh")
    assert unconfirmed.returncode == 1
    assert (
        "  namespace controller-aks-dev-controller, left by a bootstrap of this machine" in unconfirmed.stdout
    )
    assert fakes.has("namespaces/controller-aks-dev-controller")
    done = fakes.run("teardown.sh", "--yes")
    assert (done.returncode, done.stderr) == (0, "")
    assert not fakes.has("namespaces/controller-aks-dev-controller")
    assert fakes.changes() == []


def test_a_namespace_with_another_id_is_somebody_else_s(fakes: Fakes) -> None:
    _left_without_a_record(fakes, "another")
    done = fakes.run("teardown.sh", "--yes")
    assert (done.returncode, fakes.changes()) == (1, [])
    assert fakes.has("namespaces/controller-aks-dev-controller")


def test_an_option_that_there_is_not_is_a_usage_error(fakes: Fakes) -> None:
    done = fakes.run("teardown.sh", "--force")
    assert (done.returncode, fakes.calls()) == (2, [])
    assert done.stderr.startswith("error: --force is not an option")


def test_a_deployment_again_starts_afresh(fakes: Fakes) -> None:
    fakes.run("teardown.sh", "--yes")
    assert not fakes.has("workspaces/dev")
    assert fakes.run("bootstrap.sh", "--yes").returncode == 0
