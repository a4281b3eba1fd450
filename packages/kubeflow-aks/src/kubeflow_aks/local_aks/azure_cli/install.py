"""Puts `az` on the PATH of a shell that works with one local AKS."""

import shlex
import sys
from collections.abc import Mapping
from typing import Final

from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.project import IMPORT_PATH

_SCRIPT: Final = """#!/bin/sh
# The local AKS's az: it queries the simulated Azure, never the real one.
PYTHONPATH={root}${{PYTHONPATH:+:$PYTHONPATH}} exec {python} -m kubeflow_aks.local_aks.azure_cli {run} "$@"
"""


def environment(run: RunDirectory, base: Mapping[str, str]) -> dict[str, str]:
    """Variables under which `az` is the one of this local AKS, on top of others."""
    root, python, folder = (shlex.quote(str(path)) for path in (IMPORT_PATH, sys.executable, run.root))
    return run.with_program("az", _SCRIPT.format(root=root, python=python, run=folder), base)
