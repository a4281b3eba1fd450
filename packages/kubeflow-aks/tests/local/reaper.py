"""Removes what a killed test run leaves: a small process waits for the session's end, however that comes about.

`python -m tests.local.reaper FOLDER` is what it becomes then. The waiting is done by `cat`, which takes no memory.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path
from typing import Final

import pytest

from kubeflow_aks.local_aks.control_plane import kwokctl
from kubeflow_aks.local_aks.lifecycle.teardown import remove
from kubeflow_aks.local_aks.run import processes
from kubeflow_aks.local_aks.run.directory import MARKER, RunDirectory
from kubeflow_aks.ownership import NotOurFolderError
from kubeflow_aks.project import IMPORT_PATH, PROJECT_ROOT

_PROGRAMS: Final = frozenset(
    {"make", Path(sys.executable).name, *kwokctl.COMPONENTS, "training-operator.v1", "workflow-controller"}
)
"""What tests start. A later test run may have removed the folder of one that was interrupted, and the notes in it."""


@pytest.fixture(scope="session", autouse=True)
def reaper(tmp_path_factory: pytest.TempPathFactory) -> Generator[None]:
    """Waits beside the session, whose temporary folders hold all that its tests start."""
    reap = [sys.executable, "-m", "tests.local.reaper", str(tmp_path_factory.getbasetemp())]
    waiting = ["sh", "-c", 'cat > /dev/null; exec "$@"', "sh", *reap]
    with subprocess.Popen(
        waiting,
        cwd=PROJECT_ROOT / "packages/kubeflow-aks",
        env={**os.environ, "PYTHONPATH": IMPORT_PATH},
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        yield
        processes.stop_unnoted(
            str(tmp_path_factory.getbasetemp()), _PROGRAMS
        )  # whose fixture could not end them
        os.killpg(process.pid, signal.SIGKILL)


def reap(folder: Path) -> None:
    """Stops the commands that work in a folder, and removes every local AKS in it."""
    processes.stop_unnoted(str(folder), _PROGRAMS)
    for marker in folder.rglob(MARKER):
        with suppress(NotOurFolderError, OSError):
            remove(RunDirectory.existing(marker.parent))


if __name__ == "__main__":
    reap(Path(sys.argv[1]))
