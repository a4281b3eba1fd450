"""Runs one program for one stack: with the Python of its own environment, in a process of its own, for a limited time.

The program is somebody's who asks for a change. It gets no variable of this process but the few that every program
needs, an empty home folder and no input; what it prints is read and forgotten but for the end of it; and whatever it
starts is ended with it.
"""

from __future__ import annotations

import json
import secrets
import shutil
import threading
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Final, Literal

from local_aks.engine import Engine, EngineError, Result, program
from local_aks.run.directory import RunDirectory
from local_aks.run.processes import stop_unnoted
from pull_request.failures import failure, protected
from pull_request.stand_ins import StandInsError, stand_ins
from recorder.stack_files import StackFileError
from revisions import processes
from revisions.programs import LastWords, ProgramError, environment
from tools import Tools

_ENGINE_PATIENCE: Final = 10.0
"""Seconds that the engine has to notice that its program was ended."""


@dataclass(frozen=True)
class Program:
    """The program of one tree, for one stack.

    Attributes:
        root: the project folder.
        python: of the environment that its lock file asks for.
        stack: name of a stack that has a file there.
        day: the day on which it and Azure judge.
        extra: configuration on top of the stack's file.
    """

    root: Path
    python: Path
    stack: str
    day: date
    extra: Mapping[str, Any]


@dataclass(frozen=True)
class Outcome:
    """What one operation did.

    Attributes:
        result: what the engine says of it.
        ignored: by URN the inputs whose later changes the engine leaves alone, which it does not say there.
        not_simulated: types that no stand-in knows.
        refused: URNs of what is protected and would be replaced or deleted, which `up` refuses; the result of a preview
            is then that without the protection.
    """

    result: Result
    ignored: Mapping[str, Sequence[str]]
    not_simulated: tuple[str, ...]
    refused: tuple[str, ...] = ()


def operate(
    operation: Literal["preview", "up"],
    of: Program,
    run: RunDirectory,
    tools: Tools,
    *,
    limit: float,
    kubeconfig: Path | None = None,
) -> Outcome:
    """Previews a program or brings it up, on the state that a run directory has.

    Args:
        operation: which of both.
        of: the program.
        run: where state is, of the engine as of the stand-ins.
        tools: has the engine.
        limit: seconds after which the program is ended.
        kubeconfig: of a real API server.

    Raises:
        ProgramError: it did not run.
    """
    if not (of.root / "__main__.py").is_file():
        raise ProgramError("__main__.py: no such file, so there is no program")
    watch = _Watch(of.python, run, limit)
    try:
        with stand_ins(of.python, run, today=of.day, kubeconfig=kubeconfig) as answering:
            engine = Engine(
                run=run,
                tools=tools,
                providers=answering.providers,
                project_root=of.root,
                stack=of.stack,
                extra_config=of.extra,
                serve=watch.served,
                stand_in_for_encrypted=True,
            )
            refused: tuple[str, ...] = ()
            if operation == "up":
                result = engine.up()
                states: list[dict[str, Any]] = engine.export().get("resources", [])
                ignored = {state["urn"]: state.get("ignoreChanges", []) for state in states}
            else:
                plan = run.root / "plan.json"
                try:
                    result = engine.preview(plan=plan)
                except EngineError as error:
                    refused = protected(error.result.errors() if error.result else ())
                    if not refused:
                        raise
                    engine.unprotect()
                    result = engine.preview(plan=plan)
                ignored = _ignored(plan)
            return Outcome(result, ignored, answering.not_simulated(), refused)
    except EngineError as error:
        if watch.expired:
            raise ProgramError(
                f"the program did not end within {limit:g} s (--time-limit) and was ended"
            ) from None
        errors = error.result.errors() if error.result else ()
        raise ProgramError(failure(errors or (str(error),), of.root, watch.words.text())) from error
    except (StackFileError, StandInsError) as error:
        raise ProgramError(str(error)) from error


def _ignored(plan: Path) -> dict[str, list[str]]:
    planned = json.loads(plan.read_text(encoding="utf-8"))["resourcePlans"]
    goals: dict[str, dict[str, Any]] = {urn: of["goal"] for urn, of in planned.items() if of.get("goal")}
    return {urn: goal.get("ignoreChanges", []) for urn, goal in goals.items()}


class _Watch:
    """Looks after a program while it runs."""

    def __init__(self, python: Path, run: RunDirectory, limit: float) -> None:
        self.expired = False
        self._python, self._run, self._limit = python, run, limit
        self._mark = secrets.token_hex(8)
        self.words = LastWords()

    @contextmanager
    def served(self, root: Path) -> Generator[str]:
        """The program, as `Engine.serve` wants it."""
        home = self._run.root / "home"
        home.mkdir(exist_ok=True)
        timer = threading.Timer(self._limit, self._expire)
        timer.daemon = True
        try:
            with self.words.heard() as output:
                try:
                    variables = environment(home, self._mark)
                    with program.served(root, self._python, environment=variables, output=output) as address:
                        timer.start()
                        yield address
                finally:
                    timer.cancel()
                    processes.end(self._mark, processes.PROGRAM_MARK)
        finally:
            shutil.rmtree(home, ignore_errors=True)

    def _expire(self) -> None:
        """Ends the program; its engine ends by itself then, or is ended, too."""
        self.expired = True
        processes.end(self._mark, processes.PROGRAM_MARK)
        stop = threading.Timer(_ENGINE_PATIENCE, stop_unnoted, (str(self._run.pulumi_workspace), {"pulumi"}))
        stop.daemon = True
        stop.start()
