"""Records the scenario with `ckf-spot where` while it is played, and draws the recording afterwards."""

import json
import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kubeflow_aks.local_aks.run import processes
from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.ownership import open_folder
from kubeflow_aks.text.files import write_whole

PROCESS: Final = "where"
"""Name of the recorder in a run directory."""
_PICTURE: Final = "where.svg"
_PROGRAM: Final = (sys.executable, "-m", "ckf_spot.cli")
_STOP_SECONDS: Final = 10.0


@dataclass(frozen=True)
class WhereRecording:
    """A recording of one local AKS, as a data scientist would make it."""

    run: RunDirectory

    @contextmanager
    def recording(self) -> Generator[None]:
        """Records every namespace in a process of its own, until the block ends."""
        self._record.unlink(missing_ok=True)
        pid_file = self.run.pid_file(PROCESS)
        with self.run.log(PROCESS).open("w", encoding="utf-8") as sink:
            process = processes.start(
                [*_PROGRAM, "where", "-A", "--record", self._record],
                pid_file,
                log=sink,
                env=self.run.environment(os.environ),
            )
        try:
            yield
        finally:
            processes.stop([pid_file], _STOP_SECONDS)
            process.wait()

    def draw(self, contract: Path, folder: Path) -> tuple[Path | None, list[str]]:
        """Writes the picture into a folder; `contract` is a file with the stack's output `poolContract`.

        Returns:
            The picture, and violations, one line each; or no picture, and the errors.
        """
        picture, report = self._render(contract, "svg"), self._render(contract, "json")
        if picture.returncode or report.returncode:
            return None, [*picture.stderr.splitlines(), *report.stderr.splitlines()]
        file = open_folder(folder.parent, folder.name) / _PICTURE
        write_whole(file, picture.stdout)
        violations: list[dict[str, str]] = json.loads(report.stdout)["violations"]
        return file, [
            f"{violation['rule']}: {violation['name']}: {violation['message']}" for violation in violations
        ]

    def _render(self, contract: Path, form: str) -> subprocess.CompletedProcess[str]:
        command = [*_PROGRAM, "where", "--from", self._record, "--pools", contract, "-o", form]
        return subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own program

    @property
    def _record(self) -> Path:
        return self.run.root / "where.jsonl"
