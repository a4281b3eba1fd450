"""Azure, the providers and the engine fail in the middle of an `up`: the next one converges, nothing is doubled.

A user's steps beside `pulumi up` are those of `docs/how-to/recover-an-interrupted-up.md`.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Sequence
from datetime import date
from pathlib import Path

import pytest

from kubeflow_aks.clients.kubernetes.objects import identity
from kubeflow_aks.local_aks.azure.faults import Fault
from kubeflow_aks.local_aks.azure.resource_manager import ResourceManager
from kubeflow_aks.local_aks.azure.state import AGENT_POOL, MANAGED_CLUSTER, StoredResource
from kubeflow_aks.local_aks.azure.timing import Timing
from kubeflow_aks.local_aks.azure.types import TYPES
from kubeflow_aks.local_aks.engine import EngineError, Result
from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.tools import Tools
from tests.docs.pages import commands
from tests.local.engine import up_process
from tests.local.engine.deployment import Cluster, Deployment, deployment
from tests.local.engine.interrupted import PendingCreate, pending_creates
from tests.local.engine.served import Served, served

POOLS = 5
"""Pools of the stack that are resources of their own."""
NETWORK = "azure-native:network:VirtualNetwork"
RESOURCES = 22
"""Resources of the stack on Azure."""
HOW_TO = PROJECT_ROOT / "docs" / "how-to" / "recover-an-interrupted-up.md"
_ALREADY_EXISTS = re.compile(r"cannot create already existing resource '(\S+)'")
_LOOK_SECONDS = 0.02
_KILL_SECONDS = 0.5
_SPEED = 100.0
"""Speed of an Azure that takes more than a second for a pool, and so longer than the kill takes on a busy machine."""


@pytest.fixture
def service(tmp_path: Path, tools: Tools, cluster: Cluster) -> Generator[Served]:
    with served(tmp_path / "run", tools, cluster, "demo") as stack:
        yield stack


@pytest.fixture
def slow(tmp_path: Path, tools: Tools, cluster: Cluster) -> Generator[Deployment]:
    """The demo stack on an Azure whose operations take a moment."""
    with deployment(tmp_path / "run", tools, cluster, "demo", speed=_SPEED) as stack:
        yield stack


def _assert_converged(stack: Deployment) -> None:
    assert stack.engine().up().changed() == ()
    stack.assert_state_is_what_exists()
    states = {resource.outputs.get("provisioningState") for resource in stack.azure.all()}
    assert states <= {"Succeeded", None}


def test_after_each_failure_of_azure_the_next_up_goes_on(demo: Deployment) -> None:
    throttled = Fault(type=NETWORK, nth=1, times=3, status=429, retry_after=30)
    demo.azure.plan_faults([throttled, Fault(type=AGENT_POOL, nth=POOLS - 1, status=409)])
    with pytest.raises(EngineError, match="OperationNotAllowed") as conflict:
        demo.engine().up()
    assert "TooManyRequests" not in str(conflict.value)
    assert [_state(network.outputs) for network in demo.azure.all(NETWORK)] == ["Succeeded"]

    demo.azure.plan_faults([Fault(type=AGENT_POOL, nth=1, stage="operation", status=500)])
    with pytest.raises(EngineError, match="InternalServerError") as half_way:
        demo.engine().up()
    assert _operations(half_way.value.result) == {"create"}
    failed = [resource.type for resource in demo.azure.all() if _state(resource.outputs) == "Failed"]
    assert failed == [AGENT_POOL]

    demo.engine().up()
    _assert_converged(demo)


def test_what_azure_made_for_a_killed_provider_is_named_and_deleted_by_hand(service: Served) -> None:
    """What it had not heard of yet costs nothing but an `up`."""
    _kill(service, Fault(type=MANAGED_CLUSTER, stage="operation", kill=True))
    _delete_what_exists(service.stack, MANAGED_CLUSTER)
    _kill(service, Fault(type=AGENT_POOL, nth=2, kill=True))
    _kill(service, Fault(type=AGENT_POOL, nth=2, stage="operation", kill=True))
    _delete_what_exists(service.stack, AGENT_POOL)
    assert _operations(service.stack.engine().up()) == {"create"}
    _assert_converged(service.stack)


def _kill(service: Served, fault: Fault) -> None:
    """Goes on with the `up` until the fault kills the provider."""
    service.stack.azure.plan_faults([fault])
    with pytest.raises(EngineError) as failure:
        service.stack.engine().up()
    assert _ALREADY_EXISTS.search(str(failure.value)) is None
    assert service.killed
    service.restart()


def _delete_what_exists(stack: Deployment, type_: str) -> None:
    """Deletes what the next `up` names."""
    with pytest.raises(EngineError) as refusal:
        stack.engine().up()
    [arm_id] = _ALREADY_EXISTS.findall(str(refusal.value))
    _delete_by_hand(stack, type_, arm_id)


def test_the_documented_way_out_of_a_killed_engine_converges(slow: Deployment) -> None:
    """`docs/how-to/recover-an-interrupted-up.md`, "The engine was killed", step by step."""
    _kill_in_the_middle(slow)
    [refresh] = [line for line in commands(HOW_TO) if "--clear-pending-creates" in line]
    _pulumi(slow, "cancel", "--stack", slow.stack)
    pending = pending_creates(slow.engine().export())
    assert pending
    for pending_create in pending:
        if (resource_id := slow.existing.find(pending_create)) is not None:
            _delete(slow, pending_create, resource_id)
    _pulumi(slow, *shlex.split(refresh.replace("$STACK", slow.stack))[1:])
    assert pending_creates(slow.engine().export()) == ()
    assert _operations(slow.engine().up()) <= {"create"}
    _assert_converged(slow)
    assert len(slow.azure.all()) == RESOURCES


def _kill_in_the_middle(stack: Deployment) -> None:
    """Kills the engine when half of the resources exist on Azure."""
    with _up_in_a_process(stack) as engine:
        while engine.poll() is None and not _busy(stack.azure.all(), RESOURCES // 2):
            time.sleep(_LOOK_SECONDS)
        os.killpg(engine.pid, signal.SIGKILL)
    assert engine.returncode == -signal.SIGKILL


def _busy(resources: Sequence[StoredResource], begun: int) -> bool:
    """Whether so many resources are there, and one is in the making for longer than the kill takes.

    Between two of them nothing would be pending.
    """
    soon = time.time() + _KILL_SECONDS
    return len(resources) >= begun and any(resource.busy_until > soon for resource in resources)


def _pulumi(stack: Deployment, *arguments: str) -> None:
    """A command of the engine as a user gives it, and confirms it."""
    workspace = stack.engine()._stack.workspace  # pyright: ignore[reportPrivateUsage]
    home = {"PULUMI_HOME": workspace.pulumi_home or ""}
    workspace.pulumi_command.run([*arguments, "--yes"], workspace.work_dir, {**home, **workspace.env_vars})


def _delete(stack: Deployment, pending: PendingCreate, resource_id: str) -> None:
    """What exists of a pending creation, deleted by hand."""
    if pending.type in TYPES:
        _delete_by_hand(stack, pending.type, resource_id)
    else:
        stack.cluster.api.delete(identity(dict(pending.inputs)), "Background")


def _up_in_a_process(stack: Deployment) -> subprocess.Popen[bytes]:
    """`up` in a process group of its own, the engine in it."""
    arguments = {
        "run": str(stack.run.root),
        "providers": dict(stack.providers),
        "stack": stack.stack,
        "settings": dict(stack.settings),
    }
    return subprocess.Popen(
        [sys.executable, up_process.__file__, json.dumps(arguments)],
        env={**os.environ, "PYTHONPATH": str(PROJECT_ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _delete_by_hand(stack: Deployment, type_: str, arm_id: str) -> None:
    """What `az resource delete --ids` does."""
    manager = ResourceManager(stack.azure, Timing(float("inf")), date.today)
    operation = manager.delete(TYPES[type_], arm_id)
    assert operation is not None
    manager.wait(operation)


def _operations(result: Result | None) -> set[str]:
    """What was done to what changed."""
    assert result is not None
    return {step.op for step in result.changed()}


def _state(outputs: dict[str, object]) -> object:
    return outputs.get("provisioningState")
