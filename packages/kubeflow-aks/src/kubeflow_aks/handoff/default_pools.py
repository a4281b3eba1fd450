"""Settings of the charm `namespace-node-affinity`: a default pool for the pods of a profile's namespace.

What the charm does with them: docs/facts/charmed-kubeflow.md#a-default-pool-for-each-namespace.
"""

import re
import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from ckf_spot.agent_pool import PLATFORM_NAMESPACES
from kubeflow_aks.clients.kubernetes.objects import items
from kubeflow_aks.deployed.outputs import Outputs
from kubeflow_aks.exit_codes import UsageError
from kubeflow_aks.handoff.juju import as_yaml

OPTION: Final = "--default-pool"
KEEP: Final = "keep-placement"
"""Label with the value `true` by which a pod keeps the placement that it has."""
_NAMESPACE: Final = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")


def settings(outputs: Outputs, choices: Sequence[str]) -> str:
    """The option `settings_yaml` of the charm for choices `namespace=pool`.

    Returns:
        YAML: for each namespace a text that is YAML itself; empty without choices.

    Raises:
        UsageError: a choice is not allowed; one line for each mistake.
        StackError: the outputs have no pools.
    """
    pools = {str(pool["name"]): pool for pool in outputs.pools()} if choices else {}
    pairs = [(namespace, pool) for namespace, _, pool in (choice.partition("=") for choice in choices)]
    count = Counter(namespace for namespace, _ in pairs)
    mistakes = [
        f"{OPTION}: {choice} is not allowed; {expected}"
        for choice, (namespace, pool) in zip(choices, pairs, strict=True)
        if (expected := _expected(namespace, pool, pools, count))
    ]
    if mistakes:
        raise UsageError("\n".join(dict.fromkeys(mistakes)))
    return "".join(
        f"{namespace}: |\n{textwrap.indent(as_yaml(_default(pool, pools[pool])), '  ')}"
        for namespace, pool in pairs
    )


def _expected(namespace: str, pool: str, pools: Mapping[str, Mapping[str, Any]], count: Counter[str]) -> str:
    if not _NAMESPACE.fullmatch(namespace) or not pool:
        return "expected NAMESPACE=POOL, such as team-a=cpuod"
    if PLATFORM_NAMESPACES.fullmatch(namespace):
        return "expected a profile's namespace; Kubeflow's platform has a pool of its own"
    if count[namespace] > 1:
        return f"expected one pool for namespace {namespace}"
    regular = [name for name, pool_settings in pools.items() if pool_settings.get("priority") != "Spot"]
    if pool not in pools:
        return f"expected one of the pools {', '.join(regular)}"
    if pool not in regular:
        return (
            f"expected one of the pools {', '.join(regular)}: a default on spot takes the drivers of pipelines along, "
            "and notebooks are refused there"
        )
    return ""


def _default(name: str, pool: Mapping[str, Any]) -> Mapping[str, Any]:
    """What the webhook adds to a namespace's pods."""
    taints = [_toleration(taint) for taint in items(pool.get("taints")) if isinstance(taint, str)]
    term = {"key": "kubernetes.azure.com/agentpool", "operator": "In", "values": [name]}
    return {
        "excludedLabels": {KEEP: "true"},
        "nodeSelectorTerms": [{"matchExpressions": [term]}],
        **({"tolerations": taints} if taints else {}),
    }


def _toleration(taint: str) -> Mapping[str, str]:
    """The toleration of a taint, `key=value:Effect` or `key:Effect`."""
    body, _, effect = taint.rpartition(":")
    key, equals, value = body.partition("=")
    match = {"operator": "Equal", "value": value} if equals else {"operator": "Exists"}
    return {"key": key, **match, "effect": effect}
