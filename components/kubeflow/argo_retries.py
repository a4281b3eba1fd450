"""Retries that really retry: a default for all workflows, in the ConfigMap of Argo's charm."""

import pulumi
from pulumi_kubernetes.core.v1 import ConfigMap, ConfigMapPatch
from pulumi_kubernetes.meta.v1 import ObjectMetaPatchArgs

NAMESPACE = "kubeflow"
"""Juju's model, where the charms live."""
CONFIG_MAP = "argo-workflow-controller-configmap"
"""What the charm argo-controller calls it."""
KEY = "workflowDefaults"
"""The charm sets other keys only."""
FIELD_MANAGER = "kubeflow-aks"

WORKFLOW_DEFAULTS = """\
spec:
  templateDefaults:
    retryStrategy:
      limit: "0"
      retryPolicy: Always
"""
"""A step's own number of retries stays, and now counts for pods that vanished as well as for those that failed; a step
without retries still has none
(packages/kubeflow-aks/tests/local/argo/test_retries.py, with workflow-controller 3.7.3)."""


def argo_retries(name: str, opts: pulumi.ResourceOptions) -> list[pulumi.Resource]:
    """Sets one key of the charm's ConfigMap; without force, and what the charm set stays the charm's.

    A patch of a missing object would create it, which would be in the way of the charm that is deployed later
    (packages/kubeflow-aks/tests/local/engine/test_argo_retries.py). So the object is read first, and the engine stops
    where there is none. Its message has only the resource's name, hence that name and the line logged before.
    """
    pulumi.log.info(
        f"kubeflow.argoRetries: true: sets {KEY} in the ConfigMap {NAMESPACE}/{CONFIG_MAP}; if that does not exist, "
        "leave the setting out until Charmed Kubeflow is deployed"
    )
    charms = ConfigMap.get(f"{name}-argo-retries-need-charmed-kubeflow", f"{NAMESPACE}/{CONFIG_MAP}", opts)
    patch = ConfigMapPatch(
        f"{name}-argo-retries",
        metadata=ObjectMetaPatchArgs(
            name=CONFIG_MAP,
            namespace=NAMESPACE,
            annotations={"pulumi.com/patchFieldManager": FIELD_MANAGER},
        ),
        data={KEY: WORKFLOW_DEFAULTS},
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=[charms])),
    )
    return [charms, patch]
