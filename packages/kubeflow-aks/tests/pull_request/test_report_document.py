"""The document of a change: its schema, its order, and what it keeps of policy, quota, outputs and warnings."""

import json
import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import jsonschema
import pytest

from kubeflow_aks.policy.rule import Rule, Severity, Violation
from kubeflow_aks.pull_request.observed import SECRET, UNKNOWN, Difference, Observed, Resource, Run
from kubeflow_aks.pull_request.report import SCHEMA, ChangeDocument, change_document, comment, terminal
from kubeflow_aks.pull_request.violations import Judged
from tests.pull_request.observations import change, observed, pools, run, with_changes

VALIDATOR: Any = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
CHANGED = observed(run(), run(**pools(cpuspot={"vmSize": "Standard_D16ds_v5"}, general={"maxCount": 5})))
NAMESPACE = "kubernetes:core/v1:Namespace"


def violation(
    rule: str, urn: str = "urn", message: str = "m", *, severity: Severity = "low", mandatory: bool = False
) -> Violation:
    return Violation(Rule(rule, "it is so", "our own test", severity, mandatory), urn, message)


def document(
    observation: Observed, base: Sequence[Violation] = (), head: Sequence[Violation] = ()
) -> ChangeDocument:
    return change_document(observation, Judged(base, head))


@pytest.mark.parametrize(
    ("observation", "outcome"),
    [
        (CHANGED, "changed"),
        (observed(run(), run()), "unchanged"),
        (observed(None, run()), "new"),
        (observed(run(), None), "removed"),
        (observed(Run(failure="broken"), run()), "baseFailed"),
        (observed(run(), Run(failure="broken")), "headFailed"),
        (observed(Run(failure="broken"), Run(failure="broken")), "headFailed"),
        (observed(None, Run(failure="broken")), "headFailed"),
        (replace(observed(run(), Run(failure="other")), not_judged=("other",)), "notJudged"),
        (with_changes(base=Run(outputs={"a": 1}), head=Run(outputs={"a": 2})), "changed"),
        (
            with_changes(base=Run(outputs={"vcpuQuota": {"cores": 1}}), head=Run(outputs={"vcpuQuota": {}})),
            "changed",
        ),
    ],
)
def test_every_outcome_has_a_document_of_the_schema(observation: Observed, outcome: str) -> None:
    result = document(observation, [violation("a")], [violation("b")])
    VALIDATOR.validate(json.loads(json.dumps(result)))
    assert result["outcome"] == outcome
    assert result["cost"] is None


def test_a_program_that_can_not_be_run_here_is_not_reported_to_fail_or_to_need_nothing() -> None:
    base = Run(outputs={"vcpuQuota": {"cores": 8}})
    observation = replace(observed(base, Run(failure="other")), not_judged=("other",))
    text = comment([document(observation)])
    assert "can't be run here" in text
    assert "does not run" not in text
    assert "vCPU quota" not in text


def test_removed_protection_is_a_change_though_no_resource_is_one() -> None:
    before, after = (
        Run({"u": Resource("u", NAMESPACE, "n", {}, protect=protect)}) for protect in (True, False)
    )
    observation = observed(before, after)
    assert document(observation)["outcome"] == "changed"
    assert "Protection is removed" in comment([document(observation)])
    assert any("Protection is removed" in line for line in terminal(document(observation), 110))


def test_protection_that_is_added_is_a_change_too() -> None:
    before, after = (
        Run({"u": Resource("u", NAMESPACE, "n", {}, protect=protect)}) for protect in (False, True)
    )
    assert document(observed(before, after))["outcome"] == "changed"
    assert "refuses to delete or replace" in comment([document(observed(before, after))])


def test_the_schema_refuses_what_no_program_of_ours_wrote() -> None:
    result: Any = document(CHANGED)
    wrongs: list[dict[str, Any]] = [
        {"version": 2}, {"extra": 1}, {"stack": 1}, {"words": [{"kind": "a"}]}, {"cost": {}}
    ]  # fmt: skip
    for wrong in wrongs:
        assert not VALIDATOR.is_valid({**result, **wrong})


def test_the_order_is_always_the_same() -> None:
    shuffled = list(CHANGED.changes)
    random.Random(1).shuffle(shuffled)  # noqa: S311 - an order, no secret
    again = document(replace(CHANGED, changes=tuple(shuffled)))
    assert json.dumps(again) == json.dumps(document(CHANGED))
    assert [one["action"] for one in again["changes"]] == sorted(
        (one["action"] for one in again["changes"]), key=["replace", "delete", "create", "update"].index
    )


