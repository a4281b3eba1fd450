"""Each rule tells of what breaks it, with exactly these words, and lets its neighbours pass."""

from functools import partial
from pathlib import Path

import pytest

from kubeflow_aks.policy import RULES
from kubeflow_aks.policy.plan import resources
from kubeflow_aks.recorder.document import planned_resources
from kubeflow_aks.recorder.run import record
from tests.policy.registering_program import register
from tests.policy.violating_table import Case, cases

_CASES = cases()
_RULES = {rule.name: rule for rule in RULES}


def test_names_of_rules_are_unique() -> None:
    assert len(_RULES) == len(RULES)


def test_a_rule_looks_at_one_resource_or_at_all() -> None:
    assert [rule.name for rule in RULES if (rule.per_resource is None) == (rule.every is None)] == []


def test_each_rule_has_a_case_that_breaks_it_and_one_that_passes() -> None:
    breaks = {case.rule for case in _CASES if case.expected}
    passes = {case.rule for case in _CASES if not case.expected}
    assert breaks == passes == set(_RULES)


@pytest.mark.parametrize("case", _CASES, ids=str)
def test_a_rule_as_plain_function(case: Case) -> None:
    reported = _RULES[case.rule].violations([it.resource for it in case.registered])
    violations = [(it.urn.rpartition("::")[2], it.message) for it in reported if not it.undecided]
    assert sorted(violations) == sorted(case.expected)


@pytest.mark.parametrize("case", _CASES, ids=str)
def test_a_rule_over_what_a_program_asks_for(case: Case, tmp_path: Path) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: test\nruntime: python\n")
    (tmp_path / "Pulumi.test.yaml").write_text("")
    recorded = record("test", root=tmp_path, preview=True, program=partial(register, case.registered))
    reported = _RULES[case.rule].violations(resources(planned_resources(recorded)))
    violations = [(it.urn.rpartition("::")[2], it.message) for it in reported if not it.undecided]
    assert sorted(violations) == sorted(case.expected)
