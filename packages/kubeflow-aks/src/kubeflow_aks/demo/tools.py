"""The tools of a local AKS, built where they are missing."""

from __future__ import annotations

import os
from collections.abc import Callable

from kubeflow_aks.tools import Missing, Tools, find, manifest
from kubeflow_aks.tools.build import build
from kubeflow_aks.tools.errors import BuildError


def get_tools(report: Callable[[str], None], extras: tuple[str, ...] = ()) -> Tools:
    """Every tool that the local AKS needs, with those of further groups; missing ones are built.

    Raises:
        BuildError: one cannot be built.
    """
    tools = find(*extras)
    if isinstance(tools, Missing):
        build(manifest.selected(extras), jobs=min(2, os.cpu_count() or 1), report=report)
        tools = find(*extras)
    if isinstance(tools, Missing):
        raise BuildError(str(tools))
    return tools
