"""Only a person at a terminal answers a question."""

from __future__ import annotations

import os
import pty
import sys

import pytest

from kubeflow_aks.cli.commands.drill import confirmed
from kubeflow_aks.exit_codes import UsageError


@pytest.mark.parametrize(
    ("typed", "agreed"),
    [("y\n", True), ("YES \n", True), ("\n", False), ("n\n", False), ("yesterday\n", False), ("\x04", False)],
)
def test_nothing_but_a_yes_agrees(monkeypatch: pytest.MonkeyPatch, typed: str, agreed: bool) -> None:
    ours, theirs = pty.openpty()
    try:
        with os.fdopen(theirs, encoding="utf-8") as terminal:
            monkeypatch.setattr(sys, "stdin", terminal)
            os.write(ours, typed.encode())
            assert confirmed("Start?") is agreed
    finally:
        os.close(ours)


def test_without_a_terminal_the_flag_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    with open(os.devnull, encoding="utf-8") as nobody:  # noqa: PTH123 - a stream, as stdin is
        monkeypatch.setattr(sys, "stdin", nobody)
        with pytest.raises(
            UsageError, match=r"^cannot ask for confirmation: stdin is not a terminal; pass --yes$"
        ):
            confirmed("Start?")
