"""The tools of the local AKS; built the first time, found from then on."""

import os
from collections.abc import Callable

from tools import Missing, Tools, find, manifest
from tools.build import build
from tools.errors import BuildError


def get_tools(report: Callable[[str], None], extras: tuple[str, ...] = ()) -> Tools:
    """Every tool the local AKS needs.

    Args:
        report: takes progress lines while they are built.
        extras: groups of tools beside them.

    Raises:
        BuildError: one cannot be had.
    """
    found = find(*extras)
    if isinstance(found, Missing):
        build(manifest.wanted(extras), jobs=min(2, os.cpu_count() or 1), report=report)
        found = find(*extras)
    if isinstance(found, Missing):
        raise BuildError(str(found))
    return found
