"""The picture of the pools before and after."""

from dataclasses import replace
from typing import Any

import pytest

from kubeflow_aks.pull_request.observed import Run
from kubeflow_aks.pull_request.report.pool_entries import picture, pool_entries
from tests.pull_request.observations import DEMO_POOLS, observed, pools, run


def boxes(observation: Any) -> list[str]:
    return [line.partition("[")[2] for line in picture(pool_entries(observation)) if "[" in line]


def test_a_box_for_each_pool_says_what_becomes_of_it() -> None:
    fresh = {"vmSize": "Standard_D4s_v5", "maxCount": 2, "taints": ["a=b:NoSchedule"]}
    gone = {"vmSize": "Standard_NC4as_T4_v3", "priority": "Spot", "maxCount": 2}
    edited = pools(
        general={"maxCount": 5}, cpuspot={"vmSize": "Standard_D16ds_v5", "maxCount": 20}, fresh=fresh
    )
    assert boxes(observed(run(**pools(gone=gone)), run(**edited))) == [
        '"system: unchanged<br/>Standard_D4s_v5<br/>on demand<br/>2–3 nodes"]:::unchanged',
        '"general: updated<br/>Standard_D8s_v5<br/>on demand<br/>2–3 nodes → 2–5 nodes"]:::updated',
        '"cpuspot: replaced<br/>Standard_D8ds_v5 → Standard_D16ds_v5<br/>spot<br/>0–10 nodes → 0–20 nodes"]:::replaced',
        '"cpuod: unchanged<br/>Standard_D8ds_v5<br/>on demand<br/>0–4 nodes"]:::unchanged',
        '"fresh: added<br/>Standard_D4s_v5<br/>on demand<br/>0–2 nodes"]:::added',
        '"gone: removed<br/>Standard_NC4as_T4_v3<br/>spot<br/>0–2 nodes"]:::removed',
    ]


def test_a_pool_that_another_resource_stands_for_is_replaced_unless_an_alias_keeps_it() -> None:
    base = run()
    other = {urn.replace("::kubeflow-aks-", "::other-"): one for urn, one in base.resources.items()}
    head = replace(base, resources={urn: replace(one, urn=urn) for urn, one in other.items()})
    dropped = observed(base, head)
    assert {entry["change"] for entry in pool_entries(dropped)} == {"replaced"}
    assert {entry["change"] for entry in pool_entries(replace(dropped, changes=()))} == {"unchanged"}


def test_an_arrow_leads_from_a_spot_pool_to_its_fallback() -> None:
    lines = picture(pool_entries(observed(run(**pools()), run(**pools(general={"maxCount": 5})))))
    assert [line for line in lines if "sold out" in line] == ['  pool2 -. "sold out" .-> pool3']


def test_every_style_that_is_used_is_there() -> None:
    lines = picture(pool_entries(observed(None, run())))
    assert {line.rpartition(":::")[2] for line in lines if ":::" in line} == {"added"}
    assert any(line.startswith("  classDef added ") for line in lines)


@pytest.mark.parametrize(
    "observation",
    [
        observed(run(), run()),
        observed(run(), None),
        observed(run(), Run(failure="x")),
        observed(Run(), Run()),
    ],
    ids=["unchanged", "removed", "failed", "no pools"],
)
def test_there_is_no_picture_where_no_pool_changes(observation: Any) -> None:
    assert picture(pool_entries(observation)) == []


def test_a_name_that_is_none_is_a_question_mark() -> None:
    (entry,) = (
        one
        for one in pool_entries(observed(None, run(pools={"general": DEMO_POOLS["general"]})))
        if one["name"] == "general"
    )
    assert '["?: added<br/>' in picture([{**entry, "name": 'a"]:::x --> b'}])[1]


def test_a_picture_of_very_many_pools_is_left_out() -> None:
    (entry, *_) = pool_entries(observed(None, run()))
    assert picture([entry] * 40)
    assert picture([entry] * 41) == []
