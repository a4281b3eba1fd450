"""Puts `pulumi` on the PATH of those who work with one local AKS: the real engine, which reads the stack there."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from kubeflow_aks.local_aks.engine.engine import backend_url
from kubeflow_aks.local_aks.run.directory import RunDirectory

_SCRIPT: Final = """#!/bin/sh
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


def environment(run: RunDirectory, pulumi: Path, base: Mapping[str, str]) -> dict[str, str]:
    """Variables under which `pulumi` is the one of this local AKS, on top of others."""
    run.passphrase()  # makes the file
    variables = {
        "PULUMI_BACKEND_URL": backend_url(run),
        "PULUMI_CONFIG_PASSPHRASE_FILE": str(run.passphrase_file),
        "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
        "PULUMI_HOME": str(run.pulumi_home),
        "PULUMI_SKIP_UPDATE_CHECK": "true",
    }
    script = _SCRIPT.format(
        variables=" ".join(f"{name}={shlex.quote(value)}" for name, value in variables.items()),
        pulumi=shlex.quote(str(pulumi)),
        workspace=shlex.quote(str(run.pulumi_workspace)),
    )
    return run.with_program("pulumi", script, base)
