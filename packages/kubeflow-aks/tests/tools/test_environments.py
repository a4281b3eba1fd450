"""Environments of lock files: made once, and again where one was left half-made."""

import os
from importlib.metadata import version
from pathlib import Path

import pytest

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


@pytest.mark.parametrize(
    ("lock", "expected"),
    [
        ("packaging=={packaging} \\\n    --hash=sha256:00 \\\n    --hash=sha256:11\nclick=={click}\n", True),
        ("# a comment\npackaging=={packaging} ; python_version >= '3.11'  # via pip\n\n", True),
        ("nothing-such==1.0 ; sys_platform == 'plan9'\n", True),
        ("packaging=={packaging}.1\n", False),
        ("nothing-such==1.0\n", False),
        ("-r other.txt\n", False),
        ("\udcff", False),
    ],
)
def test_what_is_installed_here(lock: str, *, expected: bool) -> None:
    text = lock.replace("{packaging}", version("packaging")).replace("{click}", version("click"))
    assert environments.is_installed(text.encode(errors="surrogateescape")) is expected
