"""The scripts with the real Juju client and a real API server, from a fresh machine up to the controller's objects.

Its pods never run, so that a bootstrap never ends by itself here.
"""

from __future__ import annotations

import json
import os
import signal
import stat
import time
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any, Final, cast

import psutil
import pytest
import yaml

from tests.local.demo_stack import DemoStack
from tests.local.handoff.machine import Machine, Running

_NAMESPACE: Final = "controller-aks-demo-controller"
_SERVICE: Final = f"/api/v1/namespaces/{_NAMESPACE}/services/controller-service"
_STATEFUL_SET: Final = f"/apis/apps/v1/namespaces/{_NAMESPACE}/statefulsets/controller"
_PATIENCE_SECONDS: Final = 600


@pytest.fixture
def machine(demo: DemoStack, handed: Path, juju: Path, tmp_path: Path) -> Generator[Machine]:
    """A fresh machine, and a cluster that Juju has nothing in; what the test before left may go meanwhile."""
    demo.kubectl.run("delete", "namespace", _NAMESPACE, "--ignore-not-found", "--wait")
    yield Machine(handed, tmp_path, juju, demo.kubectl.tools["kubectl"])
    demo.kubectl.run("delete", "namespace", _NAMESPACE, "--ignore-not-found", "--wait=false")


def _until(what: str, look: Callable[[], object], running: Running | None = None) -> None:
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while not look():
        assert running is None or running.process.poll() is None, running.output
        assert time.monotonic() < deadline, (what, running.output if running else "")
        time.sleep(0.05)


def _phase(demo: DemoStack) -> str:
    words = ("get", "namespace", _NAMESPACE, "--ignore-not-found", "--output", "jsonpath={.status.phase}")
    return demo.kubectl.run(*words)


def _give_an_address(demo: DemoStack) -> None:
    """As Azure's load balancer does; Juju waits for it before it makes anything else."""
    service = ("service", "controller-service", "--namespace", _NAMESPACE)
    _until("service", lambda: demo.api.read(_SERVICE))
    status = json.dumps({"status": {"loadBalancer": {"ingress": [{"ip": "203.0.113.7"}]}}})
    demo.kubectl.run("patch", *service, "--subresource=status", "--type=merge", "--patch", status)


def _controllers(machine: Machine) -> dict[str, Any]:
    return json.loads(machine.ask("controllers", "--format", "json").stdout)["controllers"] or {}


def _command_lines() -> list[list[str]]:
    """Command lines of all processes of this machine."""
    processes = psutil.process_iter(["cmdline"])
    return [cast("list[str]", process.info["cmdline"] or []) for process in processes]


def _programs(machine: Machine) -> list[list[str]]:
    """What still runs of the scripts, by the files that it was started with."""
    ours = (str(machine.handed), str(machine.juju))
    return [line for line in _command_lines() if any(word.startswith(ours) for word in line)]


_MOMENTS: Final = (
    ("", 0.1, signal.SIGINT, True),
    ("", 0.6, signal.SIGHUP, True),
    ("cloud aks-demo: ", 0, signal.SIGTERM, False),
    ("cloud aks-demo: ", 0.4, signal.SIGINT, True),
    ("about 5 minutes", 0, signal.SIGINT, False),
    ("about 5 minutes", 0.5, signal.SIGTERM, True),
    ("Creating Juju controller", 0, signal.SIGINT, True),
    ("Creating k8s resources", 0, signal.SIGHUP, True),
    ("Creating k8s resources", 0.5, signal.SIGTERM, False),
    ("Creating k8s resources", 1.5, signal.SIGINT, True),
)
"""After which text, how many seconds later, which signal, and whether to the whole group as a terminal's."""


