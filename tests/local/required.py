"""The tools that a test needs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NoReturn

import pytest

from kubeflow_aks import tools
from kubeflow_aks.tools import Missing, Tools, crds, environments
from kubeflow_aks.tools.errors import BuildError


def required(*extras: str) -> Tools:
    """The tools; without them a test is skipped, and fails where KUBEFLOW_AKS_REQUIRE_TOOLS=1 requires them.

    Args:
        extras: optional ones (`./kubeflow-aks local build --with`).
    """
    found = tools.find(*extras)
    if isinstance(found, Missing):
        _skip(str(found))
    return found


def required_only(*names: str) -> Tools:
    """These tools and no others; without them as without all.

    Args:
        names: of the tools.
    """
    found = tools.find_only(*names)
    if isinstance(found, Missing):
        _skip(str(found))
    return found


def required_crds(name: str) -> tuple[Path, ...]:
    """Files of custom resources; without them as without the tools.

    Args:
        name: key of `crds.CRDS`.
    """
    found = crds.find(name)
    if not found:
        _skip(
            f"not downloaded yet: custom resources of {crds.CRDS[name]} (`./kubeflow-aks local build --crds`)"
        )
    return found


def required_environment(lock: bytes) -> Path:
    """The Python of an environment; without a package registry as without the tools.

    Args:
        lock: what it has (`environments.environment`).
    """
    try:
        return environments.environment(lock, "a test", print)
    except BuildError as error:
        _skip(str(error))


def _skip(reason: str) -> NoReturn:
    if os.environ.get("KUBEFLOW_AKS_REQUIRE_TOOLS") == "1":
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)
