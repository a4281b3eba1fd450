"""What others made lets pods start, nodes be drained, and programs of this product work."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Final

from kubeflow_aks.clients.kubernetes.objects import Object, at, fields, items, name_of
from kubeflow_aks.deployed.outputs import Outputs
from kubeflow_aks.text.numbers import counted
from kubeflow_aks.text.sentences import listed, one_line
from kubeflow_aks.verify.findings import CheckResult, failed, group_by_first, passed, will_break
from kubeflow_aks.verify.probes import GUARD, PROFILE_GUARD
from kubeflow_aks.verify.snapshot import (
    OUR_NAMESPACE,
    ClusterSnapshot,
    is_platform,
    labels,
    moment,
    qualified_name,
    text,
)

_RECENT: Final = timedelta(minutes=20)
"""A controller tries again after 1000 s at the latest (client-go, `DefaultTypedControllerRateLimiter`)."""
_ROOM: Final = (
    "pods",
    "count/pods",
    "cpu",
    "requests.cpu",
    "limits.cpu",
    "memory",
    "requests.memory",
    "limits.memory",
)
"""Resources of a quota without which no pod starts (kubernetes.io, "Resource Quotas")."""
_API_PORT: Final = 443
"""Where an AKS API server listens, as the stack's own policies have it."""
_OPERATORS: Final = "knative-"
"""Beginning of namespaces whose budgets Knative's own operator makes, for one pod each (knative/serving,
config/core/deployments, `activator-pdb` and `webhook-pdb`)."""


def created(snapshot: ClusterSnapshot, _: Outputs) -> Iterator[CheckResult]:
    """No controller of the platform or of this product is refused its pods; elsewhere none is by the guards."""
    refused = [
        (one_line(text(event, "message"), 200), _owner(event))
        for event in snapshot.refusals.required()
        if snapshot.age(_time(event)) <= _RECENT and _is_judged(event) and not _has_pod_since(event, snapshot)
    ]
    for why, owners in group_by_first(refused).items():
        yield failed(
            f"no pod can be created for {listed(set(owners))}: {why}",
            "change the pod's template, or what refuses it",
        )


def budgets(snapshot: ClusterSnapshot, _: Outputs) -> Iterator[CheckResult]:
    """No disruption budget forbids every eviction: a node with such a pod is never drained, and an upgrade fails."""
    rigid = [
        qualified_name(budget)
        for budget in snapshot.budgets.required()
        if _number(budget, "desiredHealthy") >= _number(budget, "expectedPods") > 0
    ]
    inherent = [name for name in rigid if name.startswith(_OPERATORS)]
    if others := sorted(set(rigid) - set(inherent)):
        yield will_break(
            f"{counted(len(others), 'disruption budget')} that no eviction satisfies ({listed(others)}): a node with "
            "such a pod is not drained, so upgrades fail, and an eviction by Azure takes the pod without its grace",
            "lower minAvailable, or run one pod more",
        )
    elif inherent:
        yield passed(
            f"disruption budgets let nodes be drained, but for Knative's own ({listed(inherent)})",
            "before an upgrade, run two pods of each or delete these budgets",
        )


def quotas(snapshot: ClusterSnapshot, _: Outputs) -> Iterator[CheckResult]:
    """No quota leaves a namespace without any pod, or the platform without room for the pods that it has."""
    for quota in snapshot.quotas.required():
        hard, used = (fields(at(quota, "status", part)) for part in ("hard", "used"))
        hard = fields(at(quota, "spec", "hard")) or hard
        none = [key for key in _ROOM if str(hard.get(key)) in ("0", "0m")]
        full = [key for key in _ROOM if key in hard and key not in none and hard[key] == used.get(key)]
        namespace = text(quota, "metadata", "namespace")
        if none:
            yield failed(
                f"ResourceQuota {qualified_name(quota)} allows 0 {listed(none)}, so no pod starts in namespace "
                f"{namespace}",
                "raise it in the profile (spec.resourceQuotaSpec), or in the quota if there is no profile",
            )
        elif full and _is_protected(namespace):
            yield will_break(
                f"ResourceQuota {qualified_name(quota)} has no {listed(full)} left, so no pod of namespace {namespace} "
                "can be made anew",
                "raise or delete the quota",
            )


