"""No test of prices asks anybody but a stand-in, and none keeps anything in the user's home."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from tests.cost.prices.azure import Azure, served


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("no_proxy", "127.0.0.1")


@pytest.fixture
def azure() -> Azure:
    return Azure()


@pytest.fixture
def address(azure: Azure) -> Generator[str]:
    with served(azure) as here:
        yield here
