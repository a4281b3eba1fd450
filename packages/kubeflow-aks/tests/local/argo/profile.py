"""Profiles: the namespaces in which Kubeflow's users run their pipelines."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from kubeflow_aks.clients.kubernetes.objects import Kind
from kubeflow_aks.scenario.workloads.kfp_compiler import ACCOUNT
from tests.local.demo_stack import DemoStack

WORKFLOW: Final = Kind("argoproj.io", "v1alpha1", "Workflow")


@contextmanager
def profile(demo: DemoStack) -> Generator[str]:
    """A namespace with the service account of pipelines; see `DemoStack.namespace`."""
    with demo.namespace(WORKFLOW) as name:
        account = {
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": {"name": ACCOUNT, "namespace": name},
        }
        demo.apply(account)
        yield name
