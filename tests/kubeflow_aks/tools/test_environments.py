"""Environments of lock files: made once, and again where one was left half-made."""

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
