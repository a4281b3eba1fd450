"""The page on reaching a node, its commands before a real API server; nothing runs in the pod that they make."""

from __future__ import annotations

import re
import shlex
from collections.abc import Generator
from typing import Final

import pytest

from kubeflow_aks.project import PROJECT_ROOT
from tests.docs.pages import blocks
from tests.local.kubectl import Kubectl

PAGE: Final = PROJECT_ROOT / "docs/how-to/reach-a-node.md"
NODE: Final = "aks-gpuspot-12345678-vmss000001"
[GET, DEBUG], [EXEC], [DELETE] = (
    [line for line in block.splitlines() if line.startswith("kubectl")] for block in blocks(PAGE, "sh")
)


@pytest.fixture
def kubectl(kubectl: Kubectl) -> Generator[Kubectl]:
    """The shared control plane with a spot node, in a namespace of this test alone."""
    taint = {"key": "kubernetes.azure.com/scalesetpriority", "value": "spot", "effect": "NoSchedule"}
    labels = {"kubernetes.azure.com/agentpool": "gpuspot", "kubernetes.azure.com/scalesetpriority": "spot"}
    node = {"name": NODE, "labels": labels}
    kubectl.apply({"apiVersion": "v1", "kind": "Node", "metadata": node, "spec": {"taints": [taint]}})
    yield kubectl
    kubectl.run("delete", "node", NODE)


def run(kubectl: Kubectl, line: str, **values: str) -> str:
    """A line of the page, with the reader's variables."""
    for name, value in values.items():
        line = line.replace(f'"${name}"', value)
    _, *arguments = shlex.split(line)
    return kubectl.run(*arguments)


def test_the_commands_of_the_page_start_a_pod_on_the_node_and_remove_it(kubectl: Kubectl) -> None:
    header, *lines = run(kubectl, GET).splitlines()
    assert header.split()[-2:] == ["AGENTPOOL", "SCALESETPRIORITY"]
    [row] = [line.split() for line in lines if line.startswith(NODE)]
    assert row[-2:] == ["gpuspot", "spot"]
    run(kubectl, DEBUG, NODE=NODE)
    [pod] = kubectl.items("pods")
    name, spec = pod["metadata"]["name"], pod["spec"]
    assert re.fullmatch(rf"node-debugger-{NODE}-\w{{5}}", name), "as the page calls it"
    assert spec["nodeName"] == NODE
    assert {"operator": "Exists"} in spec["tolerations"], "every taint"
    [container] = spec["containers"]
    assert container["securityContext"]["privileged"] is True
    assert container["command"] == ["sleep", "1h"]
    assert {"name": "host-root", "hostPath": {"path": "/", "type": ""}} in spec["volumes"]
    assert {"name": "host-root", "mountPath": "/host"} in container["volumeMounts"]
    assert "chroot /host" in EXEC
    run(kubectl, DELETE.replace("delete pod", "delete pod --grace-period=0 --force"), POD=name)
    assert kubectl.items("pods") == []
