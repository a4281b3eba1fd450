"""Somebody at a terminal agrees to a drill, or does not."""

from __future__ import annotations

import os
import pty
import sys

import pytest

from drill.__main__ import _agreed  # pyright: ignore[reportPrivateUsage]
from drill.errors import DrillError


@pytest.mark.parametrize(
    ("typed", "agreed"),
    [("y\n", True), ("YES \n", True), ("\n", False), ("n\n", False), ("yesterday\n", False), ("\x04", False)],
)
def test_nothing_but_a_yes_agrees(monkeypatch: pytest.MonkeyPatch, typed: str, agreed: bool) -> None:  # noqa: FBT001
    ours, theirs = pty.openpty()
    try:
        with os.fdopen(theirs, encoding="utf-8") as terminal:
            monkeypatch.setattr(sys, "stdin", terminal)
            os.write(ours, typed.encode())
            assert _agreed() is agreed
    finally:
        os.close(ours)


def test_where_nobody_can_be_asked_the_drill_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with open(os.devnull, encoding="utf-8") as nobody:  # noqa: PTH123 - a stream, as stdin is
        monkeypatch.setattr(sys, "stdin", nobody)
        with pytest.raises(DrillError, match="say --yes"):
            _agreed()
