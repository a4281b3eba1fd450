"""One controller as a process of a run directory: started, waited for, stopped by its pid file."""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final

from kubeflow_aks.exit_codes import CommandError
from kubeflow_aks.local_aks.run import processes
from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.local_aks.run.processes import PidFile
from kubeflow_aks.tools import Tools

_READY_SECONDS: Final = 90.0
API_RATE: Final = 500
"""Requests a second of a controller; the default of 20 is meant for a shared API server."""
_PROXY_VARIABLE: Final = re.compile("^(https?|all)_proxy$", re.IGNORECASE)


class ControllerError(CommandError):
    """A controller does not start; the text is meant for the user."""


@dataclass(frozen=True)
class Controller:
    """A controller on the API server of a run directory, which its command line names; its files have its name."""

    run: RunDirectory
    name: str

    @property
    def pid_file(self) -> PidFile:
        """Its process id."""
        return self.run.pid_file(self.name)

    @property
    def log(self) -> Path:
        """Its log: standard output and errors."""
        return self.run.log(self.name)

    def running(self) -> bool:
        """Whether its process runs."""
        return self.pid_file.running() is not None

    def start(
        self,
        command: Sequence[str | Path],
        ready: Callable[[], bool],
        *,
        environment: Mapping[str, str] | None = None,
        folder: Path | None = None,
        inherited_files: Sequence[int] = (),
    ) -> None:
        """Starts the process and waits until it is ready.

        Args:
            command: must name a file of the run directory, by which the process is known again.
            ready: whether it does its work.
            environment: variables on top of this process's, which loses its proxies: the API server is local.
            folder: in which it starts, by default the run directory.
            inherited_files: file descriptors that stay open in it.

        Raises:
            ControllerError: it ends or is not ready in time; nothing is left behind.
        """
        inherited = {key: value for key, value in os.environ.items() if not _PROXY_VARIABLE.match(key)}
        environment = {**inherited, **(environment or {})}
        words = " ".join(map(str, command[1:]))
        processes.stop_unnoted(words, {Path(command[0]).name}, started_here=True)
        try:
            with self.log.open("w", encoding="utf-8") as sink:
                process = processes.start(
                    command,
                    self.pid_file,
                    log=sink,
                    cwd=folder or self.run.root,
                    env=environment,
                    pass_fds=inherited_files,
                )
            is_ready = processes.becomes_ready(process, ready, _READY_SECONDS)
        except BaseException:
            self.stop()
            raise
        if not is_ready:
            self.stop()
            raise ControllerError(f"{self.name} does not start: {processes.last_lines(self.log)}")

    def stop(self) -> None:
        """Stops it at once if it runs: what it has done is in the API server, and it must survive a crash anyway."""
        processes.stop([self.pid_file], patience=0)

    def count_in_log(self, text: str) -> int:
        """How often its log holds a text."""
        return self.log.read_text(encoding="utf-8", errors="replace").count(text)


@dataclass(frozen=True)
class KubeflowController:
    """A controller of Kubeflow on one local AKS; subclasses define what it needs and how it starts."""

    process: ClassVar[str]
    """Name of the process in a run directory."""
    run: RunDirectory
    tools: Tools

    @property
    def controller(self) -> Controller:
        """Its process."""
        return Controller(self.run, self.process)

    def stop(self) -> None:
        """Stops the process; what it looks after stays as it is."""
        self.controller.stop()
