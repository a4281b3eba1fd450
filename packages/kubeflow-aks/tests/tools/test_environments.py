"""Environments of lock files: made once, and again where one was left half-made."""

import os
import re
from pathlib import Path

import pytest

from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.tools import environments
from kubeflow_aks.tools.errors import BuildError


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path


def test_an_environment_is_made_once() -> None:
    lines: list[str] = []
    first = environments.environment(b"", "nothing", lines.append)
    assert first.exists()
    assert environments.environment(b"", "nothing", lines.append) == first
    assert len(lines) == 1


def test_what_was_left_half_made_is_made_anew() -> None:
    first = environments.environment(b"", "nothing", print)
    (first.parents[1] / "complete").unlink()
    first.unlink()
    assert environments.environment(b"", "nothing", print).exists()


def test_a_package_without_its_hash_is_reported_in_one_line() -> None:
    with pytest.raises(BuildError, match=r"the environment of nothing can't be made: .*hash") as refused:
        environments.environment(b"six==1.17.0\n", "nothing", print)
    assert "\n" not in str(refused.value)


def test_a_folder_that_others_can_write_to_is_not_trusted(cache: Path) -> None:
    folder = cache / "kubeflow-aks" / "environments"
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    with pytest.raises(BuildError, match=r"others can write to .*; expected a folder that is only yours"):
        environments.environment(b"", "nothing", print)


def test_only_environments_are_removed_and_only_after_a_month() -> None:
    other = environments.environment(b"", "nothing", print).parents[1]
    old = environments.environment(b"# old\n", "nothing", print).parents[1]
    theirs = environments.environments() / "theirs"
    theirs.mkdir()
    for path in (theirs, old, old / "complete"):
        os.utime(path, (0, 0))
    environments.environment(b"", "nothing", print)
    assert theirs.exists()
    assert other.exists()
    assert not old.exists()


LOCK = (PROJECT_ROOT / "requirements.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("lock", "expected"),
    [
        (LOCK, True),
        ("# a comment\n" + LOCK.replace(" \\", "   \\"), True),
        (LOCK[: LOCK.index("certifi")], True),
        (f"{LOCK}nothing-such==1.0 --hash=sha256:{'0' * 64}\n", False),
        (re.sub(r"sha256:\w{64}", f"sha256:{'0' * 64}", LOCK, count=1), False),
        (re.sub(r"(==\d+)\.", r"\1.9", LOCK, count=1), False),
        (f"{LOCK}-r other.txt\n", False),
        ("\udcff", False),
    ],
)
def test_what_is_installed_here(lock: str, *, expected: bool) -> None:
    assert environments.is_installed(lock.encode(errors="surrogateescape")) is expected


def test_a_package_that_was_changed_since_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    def other(_: str) -> str:
        return "0"

    monkeypatch.setattr(environments.metadata, "version", other)
    assert not environments.is_installed.__wrapped__(LOCK.encode())
