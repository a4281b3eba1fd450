"""Profiles: the namespaces in which Kubeflow's users run their pipelines."""

from __future__ import annotations

import uuid
from typing import Final

from localaks.kubernetes.objects import Kind
from localaks.pipelines import ACCOUNT
from tests.local.demo_stack import DemoStack

WORKFLOW: Final = Kind("argoproj.io", "v1alpha1", "Workflow")


def new_profile(demo: DemoStack) -> str:
    """Makes a namespace with the service account of pipelines; `DemoStack.clear` empties it."""
    name = f"profile-{uuid.uuid4().hex[:8]}"
    demo.create_namespace(name)
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": ACCOUNT, "namespace": name}}
    demo.apply(account)
    return name