def test_interrupted_at_ten_moments_it_goes_on_to_the_controllers_objects(
    machine: Machine, demo: DemoStack
) -> None:
    """From a fresh machine on; each run goes on from what the one before left."""
    for text, seconds, number, everybody in _MOMENTS:
        with machine.started("bootstrap.sh", "--controller-only", "--yes") as running:
            running.wait_for(text)
            time.sleep(seconds)
            code = running.signal(number, everybody=everybody)
        if not text and not running.output and code in {130, -number}:
            continue  # it came before the script's first line
        assert code == 130, (text, running.output)
        assert "error: interrupted; what is done stays done" in running.output
        assert _programs(machine) == [], (text, running.output)
        # Juju may not have got as far as its own clean-up; what it leaves then has no address.
        assert not any(entry["api-endpoints"] for entry in _controllers(machine).values()), text
    with machine.started("bootstrap.sh", "--controller-only", "--yes") as running:
        running.wait_for("Creating k8s resources")  # of this run; what the run before left may still be going
        _give_an_address(demo)
        _until("stateful set", lambda: demo.api.read(_STATEFUL_SET), running)
        _check_what_is_made(machine, demo)
        # While Juju waits for a pod it promises to clean up and does not; only a second signal ends it.
        os.killpg(running.process.pid, signal.SIGINT)
        running.wait_for("Ctrl-C pressed, attempting to stop bootstrap")
        time.sleep(1.2)
        assert running.signal(signal.SIGINT, everybody=True) == 130
    assert _phase(demo) == "Active"
    with machine.started("bootstrap.sh", "--controller-only", "--yes") as running:
        running.wait_for("a bootstrap was cut off; what it left is gone")


def _check_what_is_made(machine: Machine, demo: DemoStack) -> None:
    """Agent, volume and owner of the controller; its token is in no command line and in no log."""
    content = yaml.safe_load((machine.handed / "credentials.yaml").read_text())
    secret = content["credentials"]["aks-demo"]["aks-demo"]["Token"]
    assert not [line for line in _command_lines() if secret in " ".join(line)]
    logs = machine.handed / "logs"
    assert not [file.name for file in logs.iterdir() if secret in file.read_text()]
    assert stat.S_IMODE(logs.stat().st_mode) == 0o700
    made = demo.kubectl.get("statefulset", "controller", "--namespace", _NAMESPACE)["spec"]
    assert [claim["spec"]["storageClassName"] for claim in made["volumeClaimTemplates"]] == ["ckf-zrs"]
    images = {container["image"] for container in made["template"]["spec"]["containers"]}
    assert "public.ecr.aws/juju/jujud-operator:3.6.25" in images
    # What the scripts decide by: whose the namespace is, and that Juju has no address until it is through.
    annotations = demo.kubectl.get("namespace", _NAMESPACE)["metadata"]["annotations"]
    controller = _controllers(machine)["aks-demo-controller"]
    assert annotations["controller.juju.is/id"] == controller["uuid"]
    assert controller["api-endpoints"] == []


def test_what_a_killed_bootstrap_left_is_removed(machine: Machine, demo: DemoStack) -> None:
    """Nothing gets time to clean up: first the lock keeps others out, then Juju's own record tells what is left."""
    with machine.started("bootstrap.sh", "--controller-only", "--yes") as running:
        running.wait_for("Creating k8s resources")
        running.signal(signal.SIGKILL, everybody=True)
    [left] = [
        process
        for process in psutil.process_iter(["cmdline"])
        if "bootstrap" in (process.info["cmdline"] or []) and str(machine.juju) in process.info["cmdline"]
    ]
    refused = machine.run("bootstrap.sh", "--controller-only", "--yes")
    assert refused.stderr == "error: another bootstrap.sh or teardown.sh of demo is running; wait for it\n"
    os.kill(left.pid, signal.SIGKILL)
    psutil.wait_procs([left], timeout=_PATIENCE_SECONDS)
    assert list(_controllers(machine)) == ["aks-demo-controller"]
    unconfirmed = machine.run("teardown.sh")
    assert unconfirmed.returncode == 1
    assert (
        f"  namespace {_NAMESPACE}, left by a bootstrap of this machine that was cut off\n"
        in unconfirmed.stdout
    )
    assert _phase(demo) == "Active"
    done = machine.run("teardown.sh", "--yes")
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert _phase(demo) == ""
    assert _controllers(machine) == {}
    again = machine.run("teardown.sh")
    assert again.returncode == 0
    assert "This goes" not in again.stdout
