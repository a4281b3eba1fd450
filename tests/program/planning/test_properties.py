"""What holds of every plan, whatever the pools; and that nothing but a plan or its mistakes comes out."""

import contextlib
import functools
import json
import operator
import re
from collections.abc import Iterator
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from program.planning import Plan
from program.settings import OwnVmSize, SettingsError, parse
from program.settings._model import ENCRYPTED
from program.settings.cluster import Ssh
from tests.program.planning.small_stack import GENERAL, GPU_SPOT, SSH_KEY, planned, stack
from tests.program.planning.strategies import Json, json_values, pool_maps

SPOT_KEY = "kubernetes.azure.com/scalesetpriority"
SPOT_TAINT = f"{SPOT_KEY}=spot:NoSchedule"
some = settings(max_examples=25, database=None, derandomize=True)


def exactly_spot_pools_carry_the_spot_label_and_taint(plan: Plan) -> None:
    for pool in plan.pools:
        assert (pool.labels.get(SPOT_KEY) == "spot") == pool.spot
        assert (pool.taints.count(SPOT_TAINT) == 1) == pool.spot


def exactly_one_pool_is_untainted(plan: Plan) -> None:
    assert [pool.name for pool in plan.pools if not pool.taints] == ["general"]


def a_fallback_scales_from_zero_and_shares_the_workload_label(plan: Plan) -> None:
    by_name = {pool.name: pool for pool in plan.pools}
    for fallback in (pool for pool in by_name.values() if pool.fallback_of):
        spot = by_name[fallback.fallback_of or ""]
        assert (fallback.spot, fallback.min_count, fallback.purpose) == (False, 0, spot.purpose)
        assert fallback.labels["kubeflow-aks/workload"] == spot.labels["kubeflow-aks/workload"]


def names_are_unique_and_fit_aks(plan: Plan) -> None:
    names = [pool.name for pool in plan.pools]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch("[a-z][a-z0-9]{0,11}", name) for name in names)


def only_spot_pools_have_a_policy_and_a_price(plan: Plan) -> None:
    for pool in plan.pools:
        assert (pool.eviction_policy is not None) == (pool.max_price is not None) == pool.spot


def an_ephemeral_disk_is_never_deallocated(plan: Plan) -> None:
    ephemeral = (pool for pool in plan.pools if pool.os_disk.type == "Ephemeral")
    assert all(pool.eviction_policy != "Deallocate" for pool in ephemeral)


PROPERTIES = (
    exactly_spot_pools_carry_the_spot_label_and_taint,
    exactly_one_pool_is_untainted,
    a_fallback_scales_from_zero_and_shares_the_workload_label,
    names_are_unique_and_fit_aks,
    only_spot_pools_have_a_policy_and_a_price,
    an_ephemeral_disk_is_never_deallocated,
)


@settings(some, max_examples=60)
@given(pool_maps)
def test_what_holds_of_every_plan(pools: dict[str, Any]) -> None:
    plan = planned(pools=pools)
    for holds in PROPERTIES:
        holds(plan)


def plan_or_mistakes(raw: dict[str, Any]) -> None:
    """Plans; anything but a plan or mistakes of one line each is an error."""
    mistakes: SettingsError | None = None
    try:
        planned(**raw)
    except SettingsError as error:
        mistakes = error
    assert mistakes is None or 0 < len(mistakes.problems) == len(str(mistakes).splitlines())


_RANGES = ["8.8.8.0/24", "9.9.9.9"]
_LISTS: dict[str, Any] = {
    "apiAccess": {
        "authorizedIpRanges": _RANGES,
        "adminGroupObjectIds": ["6f0d3f5c-3f0e-4a53-9d0e-2f4c8f1b7a10"],
        "localAccounts": False,
    },
    "registry": {"sku": "Premium", "authorizedIpRanges": _RANGES},
    "monitoring": {"logs": ["guard", "kube-audit"]},
    "data": {"store": {"profiles": {"alice": {"serviceAccounts": ["default-editor", "trainer"]}}}},
    "officeHours": {"timeZone": "Europe/London", "days": ["Monday", "Friday"]},
    "systemPool": {"zones": ["1", "2"]},
}
_POOLS = {
    "general": {**GENERAL, "zones": ["1"]},
    "cpuspot": {
        "vmSize": "Standard_D8ds_v5",
        "vmSizes": ["Standard_D8ds_v5", "Standard_D8ads_v5"],
        "priority": "Spot",
        "maxCount": 10,
        "labels": {"team": "ml"},
        "taints": ["team=ml:NoSchedule"],
        "fallback": {"maxCount": 5},
    },
    "gpuspot": {**GPU_SPOT, "fallback": {"maxCount": 2}},
}
"""A value for each list and map, beside which no default is one."""


