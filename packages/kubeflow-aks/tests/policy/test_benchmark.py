"""Every rule of the public benchmark is there, has a source, and is kept or broken for a reason by every stack."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from kubeflow_aks.policy import RULES
from kubeflow_aks.policy.benchmark import RULES as BENCHMARK
from kubeflow_aks.policy.exceptions import load, stale
from kubeflow_aks.policy.plan import resources
from kubeflow_aks.policy.results import RuleResult, rule_results
from kubeflow_aks.policy.table import table
from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.recorder.document import plan_document
from kubeflow_aks.recorder.run import record
from tests.docs.citations import SOURCES, broken, is_source

_STACKS: Final = ("dev", "demo", "prod")
_ROWS: Final = load(PROJECT_ROOT, rules={rule.name for rule in RULES})
_ONLY_UP_KNOWS: Final = {"acr-nodes-only-pull", "address-dns-label"}
"""The subscription is part of a role's id, and made-up letters of the label."""


_OPTIONS: Final = {"kubeflow": {"returnToSpot": True}}
"""What makes pods that no stack of the repository has."""


def _results(stack: str, *, preview: bool, extra: Mapping[str, Any] | None = None) -> list[RuleResult]:
    planned = plan_document(record(stack, preview=preview, extra=extra))["resources"]
    return rule_results(stack, resources(planned), _ROWS, BENCHMARK)


def test_every_public_name_is_claimed_by_one_rule() -> None:
    listed: dict[str, list[str]] = yaml.safe_load((Path(__file__).parent / "benchmark_ids.yaml").read_text())
    names = [name for of_tool in listed.values() for name in of_tool]
    assert len(BENCHMARK) == 103
    assert table().keys() == {rule.name for rule in RULES}
    assert sorted(id_ for rule in BENCHMARK for id_ in rule.ids) == sorted(names)
    assert len(names) == len(set(names)) == 255


def test_every_rule_has_a_source_that_leads_somewhere() -> None:
    lost = [
        rule.source
        for rule in BENCHMARK
        if not is_source(rule.source, SOURCES) or broken(rule.source, SOURCES)
    ]
    assert lost == []


def test_public_rules_are_reported_and_never_fail_a_preview() -> None:
    assert [rule.name for rule in BENCHMARK if rule.mandatory] == []


@pytest.mark.parametrize(("stack", "extra"), [*((stack, None) for stack in _STACKS), ("prod", _OPTIONS)])
def test_a_stack_keeps_every_rule_or_breaks_it_for_a_reason(
    stack: str, extra: Mapping[str, Any] | None
) -> None:
    open_ = {it.rule.name: it.status for it in _results(stack, preview=False, extra=extra)}
    assert {name: status for name, status in open_.items() if status not in ("satisfied", "exception")} == {}


@pytest.mark.parametrize("stack", _STACKS)
def test_a_preview_decides_all_but_what_only_an_up_knows(stack: str) -> None:
    results = _results(stack, preview=True)
    assert {it.rule.name for it in results if it.status == "undecided"} == _ONLY_UP_KNOWS
    assert [it.rule.name for it in results if it.status == "violated"] == []


def test_no_exception_is_for_a_rule_that_is_kept() -> None:
    results = {
        stack: [it for result in _results(stack, preview=False, extra=_OPTIONS) for it in result.all]
        for stack in _STACKS
    }
    of_benchmark = [row for row in _ROWS if row.rule in {rule.name for rule in BENCHMARK}]
    assert [row for stack, all_ in results.items() for row in stale(of_benchmark, stack, all_)] == []
    needless = [
        row
        for row in of_benchmark  # one that names stacks by a glob, too
        if not any(row.covers(stack, it) for stack, all_ in results.items() for it in all_)
    ]
    assert needless == []


def test_an_exception_for_one_container_is_none_for_its_neighbour() -> None:
    planned = plan_document(record("dev", preview=False))["resources"]
    daemons = next(it for it in planned if it["name"].endswith("-inotify"))
    (beside,) = daemons["inputs"]["spec"]["template"]["spec"]["containers"]
    beside["securityContext"]["privileged"] = True
    (result,) = (
        it
        for it in rule_results("dev", resources(planned), _ROWS, BENCHMARK)
        if it.rule.name == "container-not-privileged"
    )
    assert [it.message.partition(":")[0] for it in result.violated] == ["container pause"]
    assert [it.message.partition(":")[0] for it, _ in result.accepted] == ["container raise"]
