"""What AKS's managed Prometheus collects beside what it does by default."""

from typing import Final

import pulumi
from pulumi_kubernetes.core.v1 import ConfigMap

from .labels import labels

POD_NAMESPACES: Final = "podannotationnamespaceregex"
SETTINGS: Final = {
    "schema-version": "v2",
    "config-version": "ver1",
    "cluster-metrics": """\
pod-annotation-based-scraping: |-
  podannotationnamespaceregex = "{namespace}"
default-targets-metrics-keep-list: |-
  kubestate = "kube_pod_status_unschedulable"
minimal-ingestion-profile: |-
  enabled = true
""",
}
"""Our pods, which are annotated, and of kube-state-metrics what alerts need beside the minimal profile.

Source: Azure/prometheus-collector, otelcollector/configmaps/ama-metrics-settings-configmap-v2.yaml.
"""


def collected_metrics(name: str, namespace: pulumi.Input[str], opts: pulumi.ResourceOptions) -> ConfigMap:
    """The settings that the add-on looks for in kube-system, by the one name that they can have."""
    metrics = pulumi.Output.from_input(namespace).apply(
        lambda text: SETTINGS["cluster-metrics"].replace("{namespace}", text)
    )
    return ConfigMap(
        f"{name}-collected-metrics",
        metadata={
            "name": "ama-metrics-settings-configmap",
            "namespace": "kube-system",
            "labels": labels("metrics"),
        },
        data={**SETTINGS, "cluster-metrics": metrics},
        opts=opts,
    )
