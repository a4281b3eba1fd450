"""An empty cache and a PATH of one folder, so that the builder's own behaviour is tested in milliseconds."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tools.fake_go import FakeGo


@pytest.fixture
def path_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder on PATH; the cache is empty."""
    folder = tmp_path / "path"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return folder


@pytest.fixture
def go(path_folder: Path) -> FakeGo:
    """The only program on PATH."""
    return FakeGo.install(path_folder)