def test_counts_are_of_the_changes() -> None:
    observation = with_changes(
        *(change(action, NAMESPACE, action) for action in ("create", "update", "replace", "delete"))
    )
    assert document(observation)["counts"] == {"replace": 1, "delete": 1, "create": 1, "update": 1, "same": 0}
    resources = len(run().resources)
    assert document(observed(run(), run()))["counts"]["same"] == resources
    assert document(CHANGED)["counts"]["same"] < resources


def test_a_violation_is_new_or_gone_or_stays() -> None:
    stays = violation("stays", message="3 nodes")
    other_words = violation("stays", message="4 nodes")
    policy = document(
        CHANGED,
        [stays, violation("gone"), violation("one of two"), violation("one of two", message="n")],
        [other_words, violation("new"), violation("one of two")],
    )["policy"]
    assert [one["rule"] for one in policy["new"]] == ["new"]
    assert [one["rule"] for one in policy["gone"]] == ["gone", "one of two"]
    assert [(one["rule"], one["message"]) for one in policy["staying"]] == [
        ("one of two", "m"),
        ("stays", "4 nodes"),
    ]


def test_a_violation_that_an_exception_accepts_from_now_on_is_not_called_gone() -> None:
    accepted, mended = violation("accepted"), violation("mended")
    policy = change_document(CHANGED, Judged([accepted, mended], [], [accepted]))["policy"]
    assert [one["rule"] for one in policy["accepted"]] == ["accepted"]
    assert [one["rule"] for one in policy["gone"]] == ["mended"]


def test_mandatory_and_severe_violations_come_first() -> None:
    entries = document(
        CHANGED,
        (),
        [
            violation("a"),
            violation("b", severity="high"),
            violation("c", mandatory=True),
            violation("d", severity="medium"),
        ],
    )["policy"]["new"]
    assert [one["rule"] for one in entries] == ["c", "b", "d", "a"]


def test_nothing_is_called_gone_where_the_head_was_not_judged() -> None:
    result = document(observed(run(), Run(failure="broken")), [violation("a")])
    assert not any(result["policy"].values())
    assert not any(document(observed(run(), None), [violation("a")])["policy"].values())


def test_quota_is_reported_where_it_changes_the_sums_last() -> None:
    base = Run(outputs={"vcpuQuota": {"cores": 10, "lowPriorityCores": 4, "zFamily": 6, "aFamily": 4}})
    head = Run(outputs={"vcpuQuota": {"cores": 12, "lowPriorityCores": 4, "zFamily": 8, "bFamily": 4}})
    assert document(with_changes(base=base, head=head))["quota"] == [
        {"family": "aFamily", "before": 4, "after": 0},
        {"family": "bFamily", "before": 0, "after": 4},
        {"family": "zFamily", "before": 6, "after": 8},
        {"family": "cores", "before": 10, "after": 12},
    ]
    unknown = Run(outputs={"vcpuQuota": UNKNOWN})
    assert document(with_changes(base=Run(outputs={"vcpuQuota": {"a": 1}}), head=unknown))["quota"] == [
        {"family": "a", "before": 1, "after": None}
    ]
    assert document(with_changes(base=None, head=base))["quota"][-1] == {
        "family": "lowPriorityCores",
        "before": 0,
        "after": 4,
    }


def test_outputs_that_only_an_up_knows_again_are_no_news() -> None:
    base = Run(outputs={"fqdn": "a", "gone": 1, "same": 2, "token": SECRET, "poolContract": []})
    head = Run(outputs={"fqdn": UNKNOWN, "same": 2, "token": SECRET, "fresh": UNKNOWN, "poolContract": [1]})
    assert document(with_changes(base=base, head=head))["outputs"] == [
        {"name": "fresh", "before": None, "after": UNKNOWN},
        {"name": "gone", "before": 1, "after": None},
    ]


def test_warnings_that_are_new_gone_and_staying() -> None:
    result = document(with_changes(base=Run(warnings=("a", "b")), head=Run(warnings=("b", "c"))))
    assert result["warnings"] == {"new": ["c"], "gone": ["a"], "staying": ["b"]}


def test_the_document_has_forcing_properties_and_kinds_of_changes() -> None:
    difference = Difference("metadata.name", "update", "a", "b")
    observation = with_changes(
        replace(change("replace", NAMESPACE, "n", difference, forced_by="metadata.name"), simulated=False)
    )
    (entry,) = document(observation)["changes"]
    assert entry == {
        "urn": f"urn:pulumi:demo::kubeflow-aks::{NAMESPACE}::n",
        "type": NAMESPACE,
        "name": "n",
        "action": "replace",
        "forcedBy": ["metadata.name"],
        "simulated": False,
        "differences": [{"path": "metadata.name", "kind": "update", "before": "a", "after": "b"}],
    }
