"""What `kubeflow-aks demo` and `kubeflow-aks local` do: run, use and remove a local AKS of a stack."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from kubeflow_aks.demo.bring_up import BringUp, get_tools
from kubeflow_aks.demo.demo import Demo
from kubeflow_aks.exit_codes import CommandError, ExitCode
from kubeflow_aks.local_aks.azure.state import AzureState
from kubeflow_aks.local_aks.azure_cli import install
from kubeflow_aks.local_aks.engine import install as engine_install
from kubeflow_aks.local_aks.lifecycle import service_files, stopped
from kubeflow_aks.local_aks.lifecycle.teardown import remove
from kubeflow_aks.local_aks.run.directory import AlreadyInUseError, NotOurFolderError, RunDirectory
from kubeflow_aks.local_aks.simulation import market_requests
from kubeflow_aks.local_aks.simulation.market import Reclaim, Supply
from kubeflow_aks.local_aks.simulation.vms.agent_pools import spot_pools
from kubeflow_aks.recorder.stack_files import read_stack
from kubeflow_aks.scenario.console import Console
from kubeflow_aks.tools import Tools


class InstanceError(CommandError):
    """There is no such local AKS, or more than one."""


@dataclass(frozen=True)
class Place:
    """Where local AKS are.

    Attributes:
        project: folder of the program.
        build: folder in which each stack has one, as `<stack>/local`.
    """

    project: Path
    build: Path

    def of(self, stack: str) -> RunDirectory:
        """The run directory of a stack that can be read.

        Raises:
            StackFileError: it can't.
        """
        read_stack(self.project, stack)
        return RunDirectory.at(self.build / stack / "local")

    def running(self, stack: str | None) -> RunDirectory:
        """The run directory of a stack's local AKS, or of the only one that runs.

        Raises:
            InstanceError: none runs, or several do and none is named.
        """
        running: dict[str, RunDirectory] = {}
        for folder in sorted(self.build.glob("*/local")):
            with suppress(NotOurFolderError):
                run = RunDirectory.found(folder)
                if run.pid_file(service_files.PID_FILE).running() is not None:
                    running[folder.parent.name] = run
        if stack is None and len(running) == 1:
            return next(iter(running.values()))
        if stack in running:
            return running[stack]
        if running:
            names = ", ".join(running)
            raise InstanceError(
                f"several local AKS are running: {names}; name one"
                if stack is None
                else f"no local AKS of {stack} is running; running: {names}"
            )
        raise InstanceError("no local AKS is running; `./kubeflow-aks local up` starts one")


def demo(place: Place, stack: str, speed: float, *, keep: bool) -> ExitCode:
    """Plays the demo; the local AKS is removed afterwards unless it is kept."""
    run = place.of(stack)
    console = Console()
    with run.lock(), stopped.reported(run, console.line):
        try:
            bring_up = BringUp(place.project, stack, run, speed, console)
            kept = Demo(bring_up, place.build / stack).play()
        finally:
            if not keep:
                remove(run)
        if keep:
            commands = "`./kubeflow-aks local shell` opens a shell, `./kubeflow-aks local down` removes it"
            console.block(["", f"The local AKS keeps running: {commands}"])
    return ExitCode.GOOD if kept else ExitCode.FINDING


def up(place: Place, stack: str, speed: float) -> ExitCode:
    """Brings a stack up."""
    run = place.of(stack)
    console = Console()
    with run.lock(), stopped.reported(run, console.line):
        BringUp(place.project, stack, run, speed, console).up()
        console.block(["", *_how_to_go_on(run)])
    return ExitCode.GOOD


def _how_to_go_on(run: RunDirectory) -> list[str]:
    pool = next(iter(spot_pools(AzureState(run.azure))), "POOL")
    return [
        "./kubeflow-aks local shell   a shell with kubectl, KUBECONFIG, az and pulumi",
        "./kubeflow-aks local down    removes everything",
        f"./kubeflow-aks local market evict {pool}     Azure takes a spot node back (simulated, as the whole market)",
        f"./kubeflow-aks local market soldout {pool}   spot sells out; `available` brings it back",
    ]


def down(place: Place) -> ExitCode:
    """Removes every local AKS, also one that was left half-started; one in use stays."""
    left = 0
    for folder in sorted(place.build.glob("*/local")):
        try:
            run = RunDirectory.found(folder)
            with run.lock():
                remove(run)
        except NotOurFolderError as error:
            print(error)
        except AlreadyInUseError as error:
            print(f"error: {error}: stop it first", file=sys.stderr)
            left += 1
        except OSError as error:
            print(f"error: {folder} can't be removed: {_reason(error)}", file=sys.stderr)
            left += 1
        else:
            print(f"removed {folder}")
    return ExitCode.FINDING if left else ExitCode.GOOD


def _reason(error: OSError) -> str:
    reason = error.strerror or str(error)
    return f"{reason}: {error.filename}" if error.filename else reason


def shell(place: Place, stack: str | None) -> int:
    """Opens the user's shell; returns the shell's exit code."""
    run = place.running(stack)
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
    environment = install.environment(run, run.environment(tools.environment()))
    return engine_install.environment(run, tools["pulumi"], environment)


def market(place: Place, stack: str | None, what: str, pool: str, *, count: int, node: str) -> ExitCode:
    """Makes something happen on the simulated spot market."""
    event = Reclaim(what) if what in list(Reclaim) else Supply(what)
    folder = service_files.market_folder(place.running(stack))
    print(market_requests.send(folder, event, pool, count, node=node))
    return ExitCode.GOOD


def _print_error(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
