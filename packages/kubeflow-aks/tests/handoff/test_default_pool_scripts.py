"""The charm of the default pools in `bootstrap.sh` and `teardown.sh`, with replacements of the programs they call."""

from __future__ import annotations

from pathlib import Path

import pytest

from kubeflow_aks.handoff.files import files
from kubeflow_aks.handoff.folder import write
from tests.handoff.fake_programs import Fakes, status
from tests.handoff.made_up_outputs import outputs

CHARM = "namespace-node-affinity"


@pytest.fixture
def fakes(tmp_path: Path) -> Fakes:
    """A hand-off with default pools for two namespaces; the profile of one exists."""
    write(tmp_path / "handoff", files(outputs(), ["team-a=cpuod", "team-b=general"]))
    fakes = Fakes.installed(tmp_path / "handoff", tmp_path / "machine")
    fakes.put("namespaces/team-a", "Active id ")
    return fakes


def _settings(fakes: Fakes) -> str:
    return (fakes.folder / "default-pools.yaml").read_text().rstrip("\n")


def test_the_charm_is_deployed_with_its_settings_and_the_namespaces_get_the_label(fakes: Fakes) -> None:
    done = fakes.run("bootstrap.sh", "--yes")
    assert (done.returncode, done.stderr) == (0, "")
    calls = fakes.calls("juju", "tofu")
    [deploy] = [line for line in calls if line.startswith("juju deploy")]
    assert deploy == (
        f"juju deploy {CHARM} --model aks-dev-controller:kubeflow --channel 2.2/stable --trust "
        f"--config settings_yaml=@{fakes.folder}/default-pools.yaml"
    )
    assert [line for line in calls[: calls.index(deploy)] if " apply " in line]
    state = fakes.root / "state"
    assert (state / "charms" / CHARM).read_text() == _settings(fakes)
    assert (state / "labels" / "team-a").read_text() == f"{CHARM}=enabled"
    assert not fakes.has("labels/team-b")
    assert "namespace team-b: does not exist yet; run " in done.stdout


def test_the_second_run_updates_the_settings(fakes: Fakes) -> None:
    fakes.put(f"charms/{CHARM}", "team-a: older")
    fakes.put("status/1", status(**{CHARM: "active"}))
    done = fakes.run("bootstrap.sh", "--yes")
    assert (done.returncode, done.stderr) == (0, "")
    assert "its settings are brought up to date" in done.stdout
    assert (fakes.root / "state" / "charms" / CHARM).read_text() == _settings(fakes)
    assert "juju deploy" not in fakes.changes()


@pytest.mark.parametrize(
    ("state", "code", "message"),
    [
        ("fail/juju-deploy", 1, "the charm namespace-node-affinity could not be deployed"),
        ("slow/juju-deploy", 1, "the charm namespace-node-affinity could not be deployed"),
        ("fail/juju-status", 3, "the model kubeflow does not answer: ERROR no route to the store"),
        ("slow/juju-config", 3, "the charm namespace-node-affinity does not show its settings: no answer"),
    ],
)
def test_without_an_answer_it_stops_and_goes_on_later(
    fakes: Fakes, state: str, code: int, message: str
) -> None:
    fakes.put(state, "ERROR no route to the store\n")
    done = fakes.run("bootstrap.sh", "--yes", QUESTION_SECONDS="0.5")
    assert done.returncode == code
    assert f"error: {message}" in done.stderr
    assert not fakes.has("labels/team-a")
    (fakes.root / "state" / state).unlink()
    if fakes.has(f"charms/{CHARM}"):
        fakes.put("status/1", status(**{CHARM: "active"}))
    assert fakes.run("bootstrap.sh", "--yes").returncode == 0
    assert fakes.has("labels/team-a")


def test_settings_that_were_not_taken_over_are_a_failure(fakes: Fakes) -> None:
    """Whatever the exit code of `juju config` is."""
    fakes.put(f"charms/{CHARM}", "team-a: older")
    fakes.put("keeps-settings")
    fakes.put("status/1", status(**{CHARM: "active"}))
    done = fakes.run("bootstrap.sh", "--yes")
    assert done.returncode == 1
    assert (
        f"error: the charm {CHARM} has other settings than {fakes.folder}/default-pools.yaml" in done.stderr
    )


def test_where_others_apply_the_lines_are_printed(fakes: Fakes) -> None:
    done = fakes.run("bootstrap.sh", "--controller-only")
    assert f"  juju deploy {CHARM} --model kubeflow --channel 2.2/stable --trust --config " in done.stdout
    assert f"  kubectl label namespace team-a team-b {CHARM}=enabled\n" in done.stdout


def test_teardown_removes_webhook_and_label(fakes: Fakes) -> None:
    fakes.run("bootstrap.sh", "--yes")
    fakes.put(f"webhooks/{CHARM}-pod-webhook")
    done = fakes.run("teardown.sh", "--yes")
    assert (done.returncode, done.stderr) == (0, "")
    assert "  the default pools of namespaces: team-a team-b\n" in done.stdout
    assert not fakes.has(f"webhooks/{CHARM}-pod-webhook")
    assert not fakes.has("labels/team-a")


def test_without_default_pools_nothing_of_it_is_called(tmp_path: Path) -> None:
    write(tmp_path / "handoff", files(outputs()))
    fakes = Fakes.installed(tmp_path / "handoff", tmp_path / "machine")
    assert fakes.run("bootstrap.sh", "--yes").returncode == 0
    assert fakes.run("teardown.sh", "--yes").returncode == 0
    calls = fakes.calls()
    assert not [line for line in calls if CHARM in line or line.startswith(("juju deploy", "juju config"))]
