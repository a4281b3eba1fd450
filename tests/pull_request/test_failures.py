"""A program's own words when it does not run, whatever they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from pull_request.failures import failure, protected

ROOT = Path("/nowhere")
CRASHED = "python inline source runtime error: x\nTraceback (most recent call last):\n"


@pytest.mark.parametrize(
    ("errors", "said"),
    [
        (["preview failed", "a: 1 is not allowed"], "a: 1 is not allowed"),
        (["the update failed\nand so did the preview"], "the update failed\nand so did the preview"),
        (["update failed"], "the program ended before it was through; it printed last: bye"),
        ([CRASHED + "SystemExit: 0"], "SystemExit: 0"),
    ],
)
def test_only_what_tells_nothing_is_left_out(errors: list[str], said: str) -> None:
    assert failure(errors, ROOT, "hello\nbye\n\n") == said


@pytest.mark.parametrize("piece", ["x", " ", "resource ", 'resource "urn:', '  File "a', "é\n", "failed "])
def test_an_endless_error_is_read_at_once_and_cut(piece: str) -> None:
    endless = piece * (3_000_000 // len(piece))
    assert len(failure([endless], ROOT, "")) <= 20_000
    assert len(failure([CRASHED + endless + "\nValueError: at last"], ROOT, "")) <= 20_000
    assert not protected([endless])


def test_the_end_of_an_endless_traceback_is_told() -> None:
    crashed = CRASHED.replace("error: x", f"error: {'x' * 100_000}")
    assert (
        failure([crashed + "  frame\n" * 100_000 + "ValueError: at last"], ROOT, "") == "ValueError: at last"
    )
