"""Damaged files of a run directory, found before something waits for what they hold, or when something has failed."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

import yaml

from kubeflow_aks.local_aks.azure import state
from kubeflow_aks.local_aks.control_plane import kwokctl, power
from kubeflow_aks.local_aks.engine import workspace
from kubeflow_aks.local_aks.lifecycle import service_files
from kubeflow_aks.local_aks.run import files
from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.local_aks.run.files import DamagedFileError


def check(run: RunDirectory) -> None:
    """Reads every file that commands and the background service read again, but for the journal.

    Raises:
        DamagedFileError: one holds something else than was written, or is missing beside a stack's state.
    """
    run.check_secrets()
    for read in (kwokctl.administrator, service_files.read_endpoints):
        with suppress(FileNotFoundError):
            read(run)
    for pid_file in run.pid_files():
        pid_file.check()
    power.check(run)
    state.check(run.azure)
    for settings in sorted(run.pulumi_workspace.glob("Pulumi*.yaml")):
        files.read(settings, _mapping)
    stacks = workspace.checkpoints(run.pulumi_state)
    for checkpoint in stacks:
        files.read(checkpoint, workspace.deployment)
    for file in (run.passphrase_file, run.azure_token_file, run.kubeconfig, run.azure / state.RESOURCES):
        if stacks and not file.exists():
            raise DamagedFileError(file, "is missing")


@contextmanager
def named(run: RunDirectory) -> Generator[None]:
    """Names the damaged file where a command fails.

    Raises:
        DamagedFileError: it failed, and a file is damaged; whatever else it failed with otherwise.
    """
    try:
        yield
    except Exception:
        check(run)
        service_files.check_journal(run)
        raise


def _mapping(text: str) -> Mapping[str, Any]:
    """Settings of the engine; a ValueError for a text that is no YAML, no mapping, or cut."""
    if not text.endswith("\n"):
        raise ValueError("the last line is cut")
    try:
        return dict(yaml.safe_load(text))
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from None