@functools.cache
def _every_setting() -> str:
    ssh = Ssh(public_key=SSH_KEY)
    sizes = {"Standard_D8s_v5": OwnVmSize(memory_gib=32)}
    lists = parse(stack(pools=_POOLS, **_LISTS))
    return lists.model_copy(update={"ssh": ssh, "vm_sizes": sizes}).model_dump_json(by_alias=True)


def every_setting() -> dict[str, Any]:
    """A stack that states every setting there is."""
    return json.loads(_every_setting())


def places(value: Json, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The path of every value inside a value."""
    if isinstance(value, dict):
        inner = list(cast(dict[str, Json], value).items())
    else:
        inner = list(enumerate(cast(list[Json], value))) if isinstance(value, list) else []
    for key, item in inner:
        yield (*path, key)
        yield from places(item, (*path, key))


PLACES = list(places(every_setting()))


@pytest.mark.parametrize("path", PLACES, ids=lambda path: ".".join(map(str, path)))
def test_a_value_that_a_preview_cannot_decrypt_breaks_no_rule(path: tuple[str | int, ...]) -> None:
    raw = every_setting()
    functools.reduce(operator.getitem, path[:-1], cast(Any, raw))[path[-1]] = ENCRYPTED
    if path == ("tags",) or (path[0], path[-1]) == ("pools", "maxCount"):  # no text, no default
        with pytest.raises(
            SettingsError, match=r"^[^\n]+: \[secret\] is not allowed; expected a value that is not"
        ):
            planned(**raw)
    else:
        assert planned(**raw).pools


REQUIRED: list[tuple[str | int, ...]] = [
    ("tags",),
    ("tags", "owner"),
    ("ssh", "publicKey"),
    ("pools", "general", "maxCount"),
    ("pools", "gpuspot", "fallback", "maxCount"),
    ("officeHours", "timeZone"),
]


@pytest.mark.parametrize("path", [*REQUIRED, *PLACES[1::9]], ids=lambda path: ".".join(map(str, path)))
def test_beside_a_value_of_a_wrong_form_the_rules_that_need_others_are_judged(
    path: tuple[str | int, ...],
) -> None:
    raw = every_setting() | {"created": "2030-01-01"}
    functools.reduce(operator.getitem, path[:-1], cast(Any, raw))[path[-1]] = [{}]
    with pytest.raises(SettingsError) as caught:
        planned(**raw)
    wrong, *others = [problem.key for problem in caught.value.problems]
    assert (wrong.partition(".")[0], others) == (path[0], ["created"])


@settings(some, max_examples=60)
@given(st.lists(st.tuples(st.sampled_from(PLACES), json_values), min_size=1, max_size=3))
def test_any_value_at_any_setting_gives_a_plan_or_mistakes(
    changes: list[tuple[tuple[str | int, ...], Json]],
) -> None:
    raw = every_setting()
    for path, value in changes:
        with contextlib.suppress(
            KeyError, IndexError, TypeError
        ):  # an earlier change may have taken it along
            functools.reduce(operator.getitem, path[:-1], cast(Any, raw))[path[-1]] = value
    plan_or_mistakes(raw)


@settings(some, max_examples=30)
@given(st.dictionaries(st.text(), json_values, max_size=4))
def test_any_json_at_all_gives_a_plan_or_mistakes(raw: dict[str, Json]) -> None:
    plan_or_mistakes({"tags": None} | raw)


def test_a_stack_that_states_every_setting_is_valid() -> None:
    planned(**every_setting())
