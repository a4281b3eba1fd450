"""States of bases: stored completely, restored, and made again if they are damaged."""

from __future__ import annotations

import os
import time
from datetime import date
from pathlib import Path

import pytest

from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.pull_request.bases import Bases, key_of
from kubeflow_aks.pull_request.observed import Resource, Run

RUN = Run(
    {"urn": Resource("urn", "type", "name", {"a": [1]}, protect=True, ignore_changes=("a",))},
    {"o": 1},
    ("w",),
)


@pytest.fixture
def bases(tmp_path: Path) -> Bases:
    (tmp_path / "bases").mkdir()
    return Bases(tmp_path / "bases")


def _state(folder: Path) -> RunDirectory:
    run = RunDirectory.at(folder)
    run.pulumi_state.mkdir(parents=True)
    (run.pulumi_state / "stack.json").write_text("the state")
    assert run.passphrase()
    return run


def test_a_stored_state_is_found_again_for_its_owner_only(bases: Bases, tmp_path: Path) -> None:
    made = _state(tmp_path / "made")
    bases.store("key", made, RUN)
    into = RunDirectory.at(tmp_path / "into")
    assert bases.restore("key", into) == RUN
    assert RunDirectory.existing(into.root) == into
    assert (into.pulumi_state / "stack.json").read_text() == "the state"
    assert into.passphrase() == made.passphrase()
    assert (bases.folder / "key").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("damaged", ["pulumi/state/stack.json", "base.json"])
def test_a_damaged_one_is_none_and_goes(bases: Bases, tmp_path: Path, damaged: str) -> None:
    bases.store("key", _state(tmp_path / "made"), RUN)
    (bases.folder / "key" / damaged).write_text("cut o")
    into = RunDirectory.at(tmp_path / "into")
    assert bases.restore("key", into) is None
    assert [file.name for file in into.root.iterdir()] == [".local-aks"]
    assert list(bases.folder.iterdir()) == []
    assert bases.restore("key", into) is None
    bases.store("key", _state(tmp_path / "again"), RUN)
    assert bases.restore("key", into) == RUN


def test_the_oldest_go(bases: Bases, tmp_path: Path) -> None:
    made = _state(tmp_path / "made")
    for number in range(22):
        bases.store(f"key{number}", made, RUN)
        used = time.time() - (40 * 86_400 if number == 21 else 1000 - number)
        os.utime(bases.folder / f"key{number}" / "base.json", (used, used))
    bases.store("newest", made, RUN)
    assert {folder.name for folder in bases.folder.iterdir()} == {
        *(f"key{n}" for n in range(2, 21)),
        "newest",
    }


def test_a_key_changes_with_all_that_a_state_depends_on() -> None:
    day = date(2026, 9, 1).isoformat()
    keys = {
        key_of("tree", "dev", b"lock", {}, day),
        key_of("other", "dev", b"lock", {}, day),
        key_of("tree", "prod", b"lock", {}, day),
        key_of("tree", "dev", b"other", {}, day),
        key_of("tree", "dev", b"lock", {"asOf": day}, day),
        key_of("tree", "dev", b"lock", {}, "2026-09-02"),
    }
    assert len(keys) == 6
    assert key_of("tree", "dev", b"lock", {}, day) in keys


def test_a_key_changes_with_the_code_that_makes_the_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def key() -> str:
        return key_of("tree", "dev", b"lock", {}, "2026-09-01")

    before = key()
    monkeypatch.setattr("kubeflow_aks.pull_request.bases._CODE", (tmp_path,))
    without_code = key()
    (tmp_path / "local_aks").mkdir()
    (tmp_path / "local_aks" / "state.py").write_text("VERSION = 2")
    assert len({before, without_code, key()}) == 3
