"""What every test has, and which tests run: those under `packages/kubeflow-aks/tests/local` need tools built from Go modules."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("tests", deadline=None)  # a busy machine is slow
settings.load_profile("tests")
os.environ["PULUMI_ERROR_OUTPUT_STRING"] = "1"
"""An Output used as text raises instead of becoming part of a name (docs/facts/pulumi.md#unit-tests)."""

_COLLECT_AFTER = 20_000
"""Objects between two collections of garbage; Python's 700 are for programs that run longer."""
_LOCAL = Path(__file__).parent / "local"
gc.disable()  # until the tests start: importing the providers' SDKs makes a million objects, none of them garbage


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds `--local`."""
    parser.addoption(
        "--local", action="store_true", help="also run the tests on the real engine and control plane"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Registers the marker that every test under `packages/kubeflow-aks/tests/local` carries."""
    config.addinivalue_line(
        "markers", "local: runs on the real Pulumi engine or a real Kubernetes control plane"
    )


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leaves `packages/kubeflow-aks/tests/local` out, imports included, unless --local is given."""
    return True if collection_path == _LOCAL and not config.getoption("local") else None


def pytest_collection_finish() -> None:
    """Leaves what was imported out of every later garbage collection."""
    gc.freeze()
    gc.set_threshold(_COLLECT_AFTER)
    gc.enable()


def pytest_unconfigure() -> None:
    """Leaves everything out of the collection at exit; the process gives it back at once."""
    gc.freeze()
