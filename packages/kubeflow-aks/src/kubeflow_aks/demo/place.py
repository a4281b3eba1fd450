"""Where the local AKS of a project are; imports nothing of the engine, which some commands do without."""

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from kubeflow_aks.exit_codes import CommandError
from kubeflow_aks.local_aks.lifecycle import service_files
from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.ownership import NotOurFolderError, open_folder
from kubeflow_aks.recorder.stack_files import read_stack


@dataclass(frozen=True)
class Place:
    """Where the local AKS of a project are: each stack's in the folder `build`, as `<stack>/local`."""

    project: Path
    build: Path

    def of(self, stack: str) -> RunDirectory:
        """The run directory of a stack that can be read.

        Raises:
            StackFileError: it can't.
            NotOurFolderError: something else is in the place of one of its folders.
        """
        read_stack(self.project, stack)
        return RunDirectory.at(open_folder(self.build, stack) / "local")

    def running(self, stack: str | None) -> RunDirectory:
        """The run directory of a stack's local AKS, or of the only one that runs.

        Raises:
            CommandError: none runs, or several do and none is named.
            DamagedFileError: what would tell whether one runs is damaged.
        """
        running: dict[str, RunDirectory] = {}
        for folder in sorted(self.build.glob("*/local")):
            with suppress(NotOurFolderError):
                run = RunDirectory.existing(folder)
                pid_file = run.pid_file(service_files.PID_FILE)
                pid_file.check()
                if pid_file.running() is not None:
                    running[folder.parent.name] = run
        if stack is None and len(running) == 1:
            return next(iter(running.values()))
        if stack in running:
            return running[stack]
        if running:
            names = ", ".join(running)
            raise CommandError(
                f"several local AKS are running: {names}; name one"
                if stack is None
                else f"no local AKS of {stack} is running; running: {names}"
            )
        raise CommandError("no local AKS is running; `./kubeflow-aks local up` starts one")
