"""The guard that keeps Kubeflow's own pods and notebooks off spot nodes."""

import pulumi
from pulumi_kubernetes.admissionregistration.v1 import (
    ValidatingAdmissionPolicy,
    ValidatingAdmissionPolicyBinding,
)
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs

from ..pools.conventions import SPOT_KEY
from .labels import labels

POLICY = "kubeflow-aks-keep-off-spot"

_GUARDED = (
    "request.namespace == 'kubeflow' || request.namespace.startsWith('controller-')"
    " || request.namespace.startsWith('knative-')"
    " || (has(object.metadata.labels) && 'notebook-name' in object.metadata.labels)"
)
"""Juju's model and controllers, the charms' Knative, and notebook pods wherever they run."""
_NOT_DAEMON = (
    "!has(object.metadata.ownerReferences) "
    "|| !object.metadata.ownerReferences.exists(o, o.kind == 'DaemonSet')"
)
"""Daemons belong on every node: CSI drivers, Istio's CNI, the device plugin."""


def spot_guard(name: str, opts: pulumi.ResourceOptions) -> list[pulumi.Resource]:
    """A policy of the API server itself: no webhook that could be down, or that AKS's Admissions Enforcer would edit.

    Source: MicrosoftDocs/azure-aks-docs, articles/aks/faq.yml (2026-08-21).
    """
    policy = ValidatingAdmissionPolicy(
        f"{name}-guard",
        metadata=ObjectMetaArgs(name=POLICY, labels=labels("admission")),
        spec={
            "failure_policy": "Fail",
            "match_constraints": {
                "resource_rules": [
                    {
                        "api_groups": [""],
                        "api_versions": ["v1"],
                        "operations": ["CREATE", "UPDATE"],
                        "resources": ["pods"],
                    }
                ]
            },
            "match_conditions": [
                {"name": "guarded", "expression": _GUARDED},
                {"name": "not-a-daemon", "expression": _NOT_DAEMON},
            ],
            "variables": [
                {"name": "tolerates", "expression": tolerates_spot("object")},
                {
                    "name": "did",
                    "expression": f"oldObject != null && ({tolerates_spot('oldObject')})",
                },
            ],
            "validations": [
                {
                    # A pod that was let in before the policy existed must stay editable, or it could not end.
                    "expression": "!variables.tolerates || variables.did",
                    "message": "spot nodes are evicted with 30 s notice: Kubeflow's platform and notebooks must not "
                    f"tolerate {SPOT_KEY}",
                    "reason": "Forbidden",
                }
            ],
        },
        opts=opts,
    )
    binding = ValidatingAdmissionPolicyBinding(
        f"{name}-guard-binding",
        metadata=ObjectMetaArgs(name=POLICY, labels=labels("admission")),
        spec={"policy_name": POLICY, "validation_actions": ["Deny"]},
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=[policy])),
    )
    return [policy, binding]


def tolerates_spot(pod: str) -> str:
    """CEL: whether a pod tolerates the taint of spot nodes, as the scheduler matches tolerations."""
    key = f"(!has(t.key) || t.key == '' || t.key == '{SPOT_KEY}')"
    effect = "(!has(t.effect) || t.effect == '' || t.effect == 'NoSchedule')"
    value = "((has(t.operator) && t.operator == 'Exists') || (has(t.value) && t.value == 'spot'))"
    return f"has({pod}.spec.tolerations) && {pod}.spec.tolerations.exists(t, {key} && {effect} && {value})"
