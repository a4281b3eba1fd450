"""Valid pool maps, and values of any JSON type, for property tests."""

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from program.planning.pools import fallback_name
from tests.program.planning.small_stack import GENERAL

Json = Any
_SPOT_KEY = "kubernetes.azure.com/scalesetpriority"
_OWN_TAINT = "team=vision:NoSchedule"
# No letter o: a name made by hand is never that of a fallback, which ends in `od`.
_NAMES = st.builds(
    str.__add__, st.text("abcprst079", max_size=7).map("p".__add__), st.sampled_from(["", "spot"])
)
_COUNTS = {"maxCount": st.integers(1, 12)}
_ANYWHERE: dict[str, SearchStrategy[Any]] = {
    "labels": st.sampled_from([{}, {"team": "vision"}]),
    "zones": st.lists(st.sampled_from("123"), unique=True),
    "workload": st.sampled_from(["training", "cpu", "gpu"]),
    "maxPods": st.integers(10, 250),
    "encryptionAtHost": st.booleans(),
    "osDisk": st.sampled_from([{}, {"type": "Managed"}, {"sizeGib": 64}]),
}
_SPOT_ONLY: dict[str, SearchStrategy[Any]] = {
    "labels": st.sampled_from([{}, {"team": "vision"}, {_SPOT_KEY: "spot"}]),
    "taints": st.lists(st.sampled_from([_OWN_TAINT, f"{_SPOT_KEY}=spot:NoSchedule"]), unique=True),
    "evictionPolicy": st.sampled_from(["Delete", "Deallocate", None]),
    "maxPrice": st.sampled_from([-1, None, 0.00001, 0.5, 12]),
    "fallback": st.none() | st.fixed_dictionaries({"maxCount": st.integers(1, 12)}),
}
_CPU = st.sampled_from(
    ["Standard_D8ds_v5", "Standard_D8s_v5", "Standard_D4s_v3", "Standard_D8ads_v6", "Standard_D8pds_v5"]
)
_GPU = st.sampled_from(["Standard_NC4as_T4_v3", "Standard_NC24ads_A100_v4"])


def _pool(
    sizes: SearchStrategy[str], priority: str, **optional: SearchStrategy[Any]
) -> SearchStrategy[dict[str, Any]]:
    fixed = {"vmSize": sizes, "priority": st.just(priority), **_COUNTS}
    return st.fixed_dictionaries(fixed, optional=_ANYWHERE | optional)


_POOLS = st.one_of(
    _pool(_CPU, "Spot", **_SPOT_ONLY),
    _pool(_GPU, "Spot", **_SPOT_ONLY),
    _pool(_GPU, "Regular"),
    _pool(_CPU, "Regular").map(lambda pool: pool | {"taints": [_OWN_TAINT]}),
)
pool_maps: SearchStrategy[dict[str, Any]] = st.lists(
    st.tuples(_NAMES, _POOLS), max_size=5, unique_by=lambda named: fallback_name(named[0])
).map(lambda named: {"general": GENERAL, **dict(named)})
"""The `pools` of a stack: Kubeflow's home and up to five more, all valid."""

json_values: SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
"""Anything JSON can say, and Python's infinities beside it."""
