"""The admission policy that keeps the platform and notebooks off spot nodes."""

from collections.abc import Iterator, Sequence
from typing import Final

from kubeflow_aks.policy.rule import Resource
from kubeflow_aks.policy.rules.resources import name_of, pools
from kubeflow_aks.policy.table import rules

_POLICY: Final = "kubernetes:admissionregistration.k8s.io/v1:ValidatingAdmissionPolicy"
_BINDING: Final = f"{_POLICY}Binding"
_NAME: Final = "kubeflow-aks-keep-off-spot"


def _guarded(resources: Sequence[Resource]) -> Iterator[tuple[str, str]]:
    # Without any, objects are applied by other means.
    kubernetes = any(it.type.startswith("kubernetes:") for it in resources)
    if not kubernetes or not any(pool.spot for pool in pools(resources)):
        return
    policies = [it for it in resources if it.type == _POLICY and name_of(it) == _NAME]
    if not policies:
        yield "", f"the stack has spot pools but no ValidatingAdmissionPolicy {_NAME}"
    for it in policies:
        if (failure := it.inputs["spec"].get("failurePolicy", "Fail")) != "Fail":
            yield it.urn, f"failurePolicy is {failure}, so an error in the policy admits every pod"
        bound: list[list[str]] = [
            binding.inputs["spec"].get("validationActions") or []
            for binding in resources
            if binding.type == _BINDING and binding.inputs["spec"].get("policyName") == _NAME
        ]
        if not any("Deny" in actions for actions in bound):
            yield it.urn, f"no binding of {_NAME} denies"


RULES: Final = rules(
    {
        "platform-is-kept-off-spot": _guarded,
    }
)
