"""A stack's cluster is stopped and started again: what Pulumi does meanwhile, and that its state stays right.

A test names the state that it begins with, and leaves any: tests of a stopped cluster stand together, for each switch
costs seconds.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Generator
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pytest

from kubeflow_aks.ci.drifts import drifts
from kubeflow_aks.clients.kubernetes.errors import UnreachableError
from kubeflow_aks.local_aks.azure.state import MANAGED_CLUSTER, RUNNING, STOPPED, power_of
from kubeflow_aks.local_aks.control_plane import power
from kubeflow_aks.local_aks.control_plane.kwokctl import ControlPlane
from kubeflow_aks.tools import Tools
from tests.ci.workflows import commands
from tests.local import planes
from tests.local.delivery.checkout import Checkout, checked_out
from tests.local.engine.deployment import Cluster

STACK: Final = "demo"


@pytest.fixture(scope="module")
def control_plane(tools: Tools, tmp_path_factory: pytest.TempPathFactory) -> Generator[ControlPlane]:
    """One of its own: who shares the session's would find it switched off."""
    with planes.running(tools, tmp_path_factory.mktemp("switched")) as plane:
        yield plane


@pytest.fixture(scope="module")
def cluster(control_plane: ControlPlane) -> Cluster:
    """What is in it."""
    return Cluster(control_plane.run.kubeconfig)


@pytest.fixture(scope="module")
def checkout(
    tmp_path_factory: pytest.TempPathFactory, tools: Tools, cluster: Cluster, control_plane: ControlPlane
) -> Generator[Checkout]:
    def switch(*, on: bool) -> None:
        (power.switch_on if on else power.switch_off)(control_plane.run)

    try:
        with checked_out(tmp_path_factory.mktemp("power"), tools, cluster, switch=switch) as made:
            made.pulumi("stack", "init", STACK)
            made.sign_in(STACK)
            made.pulumi("up", "--yes", "--skip-preview", "--stack", STACK)
            yield made
            switch(on=True)
    finally:
        switch(on=True)


@pytest.fixture
def stopped(checkout: Checkout) -> Checkout:
    """The cluster stopped, if it is not."""
    return _switched(checkout, "stop", STOPPED)


@pytest.fixture
def running(checkout: Checkout) -> Checkout:
    """The cluster started, if it is stopped."""
    return _switched(checkout, "start", RUNNING)


def _switched(checkout: Checkout, verb: str, state: str) -> Checkout:
    """The cluster in a state that a test begins with, by `az` alone."""
    [cluster] = checkout.azure.all(MANAGED_CLUSTER)
    if power_of(cluster) != state:
        done = checkout.shell(
            ["az", "aks", verb, "-g", f"kubeflow-aks-{STACK}", "-n", f"kubeflow-aks-{STACK}"]
        )
        assert done.returncode == 0, done.stderr
    return checkout


def _power(checkout: Checkout, what: str) -> subprocess.CompletedProcess[str]:
    words = f".venv/bin/python -m kubeflow_aks ci power {what} {STACK}"
    rest = "" if what == "state" else " --poll 0.1 --rest 0"
    return checkout.shell(["bash", "-c", words + rest])


def _pulumi(checkout: Checkout, *words: str) -> subprocess.CompletedProcess[str]:
    return checkout.shell(["pulumi", *words, "--stack", STACK, "--non-interactive", "--color", "never"])


def _inputs(checkout: Checkout) -> dict[str, Any]:
    """The inputs in the state, by URN; secrets are encrypted anew each time."""
    resources = json.loads(_pulumi(checkout, "stack", "export").stdout)["deployment"]["resources"]
    return {resource["urn"]: _without_secrets(resource.get("inputs")) for resource in resources}


def _without_secrets(value: Any) -> Any:
    match value:
        case {"ciphertext": _}:
            return None
        case dict():
            return {key: _without_secrets(inner) for key, inner in value.items()}  # pyright: ignore[reportUnknownVariableType]
        case list():
            return [_without_secrets(inner) for inner in value]  # pyright: ignore[reportUnknownVariableType]
        case _:
            return value


def test_a_stopped_cluster_has_no_api_server_and_the_state_of_the_stack_stays(
    stopped: Checkout, cluster: Cluster
) -> None:
    before = _inputs(stopped)
    with pytest.raises(UnreachableError):
        cluster.api.ping()
    assert _power(stopped, "state").stdout == "stopped\n"
    assert _pulumi(stopped, "preview", "--expect-no-changes").returncode == 0
    assert _pulumi(stopped, "up", "--yes", "--skip-preview", "--expect-no-changes").returncode == 0
    compared = _pulumi(stopped, "preview", "--refresh")
    assert compared.returncode != 0
    assert "unreachable cluster" in compared.stdout
    assert _inputs(stopped) == before


def test_a_change_is_refused_in_azures_words_and_nothing_is_half_done(stopped: Checkout) -> None:
    file = stopped.folder / f"Pulumi.{STACK}.yaml"
    right = file.read_text(encoding="utf-8")
    azure = {resource.id: resource.inputs for resource in stopped.azure.all()}
    try:
        stopped.configure(STACK, autoscaler={"scanInterval": "20s"})
        done = _pulumi(stopped, "up", "--yes", "--skip-preview")
    finally:
        file.write_text(right, encoding="utf-8")
    assert done.returncode != 0
    assert "is in Power State(Stopped): only start and delete are allowed; start it first" in done.stdout
    assert {resource.id: resource.inputs for resource in stopped.azure.all()} == azure


