"""The rules of policy over what each of the two programs wants, each with the exceptions of its own tree."""

import datetime
from pathlib import Path

import pytest

from kubeflow_aks.policy.exceptions import FILE, Accepted, ExceptionsError
from kubeflow_aks.pull_request.observed import SECRET, Run
from kubeflow_aks.pull_request.report import change_document, comment
from kubeflow_aks.pull_request.violations import Exceptions, Judged, judge
from tests.pull_request.observations import observed

TOKEN = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJqdWp1In0.c2lnbmF0dXJlLW9mLXRoZS10b2tlbg"  # noqa: S105 - nobody's
RULE = "no-secret-in-clear"
LEAKING = Run(outputs={"jujuToken": TOKEN})
DAY = datetime.date(2026, 11, 22)
ACCEPTED = Accepted(RULE, ("demo",), "nobody's token", DAY, datetime.date(2027, 11, 22), "our own test")
ROW = f"""
- rule: {RULE}
  stacks: [demo]
  reason: nobody's token
  date: 2026-11-22
  expiresOn: 2027-11-22
  source: our own test
"""


def judged(
    base: Run, head: Run, before: tuple[Accepted, ...] = (), after: tuple[Accepted, ...] = ()
) -> Judged:
    return judge(observed(base, head), Exceptions(before, after))


def rules(violations: object) -> set[str]:
    return {violation.rule.name for violation in violations}  # pyright: ignore


def test_a_token_that_the_stack_exports_in_clear_is_reported() -> None:
    assert RULE in rules(judged(Run(), LEAKING).head)
    assert RULE not in rules(judged(LEAKING, Run()).head)


def test_a_secret_output_is_none_of_the_kind() -> None:
    assert RULE not in rules(judged(Run(), Run(outputs={"jujuToken": SECRET})).head)


def test_a_program_that_did_not_run_breaks_no_rule() -> None:
    assert judged(Run(failure="boom"), Run(failure="boom")) == Judged([], [], [], [])


def test_an_exception_that_is_added_is_reported_and_what_it_accepts_is_not_called_gone() -> None:
    result = judged(LEAKING, LEAKING, after=(ACCEPTED,))
    assert RULE in rules(result.base)
    assert RULE not in rules(result.head)
    text = comment([change_document(observed(LEAKING, LEAKING), result)])
    assert "| 1 accepted" in text
    assert (
        f"> - The exception of rule `{RULE}` is added: it accepts 1 violation until `2027-11-22`. Its reason: nobody's"
    ) in text


def test_an_exception_that_is_removed_makes_its_violations_new() -> None:
    text = comment(
        [change_document(observed(LEAKING, LEAKING), judged(LEAKING, LEAKING, before=(ACCEPTED,)))]
    )
    assert "1 new" in text
    assert (
        f"The exception of rule `{RULE}` is removed: it accepted 1 violation, which count from now on."
        in text
    )


def test_an_exception_that_stays_or_is_for_another_stack_is_not_mentioned() -> None:
    other = Accepted(RULE, ("prod",), "r", DAY, datetime.date(2027, 11, 22), "s")
    assert judged(LEAKING, LEAKING, (ACCEPTED,), (ACCEPTED, other)).exceptions == []


def test_each_tree_has_its_own_rows_and_a_base_that_cannot_be_read_is_noted(tmp_path: Path) -> None:
    base, head = tmp_path / "base", tmp_path / "head"
    base.mkdir()
    head.mkdir()
    (head / FILE).write_text(ROW)
    assert Exceptions.of(base, head) == Exceptions((), (ACCEPTED,))
    (base / FILE).write_text("- rule: of-yesterday\n")
    [note] = Exceptions.of(base, head).notes
    assert FILE in note
    with pytest.raises(ExceptionsError):
        Exceptions.of(head, base)
