"""A program's own words when it does not run, whatever they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from kubeflow_aks.pull_request.failures import failure, protected

ROOT = Path("/nowhere")
CRASHED = "python inline source runtime error: x\nTraceback (most recent call last):\n"


@pytest.mark.parametrize(
    ("errors", "message"),
    [
        (["preview failed", "a: 1 is not allowed"], "a: 1 is not allowed"),
        (["the update failed\nand so did the preview"], "the update failed\nand so did the preview"),
        (["update failed"], "the program exited before it was complete; its last output: bye"),
        ([CRASHED + "SystemExit: 0"], "SystemExit: 0"),
    ],
)
def test_only_lines_without_information_are_left_out(errors: list[str], message: str) -> None:
    assert failure(errors, ROOT, "hello\nbye\n\n") == message


@pytest.mark.parametrize("piece", ["x", " ", "resource ", 'resource "urn:', '  File "a', "é\n", "failed "])
def test_an_endless_error_is_read_at_once_and_cut(piece: str) -> None:
    endless = piece * (3_000_000 // len(piece))
    assert len(failure([endless], ROOT, "")) <= 20_000
    assert len(failure([CRASHED + endless + "\nValueError: at last"], ROOT, "")) <= 20_000
    assert not protected([endless])


def test_the_end_of_an_endless_traceback_is_reported() -> None:
    crashed = CRASHED.replace("error: x", f"error: {'x' * 100_000}")
    assert (
        failure([crashed + "  frame\n" * 100_000 + "ValueError: at last"], ROOT, "") == "ValueError: at last"
    )


POOL = "urn:pulumi:dev::kubeflow-aks::azure-native:containerservice:AgentPool::general"
KEPT = (
    f'unable to replace resource "{POOL}"\n'
    "as it is currently marked for protection. To unprotect the resource, remove the `protect` flag from the resource "
    "in your Pulumi program and run `pulumi up`"
)
"""What the engine 3.274.1 says in a preview."""


def test_what_is_refused_for_protection_is_named_once() -> None:
    assert protected([KEPT, KEPT, "preview failed"]) == (POOL,)


@pytest.mark.parametrize(
    "error",
    [
        f'unable to replace resource "{POOL}" as part of replacing "urn:x" as it is currently marked for protection. …',
        f'Preview failed: resource "{POOL}" cannot be deleted\nbecause it is protected. To unprotect the resource, …',
    ],
)
def test_what_goes_with_another_or_for_good_is_named_too(error: str) -> None:
    assert protected([error, "preview failed"]) == (POOL,)


def test_another_error_beside_it_is_not_hidden() -> None:
    assert protected([KEPT, "no such VM size"]) == ()
    assert protected(["no such VM size"]) == ()


def test_no_error_is_no_protection() -> None:
    assert protected([]) == ()


URN = "urn:pulumi:dev::small::test:index:Thing::kept"
HOW = "To unprotect the resource, remove the `protect` flag from the resource in your Pulumi program"


@pytest.mark.parametrize(
    "error",
    [
        f'unable to replace resource "{URN}"\nas it is currently marked for protection. {HOW}',
        f'unable to replace resource "{URN}" as part of replacing "{URN}-2" as it is currently marked for protection.',
        f'Preview failed: resource "{URN}" cannot be deleted\nbecause it is protected. {HOW}',
    ],
)
def test_what_the_engine_refuses_because_it_is_protected_is_known(error: str) -> None:
    assert protected([error, "preview failed", error]) == (URN,)
    assert protected([error, "something else"]) == ()
