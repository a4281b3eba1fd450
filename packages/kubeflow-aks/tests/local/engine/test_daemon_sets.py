"""A spot node that goes holds up no rollout: neither of the device plugin nor of the daemon of Kubeflow's own pool."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from kubeflow_aks.tools import Tools
from tests.local.engine.deployment import Deployment
from tests.local.kubectl import Kubectl, eventually

NAMESPACE = "kubeflow-aks"
NODE = "aks-gpuspot-12345678-vmss000000"
SPOT = {"key": "kubernetes.azure.com/scalesetpriority", "value": "spot", "effect": "NoSchedule"}


@pytest.fixture
def kubectl(tools: Tools, kubeconfig: Path) -> Generator[Kubectl]:
    """Commands, with a spot node whose machine has gone: it has the labels of both daemons, and no kubelet."""
    commands = Kubectl(tools, kubeconfig, NAMESPACE)
    labels = {
        "kubernetes.io/os": "linux",
        "kubernetes.azure.com/accelerator": "nvidia",
        "kubeflow-aks/workload": "platform",
    }
    commands.apply(
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": NODE, "labels": labels},
            "spec": {"taints": [SPOT]},
        }
    )
    yield commands
    commands.run("delete", "node", NODE)


def _status(kubectl: Kubectl, name: str) -> dict[str, Any]:
    return kubectl.get("daemonset", name)["status"]


def test_neither_an_up_nor_an_edit_of_the_plugin_waits_for_a_spot_node_that_has_gone(
    demo: Deployment, kubectl: Kubectl
) -> None:
    engine = demo.engine()
    engine.up()
    eventually(lambda: _status(kubectl, "nvidia-device-plugin")["desiredNumberScheduled"] == 1)
    assert _status(kubectl, "nvidia-device-plugin").get("numberAvailable", 0) == 0, "else nothing to wait for"
    assert _status(kubectl, "inotify-limits")["desiredNumberScheduled"] == 0

    kubectl.run(
        "set", "image", "daemonset/nvidia-device-plugin", "nvidia-device-plugin=example.invalid/other:1"
    )
    engine.refresh()
    done = engine.up()
    daemons = [step.name for step in done.changed() if step.type.endswith(":DaemonSet")]
    assert daemons == ["kubeflow-aks-demo-device-plugin"]
