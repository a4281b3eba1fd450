"""Why a program did not run, in the engine's and the program's own words."""

from pathlib import Path

from pull_request.failures import failure, protected

POOL = "urn:pulumi:dev::kubeflow-aks::azure-native:containerservice:AgentPool::general"
KEPT = (
    f'unable to replace resource "{POOL}"\n'
    "as it is currently marked for protection. To unprotect the resource, remove the `protect` flag from the resource "
    "in your Pulumi program and run `pulumi up`"
)
"""What the engine 3.259.0 says in a preview."""


def test_what_is_refused_for_protection_is_named_once() -> None:
    assert protected([KEPT, KEPT, "preview failed"]) == (POOL,)


def test_another_error_beside_it_is_not_hidden() -> None:
    assert protected([KEPT, "no such VM size"]) == ()
    assert protected(["no such VM size"]) == ()


def test_no_error_is_no_protection() -> None:
    assert protected([]) == ()


def test_a_traceback_becomes_the_error_and_the_program_s_own_line(tmp_path: Path) -> None:
    program = tmp_path / "__main__.py"
    said = (
        "an unhandled error occurred: python inline source runtime error: boom\n"
        "Traceback (most recent call last):\n"
        f'  File "{program}", line 3, in <module>\n    run()\nValueError: boom\n'
    )
    assert failure([said], tmp_path, "") == "ValueError: boom (__main__.py line 3)"
