"""Renaming a component's child: with an alias the engine knows it again, without one it makes another."""

from __future__ import annotations

from pathlib import Path

from tests.local.components.conftest import Make

PROGRAM = Path(__file__).parents[1] / "programs" / "renamed"


def test_a_renamed_child_with_an_alias_is_no_replacement(make: Make) -> None:
    make(PROGRAM).up()
    done = make(PROGRAM, child="new", alias="old").up()
    assert set(done.changes) == {"same"}


def test_a_renamed_child_without_one_is_made_anew(make: Make) -> None:
    make(PROGRAM).up()
    planned = make(PROGRAM, child="new").preview()
    assert {"create", "delete"} <= set(planned.changes)
