"""Settings of every test run, here and in `packages/kubeflow-aks`: those of libraries, and few garbage collections."""

from __future__ import annotations

import gc
import os

from hypothesis import settings

settings.register_profile("tests", deadline=None)  # a busy machine is slow
settings.load_profile("tests")
os.environ["PULUMI_ERROR_OUTPUT_STRING"] = "1"
"""An Output used as text raises instead of becoming part of a name (docs/facts/pulumi.md#unit-tests)."""

_COLLECT_AFTER = 20_000
"""Objects between two collections of garbage; Python's 700 are for programs that run longer."""
gc.disable()  # until the tests start: importing the providers' SDKs makes a million objects, none of them garbage


def pytest_collection_finish() -> None:
    """Leaves what was imported out of every later garbage collection."""
    gc.freeze()
    gc.set_threshold(_COLLECT_AFTER)
    gc.enable()


def pytest_unconfigure() -> None:
    """Leaves everything out of the collection at exit; the process gives it back at once."""
    gc.freeze()
