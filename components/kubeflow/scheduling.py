"""The autoscaler's priority map and the scheduler's priority classes."""

import pulumi
from pulumi_kubernetes.core.v1 import ConfigMap
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs
from pulumi_kubernetes.scheduling.v1 import PriorityClass

from .labels import labels

_EXPANDER = "cluster-autoscaler-priority-expander"
"""Name the autoscaler looks for in kube-system.

Source: kubernetes/autoscaler, cluster-autoscaler/expander/priority/readme.md (release 1.34).
"""

HEADROOM_CLASS = "kubeflow-aks-headroom"
"""Priority class of placeholders."""


def priority_expander(name: str, priorities: pulumi.Input[str], opts: pulumi.ResourceOptions) -> ConfigMap:
    """The autoscaler's priority map; without it the autoscaler picks pools at random.

    Source: kubernetes/autoscaler, cluster-autoscaler/expander/priority/readme.md (release 1.34).
    """
    return ConfigMap(
        f"{name}-expander",
        metadata=ObjectMetaArgs(name=_EXPANDER, namespace="kube-system", labels=labels("autoscaling")),
        data={"priorities": priorities},
        opts=opts,
    )


def priority_classes(
    name: str, opts: pulumi.ResourceOptions, *, headroom: bool = False
) -> list[PriorityClass]:
    """Classes for pods: batch yields to everything else, interactive may push batch aside, and both placeholders.

    The autoscaler makes no node for pods below -10 (kubernetes/autoscaler, cluster-autoscaler/FAQ.md, "How does Cluster
    Autoscaler work with Pod Priority and Preemption"). That is the class of placeholders, which `headroom` adds: they
    are all that batch may push aside, so without them it pushes nothing.
    """
    # The API server refuses a changed value and preemption policy, though the provider plans an update
    # (packages/kubeflow-aks/tests/local/kubernetes holds both against the real API server).
    replace = pulumi.ResourceOptions(
        replace_on_changes=["value", "preemptionPolicy"], delete_before_replace=True
    )
    opts = pulumi.ResourceOptions.merge(opts, replace)
    classes = [
        PriorityClass(
            f"{name}-batch",
            metadata=ObjectMetaArgs(name="kubeflow-aks-batch", labels=labels("scheduling")),
            value=-1,
            preemption_policy="PreemptLowerPriority" if headroom else "Never",
            description="Pipelines, training jobs and trials that can start again.",
            opts=opts,
        ),
        PriorityClass(
            f"{name}-interactive",
            metadata=ObjectMetaArgs(name="kubeflow-aks-interactive", labels=labels("scheduling")),
            value=1000,
            description="Work somebody waits for.",
            opts=opts,
        ),
    ]
    if headroom:
        classes.append(
            PriorityClass(
                f"{name}-headroom-class",
                metadata=ObjectMetaArgs(name=HEADROOM_CLASS, labels=labels("scheduling")),
                value=-10,
                preemption_policy="Never",
                description="Placeholders that keep nodes warm until work needs them.",
                opts=opts,
            )
        )
    return classes