def test_drift_leaves_a_stopped_cluster_alone(stopped: Checkout) -> None:
    done = stopped.step("drift", "drift", "Look whether it runs", STACK=STACK)
    assert done.returncode == 0, done.stderr
    assert stopped.outputs()["power"] == "stopped"
    assert "demo is stopped, and was not compared." in (stopped.temporary / "summary").read_text()


def test_who_refreshes_a_stopped_stack_notes_that_and_the_next_up_takes_it_back(stopped: Checkout) -> None:
    """The refresh fails, and yet writes into the state what it read of Azure."""
    assert _pulumi(stopped, "refresh", "--yes", "--skip-preview").returncode != 0
    assert _power(stopped, "start").returncode == 0
    changed = drifts(_pulumi(stopped, "preview", "--json").stdout, "")
    assert {drift.operation for drift in changed} == {"update"}
    assert {path.rpartition(".")[2] for drift in changed for path in drift.paths} == {"powerState"}
    assert _pulumi(stopped, "up", "--yes", "--skip-preview").returncode == 0
    assert _pulumi(stopped, "preview", "--expect-no-changes").returncode == 0
    _no_drift(stopped)


def test_a_person_stops_and_starts_and_nothing_differs(running: Checkout, cluster: Cluster) -> None:
    before = {pool["name"]: pool["count"] for pool in running.azure.agent_pools()}
    objects = set(cluster.objects())
    done = running.shell(["bash", "-c", f".venv/bin/python -m kubeflow_aks stop {STACK}"])
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, f"{STACK}: is stopped"), done.stderr
    again = running.shell(["bash", "-c", f".venv/bin/python -m kubeflow_aks stop {STACK}"])
    assert (again.returncode, again.stdout) == (0, f"{STACK}: is stopped already\n")
    assert running.azure.agent_pools() == []
    _forget_when_it_was_stopped(running)
    done = running.shell(["bash", "-c", f".venv/bin/python -m kubeflow_aks start {STACK}"])
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, f"{STACK}: runs"), done.stderr
    assert _power(running, "start").stdout == f"{STACK}: runs already\n"
    assert {pool["name"]: pool["count"] for pool in running.azure.agent_pools()} == before
    assert set(cluster.objects()) >= objects
    assert _pulumi(running, "preview", "--expect-no-changes").returncode == 0
    _no_drift(running)


def test_office_hours_are_kept_and_a_hand_start_outside_them_is_left(running: Checkout) -> None:
    """Hours of a day that is not today, so that the cluster should be stopped whenever this runs."""
    later = (datetime.now(UTC) + timedelta(days=3)).strftime("%A")
    hours = {"timeZone": "UTC", "days": [later], "from": "07:00", "to": "19:00"}
    running.configure(STACK, officeHours=hours)
    assert _pulumi(running, "up", "--yes", "--skip-preview").returncode == 0
    _forget_when_it_was_stopped(running)
    words = commands("office-hours", "hours", "Stop or start what should be").replace(
        '-- "$STACK"', '--poll 0.1 -- "$STACK"'
    )
    tried = running.shell(["bash", "-e", "-c", words], STACK=STACK, DRY_RUN="true")
    assert "demo: would stop: should be stopped since " in tried.stdout, tried.stderr
    kept = running.shell(["bash", "-e", "-c", words], STACK=STACK, DRY_RUN="")
    assert "demo: stopped: should be stopped since " in kept.stdout, kept.stderr
    assert _power(running, "start").returncode == 0
    left = running.shell(["bash", "-e", "-c", words], STACK=STACK, DRY_RUN="")
    assert "demo: left until the hours change: " in left.stdout, left.stderr
    assert "but was started at " in left.stdout
    assert _power(running, "state").stdout == "running\n"


def test_up_starts_a_stopped_cluster_and_stops_it_again(stopped: Checkout) -> None:
    """Its own pause between the two is that of the simulated Azure's clock: none is left here."""
    _forget_when_it_was_stopped(stopped)
    started = stopped.step("up", "up", "Start a stopped cluster", STACK=STACK)
    assert started.returncode == 0, started.stderr
    assert stopped.outputs()["power"] == "stopped"
    assert _power(stopped, "state").stdout == "running\n"
    assert stopped.step("up", "up", "Up", STACK=STACK).returncode == 0
    assert stopped.step("up", "up", "Stop it again", STACK=STACK).returncode == 0
    assert _power(stopped, "state").stdout == "stopped\n"


def test_a_stopped_stack_is_destroyed(stopped: Checkout) -> None:
    """The last test: AKS deletes a stopped cluster, and what is in it goes with it."""
    done = stopped.shell(
        ["pulumi", "destroy", "--yes", "--skip-preview", "--stack", STACK, "--non-interactive"],
        PULUMI_K8S_DELETE_UNREACHABLE="true",
    )
    assert done.returncode == 0, done.stdout
    assert stopped.azure.all() == []


def _no_drift(checkout: Checkout) -> None:
    done = checkout.step("drift", "drift", "Compare with what exists", STACK=STACK)
    assert done.returncode == 0, done.stderr
    command = commands("drift", "drift", "Open, update or close the issue").strip()
    dry_run = checkout.shell(["bash", "-c", f"{command} --dry-run"], STACK=STACK)
    assert dry_run.stdout == f"{STACK}: no drift\n", dry_run.stdout + dry_run.stderr


def _forget_when_it_was_stopped(checkout: Checkout) -> None:
    (checkout.run.azure / "activity.json").unlink()
