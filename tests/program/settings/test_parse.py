"""Values are read into settings, or every mistake of form is reported."""

import re
from typing import Any

import pytest

from program.settings import Settings, SettingsError, parse
from program.settings._model import ENCRYPTED, UnreadError
from program.settings.encrypted import judged, readable
from program.settings.parse import read as read_raw

TAGS = {"owner": "ml", "environment": "dev"}
WORK = {"vmSize": "Standard_D8ds_v5", "priority": "Spot", "maxCount": 10}


def read(**keys: Any) -> Settings:
    return parse({"tags": TAGS, **keys})


def as_rules_read(raw: dict[str, Any]) -> Settings:
    """The settings as rules read them."""
    reading = read_raw(raw)
    assert reading.settings
    return readable(reading.settings, reading.unread)


def mistakes(**keys: Any) -> list[str]:
    """One line for each mistake."""
    with pytest.raises(SettingsError) as caught:
        read(**keys)
    return str(caught.value).splitlines()


def test_a_stack_that_sets_its_tags_only_has_every_default() -> None:
    assert list(read().pools) == ["general", "cpuspot", "gpuspot"]


def test_keys_are_camel_case_outside_and_snake_case_inside() -> None:
    assert read(apiAccess={"privateCluster": True}).api_access.private_cluster


def test_pools_of_a_stack_replace_the_standard_ones() -> None:
    assert list(read(pools={"work": WORK}).pools) == ["work"]


@pytest.mark.parametrize(
    ("values", "line"),
    [
        ({"system_pool": {}}, r"^system_pool: .*; did you mean systemPool\?$"),
        ({"systemPool": {"vm_size": "x"}}, r"^systemPool\.vm_size: 'x' is .*; did you mean vmSize\?$"),
        (
            {"pools": {"a": WORK | {"max_pods": 30}}},
            r"^pools\.a\.max_pods: 30 is .*; did you mean maxPods\?$",
        ),
        (
            {"pools": {"a": {"vmSize": "x", "max_count": 3}}},
            r"^pools\.a\.max_count: 3 is .*; did you mean maxCount\?$",
        ),
        (
            {"pools": {"a": WORK | {"os_disk": {"size_gib": 64}}}},
            r"^pools\.a\.os_disk: .*; did you mean osDisk\?$",
        ),
        (
            {"pools": {"a": {"vmSize": "x", "maxCuont": 3}}},
            r"^pools\.a\.maxCuont: .*; did you mean maxCount\?$",
        ),
    ],
)
def test_a_key_in_snake_case_or_misspelt_is_refused_with_the_key_to_write(
    values: dict[str, Any], line: str
) -> None:
    (mistake,) = mistakes(**values)
    assert re.search(line, mistake), mistake


@pytest.mark.parametrize(
    "values",
    [
        {"tags": {"owner": ENCRYPTED, "environment": "dev", "more": ENCRYPTED}},
        {"ssh": {"publicKey": ENCRYPTED}},
        {"ssh": ENCRYPTED},
        {"pools": {"work": {**WORK, "zones": ["1", ENCRYPTED]}}},
        {"pools": {"work": {**WORK, "vmSize": ENCRYPTED}}},
        {"pools": {"work": {**WORK, "labels": {"team": ENCRYPTED}}}},
        {"pools": {"work": ENCRYPTED}},
        {"kubeflow": {"guards": ENCRYPTED, "dnsLabel": ENCRYPTED}},
        {"location": ENCRYPTED, "asOf": ENCRYPTED},
    ],
)
def test_an_encrypted_value_is_no_mistake(values: dict[str, Any]) -> None:
    assert read(**values)


def test_an_unknown_key_with_an_encrypted_value_is_refused_without_it() -> None:
    (line,) = mistakes(kubernetes={"verison": ENCRYPTED})
    assert line.startswith("kubernetes.verison: [secret] is not allowed; expected one of the keys")


def test_reading_an_encrypted_setting_raises() -> None:
    raw = {
        "tags": {**TAGS, "more": ENCRYPTED},
        "location": ENCRYPTED,
        "kubernetes": {"version": ENCRYPTED, "tier": "Standard"},
        "pools": {"a": WORK, "b": {**WORK, "zones": [ENCRYPTED], "labels": {"x": ENCRYPTED}}},
    }
    settings = as_rules_read(raw)
    assert settings.kubernetes.tier == "Standard"
    assert dict(settings.pools["a"])["zones"] == ()
    assert settings.pools["b"].max_count == 10
    for read_encrypted in (
        lambda: settings.location,
        lambda: settings.tags,
        lambda: settings.kubernetes.version,
        lambda: settings.pools["b"].zones,
        lambda: settings.pools["b"].labels,
        lambda: dict[str, object](settings.pools["b"]),
    ):
        with pytest.raises(UnreadError):
            read_encrypted()


def test_a_rule_ends_where_it_reads_an_encrypted_setting_and_the_next_one_goes_on() -> None:
    raw = {"tags": TAGS, "location": ENCRYPTED}
    settings = as_rules_read(raw)

    def rule() -> Any:
        yield "before"
        yield settings.location

    assert list(judged(rule, lambda: iter(["next"]))) == ["before", "next"]


def test_a_value_nested_too_deeply_is_refused() -> None:
    value: list[Any] = []
    for _ in range(5000):
        value = [value]
    assert mistakes(pools=value) == [
        "pools: '…' is not allowed; expected at most 20 levels of lists and mappings"
    ]


def test_a_date_without_quotes_is_refused_with_what_to_write() -> None:
    lines = mistakes(
        asOf="2026-11-22 00:00:00 +0000 UTC", tags={**TAGS, "since": "2026-11-22 10:00:00 +0200 +0200"}
    )
    assert [line.partition("; ")[2] for line in lines] == [
        "expected '2026-11-22 10:00:00' in quotes; without them YAML reads a point in time",
        "expected '2026-11-22' in quotes; without them YAML reads a point in time",
    ]


def test_the_values_given_are_not_changed() -> None:
    raw = {"tags": TAGS, "kubernetes": {"version": ENCRYPTED}}
    as_rules_read(raw)
    assert raw == {"tags": TAGS, "kubernetes": {"version": ENCRYPTED}}


def test_all_mistakes_of_form_are_reported_at_once() -> None:
    lines = mistakes(pools={"bad": {"vmSize": 5, "maxCount": "ten", "minCuont": 1}})
    assert [line.partition(": ")[0] for line in lines] == [
        "pools.bad.vmSize",
        "pools.bad.maxCount",
        "pools.bad.minCuont",
    ]


def test_a_path_as_a_key_is_refused_with_what_to_write() -> None:
    (line,) = mistakes(**{"pools.cpuspot.maxCount": 5})
    assert line.endswith("; write pools as a mapping, for a stack file knows no paths")
