"""`python -m local_aks`: a local AKS of a stack to look at, to play with and to remove."""

import argparse
import errno
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import pulumi

from kube.errors import KubeError
from local_aks.azure.state import AzureState
from local_aks.azure_cli import install
from local_aks.control_plane.controllers.controller import ControllerError
from local_aks.control_plane.kwokctl import ControlPlaneError
from local_aks.demo.bring_up import BringUp, get_tools
from local_aks.demo.demo import Demo, NothingToShowError
from local_aks.engine import EngineError
from local_aks.engine import install as engine_install
from local_aks.lifecycle import daemon
from local_aks.lifecycle.instance import PROJECT_ROOT, ServiceError
from local_aks.lifecycle.teardown import remove
from local_aks.run.directory import AlreadyInUseError, NotOurFolderError, RunDirectory
from local_aks.simulation.market import ALL, MarketError, Reclaim, Supply
from local_aks.simulation.vms.agent_pools import spot_pools
from recorder.stack_files import StackFileError, read_stack
from story.console import Console, handle_interrupts
from story.demo_objects import LeftoverError
from tools import Tools
from tools.errors import BuildError
from writing.output import show_something

_INTERRUPTED: Final = 130


class UsageError(Exception):
    """A command can't be carried out as given; the text is meant for the user."""


_USER_ERRORS: Final = (
    AlreadyInUseError,
    BuildError,
    ControlPlaneError,
    ControllerError,
    EngineError,
    KubeError,
    LeftoverError,
    MarketError,
    NotOurFolderError,
    NothingToShowError,
    ServiceError,
    StackFileError,
    UsageError,
    pulumi.RunError,
)
"""Errors whose text is all that the user needs."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; a failure is told on stderr without a traceback.

    Returns:
        0; 1 when something failed or a promise was not kept; 130 after Ctrl-C or SIGTERM.
    """
    for stream in (sys.stdout, sys.stderr):
        show_something(stream)
    options = _parser().parse_args(arguments)
    handle_interrupts()
    command: Callable[[argparse.Namespace], int] = options.command
    try:
        return command(options)
    except _USER_ERRORS as error:
        problem = str(error)
    except BrokenPipeError:  # whoever read our output has gone, and there is nobody to tell
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        problem = _reason(error)
    except KeyboardInterrupt:
        print("\nstopped; `make demo-down` removes what was started", file=sys.stderr)
        return _INTERRUPTED
    print(f"error: {problem}", file=sys.stderr)
    return 1


def _reason(error: OSError) -> str:
    reason = "the disk is full" if error.errno == errno.ENOSPC else error.strerror or str(error)
    return f"{reason}: {error.filename}" if error.filename else reason


def _demo(options: argparse.Namespace) -> int:
    run = _run_directory(options.build, options.stack)
    with run.claim():
        console = Console()
        try:
            bring_up = BringUp(options.stack, run, options.speed, console)
            kept = Demo(bring_up, options.build / options.stack).play()
        finally:
            if not options.keep:
                remove(run)
        if options.keep:
            console.block(
                ["", "It keeps running: `make local-shell` looks around, `make demo-down` removes it."]
            )
    return 0 if kept else 1


def _up(options: argparse.Namespace) -> int:
    run = _run_directory(options.build, options.stack)
    with run.claim():
        console = Console()
        BringUp(options.stack, run, options.speed, console).up()
        console.block(["", *_how_to_go_on(run)])
    return 0


def _how_to_go_on(run: RunDirectory) -> list[str]:
    pool = next(iter(spot_pools(AzureState(run.azure))), "POOL")
    market = f"{Path(sys.prefix).name}/bin/python -m local_aks market"
    return [
        "make local-shell   a shell with kubectl, KUBECONFIG, az and pulumi",
        "make demo-down     removes everything",
        f"{market} evict {pool}     Azure takes a spot node back (simulated, as the whole market)",
        f"{market} soldout {pool}   spot sells out; `available` brings it back",
    ]


def _down(options: argparse.Namespace) -> int:
    """Removes every local AKS, also one that was left half-started; one in use stays."""
    left = 0
    for folder in sorted(options.build.glob("*/local")):
        try:
            run = RunDirectory.found(folder)
            with run.claim():
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
    return 1 if left else 0


def _shell(options: argparse.Namespace) -> int:
    run = _running(options.build, options.stack)
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


def _market(options: argparse.Namespace) -> int:
    run = _running(options.build, options.stack)
    what = Reclaim(options.what) if options.what in list(Reclaim) else Supply(options.what)
    print(daemon.ask_market(run, what, options.pool, options.count, options.node))
    return 0


def _run_directory(build: Path, stack: str) -> RunDirectory:
    """The run directory of a stack that can be read.

    Raises:
        StackFileError: it can't.
    """
    read_stack(PROJECT_ROOT, stack)
    return RunDirectory.at(build / stack / "local")


def _running(build: Path, stack: str | None) -> RunDirectory:
    """The run directory of a stack's local AKS, or of the only one that runs.

    Raises:
        UsageError: none runs, or several do and none is named.
    """
    running: dict[str, RunDirectory] = {}
    for folder in sorted(build.glob("*/local")):
        with suppress(NotOurFolderError):
            run = RunDirectory.found(folder)
            if run.pid_file(daemon.PID_FILE).running() is not None:
                running[folder.parent.name] = run
    if stack is None and len(running) == 1:
        return next(iter(running.values()))
    if stack in running:
        return running[stack]
    if running:
        names = ", ".join(running)
        raise UsageError(
            f"which one? These run: {names}" if stack is None else f"{stack!r} does not run; {names} does"
        )
    raise UsageError("no local AKS is running; `make local-up` starts one")


def _count(text: str) -> int:
    if text == "all":
        return ALL
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r}: a number from 1, or all")
    return int(text)


def _speed(text: str) -> float:
    try:
        speed = float(text)
    except ValueError:
        speed = 0.0
    if not 1 <= speed <= _FASTEST:
        raise argparse.ArgumentTypeError(f"{text!r}: a number from 1 to {_FASTEST}")
    return speed


_FASTEST: Final = 120
"""Beyond that, half a minute of eviction notice is too short for the real controllers."""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m local_aks", description=__doc__)
    parser.add_argument(
        "--build", type=Path, default=PROJECT_ROOT / "build", help="where everything is kept (default: build)"
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(name: str, command: Callable[[argparse.Namespace], int], about: str) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=about, description=about)
        added.set_defaults(command=command)
        return added

    demo = add("demo", _demo, "show the promises of this product, and judge them")
    up = add("up", _up, "bring a stack up, to play with it")
    for command in (demo, up):
        command.add_argument("stack", nargs="?", default="demo", help="a stack with a file (default: demo)")
        command.add_argument(
            "--speed", type=_speed, default=60.0, help="simulated seconds in one second (default: 60)"
        )
    demo.add_argument(
        "--keep", action=argparse.BooleanOptionalAction, default=True, help="leave the local AKS running"
    )
    add("down", _down, "remove every local AKS")
    shell = add("shell", _shell, "a shell with kubectl, KUBECONFIG, az and pulumi")
    shell.add_argument("stack", nargs="?", help="needed where several run")
    market = add("market", _market, "make something happen on the simulated spot market")
    market.add_argument("what", choices=[*Reclaim, *Supply])
    market.add_argument("pool", help="a spot pool")
    market.add_argument(
        "--count", type=_count, default=1, help="how many nodes are taken, or all (default: 1)"
    )
    market.add_argument("--node", default="", help="the node that is taken (default: the market chooses)")
    market.add_argument("--stack", help="needed where several run")
    return parser


def _print_error(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
