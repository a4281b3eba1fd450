"""What `kubeflow-aks local shell` does: opens a shell that works with one local AKS."""

import os
import subprocess
import sys

from kubeflow_aks.demo.place import Place
from kubeflow_aks.demo.tools import get_tools
from kubeflow_aks.local_aks.lifecycle import damage, programs
from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.tools import Tools


def shell(place: Place, stack: str | None) -> int:
    """Opens the user's shell; returns the shell's exit code."""
    run = place.running(stack)
    damage.check(run)
    tools = get_tools(_print_error)
    print(
        f"KUBECONFIG={run.kubeconfig}\nkubectl, az (aks nodepool) and pulumi (stack output) are on PATH; `exit` "
        "leaves, the local AKS keeps running.",
        flush=True,
    )
    environment = shell_environment(run, tools)
    return subprocess.run([os.environ.get("SHELL", "/bin/sh")], env=environment, check=False).returncode  # noqa: S603


def shell_environment(run: RunDirectory, tools: Tools) -> dict[str, str]:
    """Variables of a shell in which kubectl, az and pulumi are those of one local AKS."""
    environment = programs.with_az(run, run.environment(tools.environment()))
    return programs.with_pulumi(run, tools["pulumi"], environment)


def _print_error(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
