"""Renaming a component's child: with an alias the engine knows it again, without one it makes another."""

from __future__ import annotations

from pathlib import Path

from tests.local.components.conftest import Make

PROGRAM = Path(__file__).parents[1] / "programs" / "renamed"


def test_a_renamed_child_is_made_anew_but_for_an_alias(make: Make) -> None:
    make(PROGRAM).up()
    planned = make(PROGRAM, child="new").preview()
    assert {"create", "delete"} <= set(planned.changes)
    done = make(PROGRAM, child="new", alias="old").up()
    assert set(done.changes) == {"same"}
