"""The tools that a test needs."""

from __future__ import annotations

import os

import pytest

import tools
from tools import Missing, Tools


def required(*extras: str) -> Tools:
    """The tools; without them a test is skipped, and fails where KUBEFLOW_AKS_REQUIRE_TOOLS=1 asks for them.

    Args:
        extras: optional ones (`python -m tools --with`).
    """
    found = tools.find(*extras)
    if isinstance(found, Missing):
        if os.environ.get("KUBEFLOW_AKS_REQUIRE_TOOLS") == "1":
            pytest.fail(str(found), pytrace=False)
        pytest.skip(str(found))
    return found
