"""Which tests run: those under `tests/local` need tools built from Go modules."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.session import pytest_collection_finish, pytest_unconfigure

__all__ = ["pytest_collection_finish", "pytest_unconfigure"]

_LOCAL = Path(__file__).parent / "local"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds `--local`."""
    parser.addoption(
        "--local", action="store_true", help="also run the tests on the real engine and control plane"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Registers the marker that every test under `tests/local` carries."""
    config.addinivalue_line(
        "markers", "local: runs on the real Pulumi engine or a real Kubernetes control plane"
    )


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leaves `tests/local` out, imports included, unless --local is given."""
    return True if collection_path == _LOCAL and not config.getoption("local") else None
