"""What can be read of a stack beside its mistakes."""

from typing import Any

import pytest

from settings import Parsed, parse
from settings.problems import ENCRYPTED

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


def test_only_what_has_a_mistake_is_left_out() -> None:
    parsed = read(location="northeurope", kubernetes={"version": "1.33", "tier": "Gold"})
    assert parsed.left_out == {"kubernetes.tier"}
    assert (parsed.settings.location, parsed.settings.kubernetes.version) == ("northeurope", "1.33")


def test_each_allowed_value_stands_in_once() -> None:
    parsed = read(pools={"work": {**WORK, "priority": "Spott", "maxPods": "many"}})
    assert {reading.pools["work"].priority for reading in parsed.readings} == {"Regular", "Spot"}
    assert {reading.pools["work"].max_pods for reading in parsed.readings} == {110, 10, 250}


def test_the_rest_of_a_pool_with_a_mistake_is_read() -> None:
    parsed = read(pools={"work": {**WORK, "minCount": 1, "maxCount": "ten"}})
    assert parsed.left_out == {"pools.work.maxCount"}
    assert {reading.pools["work"].min_count for reading in parsed.readings} == {1}


def test_what_stands_beside_a_value_that_cannot_be_read_is_read() -> None:
    parsed = read(ssh={"publicKey": 5, "adminUsername": "ada"})
    assert parsed.left_out == {"ssh.publicKey"}
    assert {reading.ssh and reading.ssh.admin_username for reading in parsed.readings} == {"ada"}


def test_an_entry_that_is_no_mapping_is_left_out_alone() -> None:
    parsed = read(pools={"work": WORK, "bad": 5})
    assert parsed.left_out == {"pools.bad"}
    assert list(parsed.settings.pools) == ["work"]


@pytest.mark.parametrize(
    "values",
    [
        {"tags": ENCRYPTED},
        {"tags": {"owner": ENCRYPTED, "environment": "dev", "more": ENCRYPTED}},
        {"ssh": {"publicKey": ENCRYPTED}},
        {"ssh": ENCRYPTED},
        {"pools": {"work": {**WORK, "zones": ["1", ENCRYPTED]}}},
        {"pools": {"work": {**WORK, "vmSize": ENCRYPTED}}},
        {"pools": {"work": {**WORK, "labels": {"team": ENCRYPTED}}}},
        {"kubeflow": {"guards": ENCRYPTED, "dnsLabel": ENCRYPTED}},
        {"location": ENCRYPTED, "asOf": ENCRYPTED},
    ],
)
def test_what_is_encrypted_is_no_mistake(values: dict[str, Any]) -> None:
    parsed = read(**values)
    assert parsed.problems == ()
    assert parsed.left_out


def test_an_unknown_key_with_an_encrypted_value_is_told_without_it() -> None:
    (problem,) = read(kubernetes={"verison": ENCRYPTED}).problems
    assert str(problem).startswith("kubernetes.verison: [secret] is not allowed; expected one of the keys")


def test_what_is_nested_too_deeply_is_told() -> None:
    value: list[Any] = []
    for _ in range(5000):
        value = [value]
    (problem,) = read(pools=value).problems
    assert str(problem) == "pools: '…' is not allowed; expected at most 20 levels of lists and mappings"


def test_a_date_without_quotes_is_told_with_what_to_write() -> None:
    told = read(
        asOf="2026-11-22 00:00:00 +0000 UTC", tags={**TAGS, "since": "2026-11-22 10:00:00 +0200 +0200"}
    )
    assert [str(problem).partition("; ")[2] for problem in told.problems] == [
        "expected '2026-11-22 10:00:00' in quotes; without them YAML reads a point in time",
        "expected '2026-11-22' in quotes; without them YAML reads a point in time",
    ]


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


def test_a_path_as_a_key_is_told_with_what_to_write() -> None:
    (problem,) = read(**{"pools.cpuspot.maxCount": 5}).problems
    assert str(problem).endswith("; write pools as a mapping, for a stack file knows no paths")
