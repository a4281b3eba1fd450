"""Changes past Pulumi, by the command of the page that documents it."""

from __future__ import annotations

import os
import subprocess
from typing import Final

from kubeflow_aks.local_aks.azure_cli import install
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
    """A line of a shell in which the local AKS's `az` knows the stack."""
    ports = Endpoints(stack.providers["azure-native"], stack.providers["kubernetes"])
    service_files.write_endpoints(stack.run, ports)
    environment = install.environment(stack.run, os.environ)
    return subprocess.run(
        ["/bin/sh", "-c", command], env=environment, capture_output=True, text=True, check=False
    )
