"""What somebody may do by hand to the objects and pools of a stack, where `verify` says how to restore them."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, Final

from kubeflow_aks.local_aks.azure.state import AGENT_POOL, AzureState
from tests.local.demo_stack import DemoStack
from tests.local.verify.breakages import OURS, fresh

BATCH: Final = "kubeflow-aks-batch"
_DELETED: Final = (
    ("validatingadmissionpolicybinding", "kubeflow-aks-keep-off-spot"),
    ("configmap", "agent-pools", *OURS),
    ("clusterrolebinding", "kubeflow-aks-juju"),
    ("daemonset", "inotify-limits", *OURS),
    ("deployment", "eviction-handler", *OURS),
    ("secret", "juju-token", *OURS),
)
_PRIORITIES: Final = ("configmap", "cluster-autoscaler-priority-expander", "--namespace", "kube-system")
FAILED: Final = {
    "objects",
    "guard",
    "pool-contract",
    "juju-token",
    "daemon-sets",
    "eviction-handler",
    "storage",
    "priority-classes",
    "priority-map",
}
"""Checks that then fail; without a token the rights of Juju's account can't be judged."""


def objects_are_changed(demo: DemoStack) -> None:
    """Deletes some objects of the program and changes others."""
    for what in _DELETED:
        demo.kubectl.run("delete", *what)
    _remade(demo, "storageclass", "ckf-zrs", parameters={"skuName": "Standard_LRS"})
    _remade(demo, "priorityclass", BATCH, value=7)
    patch = json.dumps({"data": {"priorities": "10:\n  - ^aks-cpuspot-\n1:\n  - .*\n"}})
    demo.kubectl.run("patch", *_PRIORITIES, "--field-manager=kubectl-edit", "--patch", patch)


def _remade(demo: DemoStack, kind: str, name: str, **fields: Any) -> None:
    before = fresh(demo.kubectl.run("get", kind, name, "--output", "json"))
    demo.kubectl.run("delete", kind, name)
    demo.api.create({**before, **fields}, "kubectl-edit")


def pools_are_changed(azure: AzureState) -> None:
    """Deletes one pool of the program in Azure and changes others."""
    changes: dict[str, dict[str, Any]] = {
        "general": {"nodeTaints": ["mine=yes:NoSchedule"]},
        "cpuspot": {"maxCount": 99, "nodeLabels": {"kubeflow-aks/workload": "mine"}},
        "cpuod": {"enableAutoScaling": False, "minCount": None, "maxCount": None},
    }
    for pool in azure.all(AGENT_POOL):
        name = pool.outputs["name"]
        if name == "gpuod":
            azure.delete(pool.id)
        elif name in changes:
            azure.put(replace(pool, outputs={**pool.outputs, **changes[name]}))


def pools(azure: AzureState) -> dict[str, dict[str, Any]]:
    """What `pools_are_changed` changes, by pool."""
    compared = ("minCount", "maxCount", "enableAutoScaling", "nodeLabels", "nodeTaints")
    return {
        pool.outputs["name"]: {key: pool.outputs.get(key) for key in compared}
        for pool in azure.all(AGENT_POOL)
    }
