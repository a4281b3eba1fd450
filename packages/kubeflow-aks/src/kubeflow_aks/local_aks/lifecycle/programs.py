"""Puts `az` and `pulumi` on the PATH of those who work with one local AKS: the simulated Azure, and the real engine."""

import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from kubeflow_aks.local_aks.engine.engine import backend_url
from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.project import IMPORT_PATH

_AZ: Final = """#!/bin/sh
# The local AKS's az: it queries the simulated Azure, never the real one.
PYTHONPATH={root}${{PYTHONPATH:+:$PYTHONPATH}} exec {python} -m kubeflow_aks.local_aks.azure_cli {run} "$@"
"""
_PULUMI: Final = """#!/bin/sh
# The local AKS's pulumi: the real engine, with this run's state; changes need the simulated Azure beside it.
case "$1 $2" in
"stack output" | "stack export" | "stack ls") ;;
*)
  echo "error: the local AKS's pulumi reads only (stack output, stack export, stack ls);" \\
    "./kubeflow-aks local up changes the stack, ./kubeflow-aks local down removes it" >&2
  exit 1
  ;;
esac
unset PULUMI_CONFIG_PASSPHRASE
export {variables}
exec {pulumi} --cwd {workspace} "$@"
"""


def with_az(run: RunDirectory, base: Mapping[str, str]) -> dict[str, str]:
    """Variables under which `az` is the one of this local AKS, on top of others."""
    root, python, folder = (shlex.quote(str(path)) for path in (IMPORT_PATH, sys.executable, run.root))
    return run.with_program("az", _AZ.format(root=root, python=python, run=folder), base)


def with_pulumi(run: RunDirectory, pulumi: Path, base: Mapping[str, str]) -> dict[str, str]:
    """Variables under which `pulumi` is the one of this local AKS, on top of others."""
    run.passphrase()  # makes the file
    variables = {
        "PULUMI_BACKEND_URL": backend_url(run),
        "PULUMI_CONFIG_PASSPHRASE_FILE": str(run.passphrase_file),
        "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
        "PULUMI_HOME": str(run.pulumi_home),
        "PULUMI_SKIP_UPDATE_CHECK": "true",
    }
    script = _PULUMI.format(
        variables=" ".join(f"{name}={shlex.quote(value)}" for name, value in variables.items()),
        pulumi=shlex.quote(str(pulumi)),
        workspace=shlex.quote(str(run.pulumi_workspace)),
    )
    return run.with_program("pulumi", script, base)
