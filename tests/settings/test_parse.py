"""What can be read of a stack beside its mistakes."""

from typing import Any

from settings import Parsed, parse

TAGS = {"owner": "ml", "environment": "dev"}
WORK = {"vmSize": "Standard_D8ds_v5", "priority": "Spot", "maxCount": 10}


def read(**keys: Any) -> Parsed:
    return parse({"tags": TAGS, **keys})


def test_a_stack_that_states_its_tags_only_has_every_default() -> None:
    parsed = read()
    assert parsed.problems == ()
    assert list(parsed.settings.pools) == ["general", "cpuspot", "gpuspot"]


def test_keys_are_camel_case_outside_and_snake_case_inside() -> None:
    assert read(apiAccess={"privateCluster": True}).settings.api_access.private_cluster


def test_pools_of_a_stack_replace_the_standard_ones() -> None:
    assert list(read(pools={"work": WORK}).settings.pools) == ["work"]


def test_a_part_with_a_mistake_has_its_defaults_and_is_named() -> None:
    parsed = read(location="northeurope", kubernetes={"version": "1.33", "tier": "Gold"})
    assert parsed.left_out == {"kubernetes"}
    assert (parsed.settings.location, parsed.settings.kubernetes.version) == ("northeurope", "1.34")


def test_a_pool_with_a_mistake_is_left_out_alone() -> None:
    parsed = read(pools={"work": WORK, "bad": {**WORK, "maxCount": "ten"}})
    assert (parsed.left_out, list(parsed.settings.pools)) == ({"pools.bad"}, ["work"])


def test_an_unknown_key_costs_nothing_but_itself() -> None:
    parsed = read(kubernetes={"version": "1.33", "verison": "1.32"})
    assert (parsed.left_out, parsed.settings.kubernetes.version) == (set(), "1.33")


def test_the_values_given_are_not_changed() -> None:
    raw = {"tags": TAGS, "kubernetes": {"verison": "1.34"}}
    parse(raw)
    assert raw == {"tags": TAGS, "kubernetes": {"verison": "1.34"}}


def test_two_mistakes_of_one_part_are_both_told() -> None:
    parsed = read(pools={"bad": {"vmSize": 5, "maxCount": "ten", "minCuont": 1}})
    assert [problem.key for problem in parsed.problems] == [
        "pools.bad.vmSize",
        "pools.bad.maxCount",
        "pools.bad.minCuont",
    ]
