"""One local AKS: control plane, background service and engine of one run directory, started and stopped together."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from kubeflow_aks.exit_codes import CommandError
from kubeflow_aks.local_aks.control_plane import power, storage_classes
from kubeflow_aks.local_aks.control_plane.kwokctl import ControlPlane
from kubeflow_aks.local_aks.engine.engine import Engine
from kubeflow_aks.local_aks.lifecycle import damage, service_files
from kubeflow_aks.local_aks.run import processes
from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.tools import Tools

_READY_SECONDS: Final = 60
_STOP_SECONDS: Final = 10


@dataclass(frozen=True)
class LocalAks:
    """A local AKS for one stack of a project; its run directory has everything it writes.

    Attributes:
        speed: simulated seconds per wall second.
        seed: settles every chance of the simulation.
        report: takes lines for the user.
        extra_config: values on top of the stack's file.
    """

    run: RunDirectory
    tools: Tools
    stack: str
    speed: float = 60.0
    seed: int = 0
    report: Callable[[str], None] = print
    project_root: Path = PROJECT_ROOT
    extra_config: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def control_plane(self) -> ControlPlane:
        """Its real control plane."""
        return ControlPlane(self.run, self.tools, self.report)

    @property
    def engine(self) -> Engine:
        """The real engine with both stand-ins attached; the service must run."""
        providers = service_files.read_endpoints(self.run).providers()
        return Engine(self.run, self.tools, providers, self.project_root, self.stack, self.extra_config)

    def start(self) -> None:
        """Starts what does not run; what is in the cluster is kept, and one that was stopped in Azure stays so.

        Raises:
            ControlPlaneError: the control plane does not start.
            KubeError: its API server does not take AKS's own objects.
            CommandError: the service does not start.
            DamagedFileError: a file of an earlier start is damaged.
        """
        damage.check(self.run)
        if not power.is_off(self.run) and self.control_plane.start():
            self.stop_service()  # one that knows another control plane knows nothing of this one
            storage_classes.make(self.run.kubeconfig)
        self.start_service()

    def start_service(self) -> None:
        """Starts the background service unless it runs at this speed and seed, and waits until it answers."""
        pid_file = self.run.pid_file(service_files.PID_FILE)
        command = [
            sys.executable,
            "-m",
            service_files.MODULE,
            "--run-dir",
            str(self.run.root),
        ]
        command += ["--speed", str(self.speed), "--seed", str(self.seed)]
        pid = pid_file.running()
        ready = service_files.endpoints_file(self.run).exists()
        if ready and pid is not None and processes.command_line(pid).strip() == " ".join(command):
            return
        self.stop_service()
        log = self.run.log(service_files.PID_FILE)
        with log.open("w", encoding="utf-8") as sink:
            process = processes.start(command, pid_file, log=sink, cwd=PROJECT_ROOT)
        if not processes.becomes_ready(
            process, service_files.endpoints_file(self.run).exists, _READY_SECONDS
        ):
            self.stop_service()
            raise CommandError(f"the local Azure does not start: {processes.last_lines(log)}")

    def stop_service(self) -> None:
        """Stops the background service of this run directory."""
        processes.stop([self.run.pid_file(service_files.PID_FILE)], _STOP_SECONDS)
        mark = f"{service_files.MODULE} --run-dir {self.run.root} "
        processes.stop_unnoted(mark, {Path(sys.executable).name}, started_here=True)
        service_files.endpoints_file(self.run).unlink(missing_ok=True)
