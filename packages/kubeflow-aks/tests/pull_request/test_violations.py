"""The rules of policy over what each of the two programs wants."""

from kubeflow_aks.pull_request.observed import SECRET, Run
from kubeflow_aks.pull_request.violations import violations_of

TOKEN = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJqdWp1In0.c2lnbmF0dXJlLW9mLXRoZS10b2tlbg"  # noqa: S105 - nobody's


def test_a_token_that_the_stack_exports_in_clear_is_reported() -> None:
    violations = violations_of("demo", Run(outputs={"jujuToken": TOKEN}), [])
    assert "no-secret-in-clear" in {violation.rule.name for violation in violations}


def test_a_secret_output_is_none_of_the_kind() -> None:
    violations = violations_of("demo", Run(outputs={"jujuToken": SECRET}), [])
    assert "no-secret-in-clear" not in {violation.rule.name for violation in violations}


def test_a_program_that_did_not_run_breaks_no_rule() -> None:
    assert violations_of("demo", Run(failure="boom"), []) == []
