"""Changes past Pulumi, by the command of the page that documents it."""

from __future__ import annotations

import shlex
import subprocess
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from typing import Final

from kubeflow_aks.local_aks.azure_cli.__main__ import main
from kubeflow_aks.local_aks.lifecycle import service_files
from kubeflow_aks.local_aks.lifecycle.instance import PROJECT_ROOT
from kubeflow_aks.local_aks.lifecycle.service_files import Endpoints
from tests.docs.pages import commands
from tests.local.engine.deployment import Deployment

_PAGE: Final = PROJECT_ROOT / "docs" / "how-to" / "upgrade-kubernetes.md"
_STACK, _POOL, _VERSION = "kubeflow-aks-prod", "--name system", "--kubernetes-version 1.34"
"""What is the reader's own in the command of the page."""


def upgrade_by_hand(stack: Deployment, pool: str, version: str) -> None:
    """Upgrades one pool, as the page does with the system pool."""
    [command] = [line for line in commands(_PAGE) if line.startswith("az aks nodepool upgrade")]
    for page, ours in (
        (_STACK, f"kubeflow-aks-{stack.stack}"),
        (_POOL, f"--name {pool}"),
        (_VERSION, f"--kubernetes-version {version}"),
    ):
        assert page in command
        command = command.replace(page, ours)
    az(stack, command).check_returncode()


def az(stack: Deployment, command: str) -> subprocess.CompletedProcess[str]:
    """A command of the local AKS's `az`, in this process."""
    ports = Endpoints(stack.providers["azure-native"], stack.providers["kubernetes"])
    service_files.write_endpoints(stack.run, ports)
    program, *words = shlex.split(command)
    assert program == "az"
    with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
        code = main([str(stack.run.root), *words])
    return subprocess.CompletedProcess(command, code, out.getvalue(), err.getvalue())