def network_policies(snapshot: ClusterSnapshot, _: Outputs) -> Iterator[CheckResult]:
    """A pod of this product that acts on the cluster reaches the API server, whatever network policies select it.

    A pod that any policy of direction Egress selects may send what one of them allows (kubernetes.io, "Network
    Policies"). Whether the cluster enforces them does not matter here.
    """
    policies, accounts = snapshot.policies.required(), {right.account for right in snapshot.rights.required()}
    for pod in snapshot.pods.required():
        namespace = text(pod, "metadata", "namespace")
        if (
            namespace != OUR_NAMESPACE
            or f"{namespace}/{text(pod, 'spec', 'serviceAccountName')}" not in accounts
        ):
            continue
        selecting = [policy for policy in policies if _selects(policy, pod)]
        rules = [rule for policy in selecting for rule in items(at(policy, "spec", "egress"))]
        if selecting and not any(map(_is_api_rule, rules)):
            yield will_break(
                f"pod {qualified_name(pod)} does not reach the API server: no network policy that selects it allows "
                f"port 443 ({listed(map(name_of, selecting))})",
                f"see `kubectl --namespace {OUR_NAMESPACE} get networkpolicies`: allow the port, or delete those that "
                "the stack did not make",
            )


def _is_protected(namespace: str) -> bool:
    return is_platform(namespace) or namespace == OUR_NAMESPACE


def _is_judged(event: Object) -> bool:
    where, message = text(event, "involvedObject", "namespace"), text(event, "message")
    return _is_protected(where) or any(guard in message for guard in (GUARD, PROFILE_GUARD))


def _owner(event: Object) -> str:
    kind, namespace, name = (text(event, "involvedObject", key) for key in ("kind", "namespace", "name"))
    return f"{kind} {namespace}/{name}"


def _time(event: Object) -> object:
    last = at(event, "series", "lastObservedTime") or event.get("lastTimestamp") or event.get("eventTime")
    return last or at(event, "metadata", "creationTimestamp")


def _has_pod_since(event: Object, snapshot: ClusterSnapshot) -> bool:
    """Whether the controller has got a pod after it was refused one."""
    uid = text(event, "involvedObject", "uid")
    return any(
        moment(at(pod, "metadata", "creationTimestamp")) > moment(_time(event))
        for pod in snapshot.pods.value or []
        if uid and uid in (at(owner, "uid") for owner in items(at(pod, "metadata", "ownerReferences")))
    )


def _number(budget: Object, key: str) -> int:
    value = at(budget, "status", key)
    return value if isinstance(value, int) else 0


def _selects(policy: Object, pod: Object) -> bool:
    if "Egress" not in items(at(policy, "spec", "policyTypes")):
        return False
    selector, worn = at(policy, "spec", "podSelector"), labels(pod)
    return all(worn.get(key) == value for key, value in fields(at(selector, "matchLabels")).items()) and all(
        _matches(expression, worn) for expression in items(at(selector, "matchExpressions"))
    )


def _matches(expression: object, worn: object) -> bool:
    """One requirement of a label selector (kubernetes.io, "Labels and Selectors")."""
    value = fields(worn).get(text(expression, "key"))
    match text(expression, "operator"):
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
        case "In":
            return value in items(at(expression, "values"))
        case _:
            return value not in items(at(expression, "values"))


def _is_api_rule(rule: object) -> bool:
    """Whether a rule lets pods send to port 443 of some addresses: those of pods are no API server's."""
    peers, ports = items(at(rule, "to")), items(at(rule, "ports"))
    return (not peers or any(at(peer, "ipBlock") for peer in peers)) and (
        not ports or any(map(_is_api_port, ports))
    )


def _is_api_port(port: object) -> bool:
    first, last = at(port, "port"), at(port, "endPort")
    if isinstance(first, int) and isinstance(last, int):
        return first <= _API_PORT <= last
    return text(port, "protocol") in ("", "TCP") and first in (_API_PORT, "https", None)
