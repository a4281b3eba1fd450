"""The guards that keep off spot nodes: Kubeflow's own pods and notebooks, and where asked for stateful work."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

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


KEEP_OFF_LABEL = "kubeflow-aks/keep-off-spot"
"""Label of a namespace whose stateful work and model servers stay off spot: refused, or with `warn` warned of."""
_PROFILES = "kubeflow-aks-keep-profiles-off-spot"
_CLAIMS = "has({0}.volumes) && {0}.volumes.exists(v, has(v.persistentVolumeClaim))"
_SERVES = "has(object.metadata.labels) && 'serving.kserve.io/inferenceservice' in object.metadata.labels"
"""Label that KServe gives the pods of an InferenceService (`InferenceServicePodLabelKey` in its constants.go)."""
_STATEFUL = (
    "request.kind.kind in ['StatefulSet', 'InferenceService']"
    f" || request.kind.kind == 'Deployment' && {_CLAIMS.format('dyn(object).spec.template.spec')}"
    f" || request.kind.kind == 'Pod' && ({_SERVES}"
    " || has(object.metadata.ownerReferences) && object.metadata.ownerReferences.exists(o, o.kind == 'StatefulSet'"
    f" || o.kind == 'ReplicaSet' && {_CLAIMS.format('dyn(object).spec')}))"
)
"""What Canonical advises to keep off spot, beside the platform: data stores and online serving.

Source: canonical/charmed-kubeflow-documentation (2026-08-21), docs/how-to/integrate/integrate-azure-spot-vms.rst.
"""
_PARTS = "['predictor', 'transformer', 'explainer']"


def spot_guard(name: str, opts: pulumi.ResourceOptions) -> list[pulumi.Resource]:
    """A policy of the API server itself: no webhook that could be down, or that AKS's Admissions Enforcer would edit.

    Source: MicrosoftDocs/azure-aks-docs, articles/aks/faq.yml (2026-08-21).
    """
    policy = _policy(
        f"{name}-guard",
        POLICY,
        {"": ["pods"]},
        opts,
        conditions={"guarded": _GUARDED, "not-a-daemon": _NOT_DAEMON},
        tolerations=[tolerates_spot(f"{pod}.spec") for pod in ("object", "oldObject")],
        message=f"Kubeflow's platform and notebooks must not tolerate {SPOT_KEY}",
    )
    return [policy, _binding(f"{name}-guard-binding", POLICY, policy, opts)]


def profile_guard(name: str, opts: pulumi.ResourceOptions) -> list[pulumi.Resource]:
    """The same for stateful work and model servers, in namespaces that have the label.

    The objects themselves are looked at, as somebody reads the answer to those, and their pods, to which a webhook may
    have added tolerations. Any value of the label but `warn` refuses, so that a misspelt one does.
    """
    rules = {
        "": ["pods"],
        "apps": ["statefulsets", "deployments"],
        "serving.kserve.io": ["inferenceservices"],
    }
    policy = _policy(
        f"{name}-profile-guard",
        _PROFILES,
        rules,
        opts,
        conditions={"stateful-or-serving": _STATEFUL},
        tolerations=[
            f"({_specs(of)}).exists(spec, {tolerates_spot('spec')})" for of in ("object", "oldObject")
        ],
        message="StatefulSets, Deployments with a claim and InferenceServices must not tolerate "
        f"{SPOT_KEY} in this namespace (its label {KEEP_OFF_LABEL})",
    )
    there, warned = {"key": KEEP_OFF_LABEL, "operator": "Exists"}, {"key": KEEP_OFF_LABEL, "values": ["warn"]}
    refused = _binding(
        f"{name}-profile-guard-binding",
        _PROFILES,
        policy,
        opts,
        where=[there, {**warned, "operator": "NotIn"}],
    )
    warning = _binding(
        f"{name}-profile-guard-warn",
        _PROFILES,
        policy,
        opts,
        action="Warn",
        where=[{**warned, "operator": "In"}],
    )
    return [policy, refused, warning]


def _policy(
    name: str,
    policy: str,
    resources: Mapping[str, Sequence[str]],
    opts: pulumi.ResourceOptions,
    *,
    conditions: Mapping[str, str],
    tolerations: Sequence[str],
    message: str,
) -> ValidatingAdmissionPolicy:
    """Refuses objects that tolerate spot.

    Args:
        name: of Pulumi's resource.
        policy: name of the object.
        resources: plural names by API group.
        opts: of the resource.
        conditions: CEL by name, which objects meet that are looked at.
        tolerations: CEL: whether an object tolerates spot, and whether it did.
        message: what is allowed.
    """
    now, before = tolerations
    return ValidatingAdmissionPolicy(
        name,
        metadata=ObjectMetaArgs(name=policy, labels=labels("admission")),
        spec={
            "failure_policy": "Fail",
            "match_constraints": {
                "resource_rules": [
                    {
                        "api_groups": [group],
                        "api_versions": ["v1beta1" if group == "serving.kserve.io" else "v1"],
                        "operations": ["CREATE", "UPDATE"],
                        "resources": list(names),
                    }
                    for group, names in resources.items()
                ]
            },
            "match_conditions": [{"name": key, "expression": text} for key, text in conditions.items()],
            "variables": [
                {"name": "tolerates", "expression": now},
                {"name": "did", "expression": f"oldObject != null && ({before})"},
            ],
            "validations": [
                {
                    # What was let in before the policy existed must stay editable, or it could not end.
                    "expression": "!variables.tolerates || variables.did",
                    "message": f"spot nodes are evicted with 30 s notice: {message}",
                    "reason": "Forbidden",
                }
            ],
        },
        opts=opts,
    )


def _binding(
    name: str,
    policy_name: str,
    policy: pulumi.Resource,
    opts: pulumi.ResourceOptions,
    *,
    action: Literal["Deny", "Warn"] = "Deny",
    where: Sequence[Mapping[str, Any]] = (),
) -> ValidatingAdmissionPolicyBinding:
    """What a policy does, in namespaces with such labels or in all."""
    spec: Any = {"policy_name": policy_name, "validation_actions": [action]}
    if where:
        spec["match_resources"] = {"namespace_selector": {"match_expressions": [dict(it) for it in where]}}
    binding = policy_name if action == "Deny" else f"{policy_name}-{action.lower()}"
    return ValidatingAdmissionPolicyBinding(
        name,
        metadata=ObjectMetaArgs(name=binding, labels=labels("admission")),
        spec=spec,
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=[policy])),
    )


def _specs(of: str) -> str:
    """CEL: the pod specs in an object; an InferenceService has one in each of its parts."""
    parts = f"{_PARTS}.filter(part, part in dyn({of}).spec).map(part, dyn({of}).spec[part])"
    kind, template = "request.kind.kind", f"dyn({of}).spec.template.spec"
    return f"{kind} == 'Pod' ? [dyn({of}).spec] : {kind} == 'InferenceService' ? {parts} : [{template}]"


def tolerates_spot(spec: str) -> str:
    """CEL: whether a pod of that spec tolerates the taint of spot nodes, as the scheduler matches tolerations."""
    key = f"(!has(t.key) || t.key == '' || t.key == '{SPOT_KEY}')"
    effect = "(!has(t.effect) || t.effect == '' || t.effect == 'NoSchedule')"
    value = "((has(t.operator) && t.operator == 'Exists') || (has(t.value) && t.value == 'spot'))"
    return f"has({spec}.tolerations) && {spec}.tolerations.exists(t, {key} && {effect} && {value})"
