"""The pools of a cluster as a data scientist gets them."""

from __future__ import annotations

from pathlib import Path

from ckf_spot import Pools
from tests.local.demo_stack import DemoStack
from tests.local.kubectl import Kubectl


def pools_of(demo: DemoStack, folder: Path) -> Pools:
    """The pools of the demo stack, from the ConfigMap that the program wrote into the cluster.

    Args:
        demo: the cluster.
        folder: for the ConfigMap as a file.
    """
    return pools_in(demo.kubectl, folder)


def pools_in(kubectl: Kubectl, folder: Path) -> Pools:
    """The pools of a cluster, from the ConfigMap in it."""
    file = folder / "agent-pools.yaml"
    arguments = ("get", "configmap", "agent-pools", "--namespace", "kubeflow-aks", "--output", "yaml")
    file.write_text(kubectl.run(*arguments), encoding="utf-8")
    return Pools.load(file)
