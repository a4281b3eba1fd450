"""Preview, up, refresh and destroy of one stack through the Automation API, with state in the run directory."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Final

from pulumi import automation
from pulumi.automation.errors import CommandError

from local_aks.engine import locks, program
from local_aks.engine.results import Recording, Result
from local_aks.engine.workspace import Stack, Workspace, command
from local_aks.run.directory import RunDirectory
from recorder.stack_files import read_stack
from tools import Tools

_LOCK_PATIENCE: Final = 30.0
"""Seconds: an engine whose program was killed notices within a few."""

_GARBAGE: Final = "400"
"""The engine lives for a second or two; as a rule Go's garbage collector takes a third of its time."""

_AZURE_TOKEN: Final = "azure-native:clientSecret"  # noqa: S105 - the name of it
"""The setting that brings the simulated Azure its token: what is set for a package, its default provider gets."""

OnOutput = Callable[[str], object]


class EngineError(Exception):
    """An operation failed; the text says why, in the words of program, provider or engine.

    Attributes:
        result: what was done before it failed; None where nothing was begun.
    """

    def __init__(self, text: str, result: Result | None = None) -> None:
        super().__init__(text)
        self.result = result


@dataclass(frozen=True)
class Outputs:
    """A stack's outputs in the clear, and the names of those that the engine keeps secret."""

    values: Mapping[str, Any]
    secret_names: frozenset[str]


@dataclass(frozen=True)
class Engine:
    """The real engine for one stack of the program.

    Attributes:
        run: where state, passphrase and settings of the engine are.
        tools: holds the engine.
        providers: package name to port on 127.0.0.1 of an attached provider.
        project_root: folder of `Pulumi.yaml` and `__main__.py`.
        stack: name of a stack that has a file there.
        extra_config: values on top of the stack's file.
    """

    run: RunDirectory
    tools: Tools
    providers: Mapping[str, int]
    project_root: Path
    stack: str
    extra_config: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def preview(self, on_output: OnOutput | None = None) -> Result:
        """What `up` would do.

        Raises:
            EngineError: the program, a provider or the engine refused.
        """
        return self._operate("preview", self._stack.preview, on_output, runs_program=True)

    def up(self, on_output: OnOutput | None = None) -> Result:
        """Creates, updates and deletes until what exists is what the program says.

        Raises:
            EngineError: it stopped half-way; what was done is in the state.
        """
        return self._operate("up", self._stack.up, on_output, runs_program=True)

    def refresh(self, on_output: OnOutput | None = None) -> Result:
        """Takes over into the state what was changed behind the engine's back.

        Raises:
            EngineError: a provider or the engine refused.
        """
        return self._operate("refresh", self._stack.refresh, on_output, runs_program=False)

    def destroy(self, on_output: OnOutput | None = None) -> Result:
        """Deletes every resource of the stack.

        Raises:
            EngineError: a resource is protected, or a provider or the engine refused.
        """
        return self._operate("destroy", self._stack.destroy, on_output, runs_program=False)

    def export(self) -> dict[str, Any]:
        """The deployment as the engine stores it, secrets encrypted.

        Raises:
            EngineError: it can't be read.
        """
        with self._telling("reading the state"):
            return dict(self._stack.export_stack().deployment or {})

    def outputs(self) -> Outputs:
        """The stack's outputs as the last `up` left them.

        Raises:
            EngineError: they can't be read.
        """
        with self._telling("reading the outputs"):
            outputs = self._stack.workspace.stack_outputs(self.stack)
        secret_names = frozenset(name for name, output in outputs.items() if output.secret)
        return Outputs({name: output.value for name, output in outputs.items()}, secret_names)

    def _operate(
        self, operation: str, call: Callable[..., object], on_output: OnOutput | None, *, runs_program: bool
    ) -> Result:
        self._wait_for_others()
        recording, lines, begun = Recording(), list[str](), time.monotonic()

        def show(line: str) -> None:
            lines.append(line)
            if on_output:
                on_output(line)

        failure: CommandError | None = None
        with program.fresh(self.project_root) if runs_program else nullcontext():
            try:
                call(on_output=show, on_error=show, on_event=recording, color="never", suppress_progress=True)
            except CommandError as error:
                failure = error
        result = Result(
            operation=operation,
            changes=recording.changes,
            steps=tuple(recording.steps),
            messages=tuple(recording.messages),
            console="\n".join(lines),
            seconds=time.monotonic() - begun,
        )
        if failure:
            reasons = "\n".join(result.errors()) or _reason(failure)
            raise EngineError(f"{operation} of stack {self.stack!r} failed:\n{reasons}", result) from failure
        return result

    @contextmanager
    def _telling(self, operation: str) -> Generator[None]:
        """Turns the failure of an engine's command into an error for the user."""
        try:
            yield
        except CommandError as error:
            raise EngineError(f"{operation} of stack {self.stack!r} failed:\n{_reason(error)}") from error

    def _wait_for_others(self) -> None:
        holder = locks.release_dead(self.run, _LOCK_PATIENCE)
        if holder is not None:
            raise EngineError(f"another engine ({holder}) is at work on stack {self.stack!r}")

    @cached_property
    def _stack(self) -> Stack:
        config = read_stack(self.project_root, self.stack, self.extra_config)
        if config.secret_keys:
            keys = ", ".join(config.secret_keys)
            raise EngineError(
                f"Pulumi.{self.stack}.yaml: {keys}: encrypted with a key that only the stack's owner has"
            )
        for folder in (self.run.pulumi_home, self.run.pulumi_state, self.run.pulumi_workspace):
            folder.mkdir(parents=True, exist_ok=True)
        # In the place of the engine's folder for logs, which nobody reads and which take a quarter of its time.
        (self.run.pulumi_home / "logs").touch()
        workspace = Workspace(
            work_dir=str(self.run.pulumi_workspace),
            pulumi_home=str(self.run.pulumi_home),
            program=partial(program.run, self.project_root),
            env_vars=self._environment(),
            project_settings=automation.ProjectSettings(
                config.project, runtime="python", main=str(self.project_root)
            ),
            pulumi_command=command(self.tools["pulumi"]),
        )
        secrets = {_AZURE_TOKEN: self.run.azure_token()} if "azure-native" in self.providers else {}
        with self._telling("the beginning"):
            stack = Stack(self.stack, workspace, self.run.pulumi_state)
            workspace.configure(self.stack, config.values, secrets)
        return stack

    def _environment(self) -> dict[str, str]:
        return {
            # Without metadata: its files are not written in one go, and an empty one left by a kill makes the state
            # unreadable ("failed to load checkpoint: EOF").
            "PULUMI_BACKEND_URL": f"file://{self.run.pulumi_state}?metadata=skip",
            "PULUMI_CONFIG_PASSPHRASE": self.run.passphrase(),
            "PULUMI_DEBUG_PROVIDERS": ",".join(f"{name}:{port}" for name, port in self.providers.items()),
            "GOGC": _GARBAGE,
            "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
            "PULUMI_SKIP_UPDATE_CHECK": "true",
        }


def _reason(error: CommandError) -> str:
    """What a command wrote to stderr."""
    text = str(error)
    return (text.partition("\n stderr: ")[2] or text).strip()
