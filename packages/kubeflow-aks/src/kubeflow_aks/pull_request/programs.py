"""Runs one program for one stack: with the Python of its own environment, in a process of its own, for a limited time.

The program is untrusted: anybody may propose a change. It gets only the few variables that every program needs, an
empty home folder and no input; only the end of its output is kept; and everything that it starts is ended with it.
"""

from __future__ import annotations

import secrets
import shutil
import threading
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, Final, Literal

from kubeflow_aks.clients.kubernetes.api import ApiServer
from kubeflow_aks.local_aks.engine import Engine, EngineError, Result
from kubeflow_aks.local_aks.engine import program as language_host
from kubeflow_aks.local_aks.engine.language_host import IMPORTED
from kubeflow_aks.local_aks.kubernetes_provider.file_cluster import FileCluster
from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.local_aks.run.processes import stop_unnoted
from kubeflow_aks.pull_request.failures import failure, protected
from kubeflow_aks.pull_request.observed import Trial
from kubeflow_aks.pull_request.refusals import goals_of, trial
from kubeflow_aks.pull_request.stand_ins import (
    StandInProcesses,
    StandIns,
    StandInsError,
    objects_of,
    stand_ins,
)
from kubeflow_aks.pull_request.unjudged import quoted
from kubeflow_aks.recorder.project_file import StackFileError
from kubeflow_aks.revisions import processes
from kubeflow_aks.revisions.programs import OutputTail, ProgramError, environment
from kubeflow_aks.tools import Tools

_ENGINE_PATIENCE: Final = 10.0
"""Seconds in which the engine should notice that its program was ended."""


@dataclass(frozen=True)
class Program:
    """The program of one tree, for one stack.

    Attributes:
        entry: the folder of its program, or the file.
        python: of the environment that its lock file describes.
        day: the date that it and the simulated Azure use.
        extra: configuration on top of the stack's file.
    """

    root: Path
    entry: Path
    python: Path
    stack: str
    day: date
    extra: Mapping[str, Any]


@dataclass(frozen=True)
class Outcome:
    """The outcome of one operation.

    Attributes:
        result: as the engine reports it.
        ignored: inputs whose later changes the engine ignores, by URN; the result lacks them.
        not_simulated: types that no stand-in knows.
        assumed: what the program reads or imports and is not known here, one sentence each.
        refused: URNs of protected resources that would be replaced or deleted, which `up` refuses; `result` is then
            the preview without the protection.
        azure: the requests of a preview, put to the simulated Azure.
    """

    result: Result
    ignored: Mapping[str, Sequence[str]]
    not_simulated: tuple[str, ...]
    assumed: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    azure: Trial = field(default_factory=Trial)


def operate(
    operation: Literal["preview", "up"],
    program: Program,
    run: RunDirectory,
    tools: Tools,
    *,
    limit: float,
    kubeconfig: Path | None = None,
    processes: StandInProcesses | None = None,
) -> Outcome:
    """Previews a program or brings it up, on the state that a run directory has, and ends it after `limit` seconds.

    Raises:
        ProgramError: it did not run.
    """
    file = program.entry / "__main__.py" if program.entry.is_dir() else program.entry
    if not file.is_file():
        name = file.relative_to(program.root) if file.is_relative_to(program.root) else file.name
        raise ProgramError(f"{name}: missing, so there is no program to run")
    watch = _Watch(program.python, run, limit)
    try:
        with stand_ins(
            program.python, run, today=program.day, kubeconfig=kubeconfig, processes=processes
        ) as serving:
            engine = Engine(
                run=run,
                tools=tools,
                providers=serving.providers,
                project_root=program.root,
                stack=program.stack,
                extra_config=program.extra,
                serve=watch.serve,
                stand_in_for_encrypted=True,
            )
            if operation == "up":
                result = engine.up()
                states: list[dict[str, Any]] = engine.export().get("resources", [])
                ignored = {state["urn"]: state.get("ignoreChanges", []) for state in states}
                return Outcome(result, ignored, serving.not_simulated(), _assumed(result, serving))
            refused: tuple[str, ...] = ()
            plan = run.root / "plan.json"
            try:
                result = engine.preview(plan=plan)
            except EngineError as error:
                refused = protected(error.result.errors() if error.result else ())
                if not refused:
                    raise
                engine.unprotect()
                result = engine.preview(plan=plan)
            goals = goals_of(plan)
            ignored = {urn: goal.get("ignoreChanges", []) for urn, goal in goals.items()}
            cluster = ApiServer.of(kubeconfig) if kubeconfig else FileCluster(objects_of(run))
            imported = {(token, name) for token, name, _ in _imports(result)}
            azure = trial(result.steps, goals, run.azure, program.day, cluster=cluster, imported=imported)
            return Outcome(
                result, ignored, serving.not_simulated(), _assumed(result, serving), refused, azure
            )
    except EngineError as error:
        if watch.expired:
            raise ProgramError(
                f"the program took longer than {limit:g} s (--time-limit) and was stopped"
            ) from None
        errors = error.result.errors() if error.result else ()
        raise ProgramError(failure(errors or (str(error),), program.root, watch.output.text())) from error
    except (StackFileError, StandInsError) as error:
        raise ProgramError(str(error)) from error


def _imports(result: Result) -> list[list[str]]:
    return [
        message.text.removeprefix(IMPORTED).split(" ", 2)
        for message in result.messages
        if message.text.startswith(IMPORTED)
    ]


def _assumed(result: Result, serving: StandIns) -> tuple[str, ...]:
    """What a program reads or imports and nothing of the stack has made, one sentence each."""
    reads = (read.partition(" ") for read in serving.reads())
    return (
        *(
            f"{_kind(token)} {quoted(arm_id)} is read, and nothing of this stack makes it: whether it is there, and "
            "what it holds, is not known here"
            for token, _, arm_id in reads
        ),
        *(
            f"{_kind(token)} {quoted(name)} is an import of {quoted(arm_id)}, shown as created: whether that is "
            "there and is as the program has it, is not known here"
            for token, name, arm_id in sorted(_imports(result))
        ),
    )


def _kind(token: str) -> str:
    return token.rpartition(":")[2]


class _Watch:
    """Serves a program to the engine, and ends it at the time limit."""

    def __init__(self, python: Path, run: RunDirectory, limit: float) -> None:
        self.expired = False
        self._python, self._run, self._limit = python, run, limit
        self._mark = secrets.token_hex(8)
        self.output = OutputTail()

    @contextmanager
    def serve(self, entry: Path) -> Generator[str]:
        """Serves the program; the form that `Engine.serve` expects."""
        home = self._run.root / "home"
        home.mkdir(exist_ok=True)
        timer = threading.Timer(self._limit, self._expire)
        timer.daemon = True
        try:
            with self.output.captured() as output:
                try:
                    variables = environment(home, self._mark)
                    with language_host.served(
                        entry, self._python, imports=False, environment=variables, output=output
                    ) as address:
                        timer.start()
                        yield address
                finally:
                    timer.cancel()
                    processes.end(self._mark, processes.PROGRAM_MARK)
        finally:
            shutil.rmtree(home, ignore_errors=True)

    def _expire(self) -> None:
        """Ends the program; the engine then ends by itself, or is ended too."""
        self.expired = True
        processes.end(self._mark, processes.PROGRAM_MARK)
        stop = threading.Timer(_ENGINE_PATIENCE, stop_unnoted, (str(self._run.pulumi_workspace), {"pulumi"}))
        stop.daemon = True
        stop.start()
