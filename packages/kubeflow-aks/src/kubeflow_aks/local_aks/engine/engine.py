"""Preview, up, refresh and destroy of one stack through the Automation API, with state in the run directory."""

import re
import signal
import time
import warnings
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from pulumi.automation.errors import CommandError

from kubeflow_aks import exit_codes
from kubeflow_aks.local_aks.engine import language_host, locks, program
from kubeflow_aks.local_aks.engine.results import Recording, Result
from kubeflow_aks.local_aks.engine.workspace import Command, Stack, Workspace, checkpoints
from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.local_aks.run.files import DamagedFileError
from kubeflow_aks.recorder.project_file import ProjectFile, read_project
from kubeflow_aks.recorder.stack_files import read_stack
from kubeflow_aks.tools import Tools

_LOCK_PATIENCE: Final = 30.0
"""Seconds that another engine has to end: one whose program was killed does so within a few."""

_GARBAGE_COLLECTION: Final = "800"
"""Go's GOGC: the engine lives for a second or two, of which the collector takes a third at Go's default of 100."""

_AZURE_TOKEN: Final = "azure-native:clientSecret"  # noqa: S105 - the name of it
"""The setting that brings the simulated Azure its token: what is set for a package, its default provider gets."""

_KILLED: Final = re.compile(r"\s*code: -(\d+)\n")
"""How the text of a `CommandError` begins where a signal ended the engine (pulumi 3.272.0, automation/_cmd.py)."""

OnOutput = Callable[[str], object]
Serve = Callable[[Path], AbstractContextManager[str]]
"""Serves a program, given by its folder or file, and gives the address of its host, as `program.served` does."""


class EngineError(exit_codes.CommandError):
    """An operation failed; the text is the message of the program, the provider or the engine.

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
        tools: holds the engine, and providers that take the place of attached ones.
        providers: package name to port on 127.0.0.1 of an attached provider.
        project_root: folder of `Pulumi.yaml`, which says where the program is.
        stack: name of a stack that has a file there.
        extra_config: values on top of the stack's file.
        serve: how the program is run; by default ours in this process, any other by `program.served`.
        stand_in_for_encrypted: whether a value that only the stack's owner can decrypt is stood in for
            (`kubeflow_aks.recorder.stack_files.ENCRYPTED`) or refused.
    """

    run: RunDirectory
    tools: Tools
    providers: Mapping[str, int]
    project_root: Path
    stack: str
    extra_config: Mapping[str, Any] = field(default_factory=dict[str, Any])
    serve: Serve | None = None
    stand_in_for_encrypted: bool = False

    def preview(self, on_output: OnOutput | None = None, *, plan: Path | None = None) -> Result:
        """What `up` would do.

        Args:
            on_output: takes what the engine prints.
            plan: file that the engine writes its plan to, with the options of each resource.

        Raises:
            EngineError: the program, a provider or the engine refused.
        """
        call = partial(self._stack.preview, plan=str(plan)) if plan else self._stack.preview
        return self._operate("preview", call, on_output)

    def up(self, on_output: OnOutput | None = None, *, targets: Sequence[str] = ()) -> Result:
        """Creates, updates and deletes until the resources match the program.

        Args:
            on_output: takes what the engine prints.
            targets: URNs, with `*` and `**`, of the only resources that change; all by default.

        Raises:
            EngineError: it stopped half-way; what was done is in the state.
        """
        call = partial(self._stack.up, target=list(targets)) if targets else self._stack.up
        return self._operate("up", call, on_output)

    def refresh(self, on_output: OnOutput | None = None) -> Result:
        """Takes over into the state what was changed behind the engine's back.

        Raises:
            EngineError: a provider or the engine refused.
        """
        return self._operate("refresh", self._stack.refresh, on_output)

    def destroy(self, on_output: OnOutput | None = None) -> Result:
        """Deletes every resource of the stack.

        Raises:
            EngineError: a resource is protected, or a provider or the engine refused.
        """
        return self._operate("destroy", self._stack.destroy, on_output)

    def export(self) -> dict[str, Any]:
        """The deployment as the engine stores it, secrets encrypted.

        Raises:
            EngineError: it can't be read.
            DamagedFileError: it is not complete.
        """
        stack = self._stack
        try:
            return stack.deployment()
        except OSError as error:
            raise EngineError(f"reading the state of stack {self.stack!r} failed:\n{error}") from error

    def outputs(self) -> Outputs:
        """The stack's outputs as the last `up` left them.

        Raises:
            EngineError: they can't be read.
        """
        with self._engine_errors("reading the outputs"):
            outputs = self._stack.workspace.stack_outputs(self.stack)
        secret_names = frozenset(name for name, output in outputs.items() if output.secret)
        return Outputs({name: output.value for name, output in outputs.items()}, secret_names)

    def unprotect(self) -> None:
        """Takes the protection off every resource in the state; the program may protect them again.

        Raises:
            EngineError: the state can't be read or written.
        """
        with self._engine_errors("taking the protection away"):
            self._stack.workspace.unprotect(self.stack)

    def _operate(self, operation: str, call: Callable[..., object], on_output: OnOutput | None) -> Result:
        self._wait_for_others()
        recording, lines = Recording(), list[str]()

        def show(line: str) -> None:
            lines.append(line)
            if on_output:
                on_output(line)

        # Of an engine that a signal ended; what came of it, the operation reports.
        warnings.filterwarnings("ignore", message="Error in event stream")
        failure: CommandError | None = None
        with self._program():
            begun = time.monotonic()
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
            reasons = reasons.replace(f"{self.run.pulumi_workspace}/", "")  # where Pulumi.yaml was taken over
            raise EngineError(f"{operation} of stack {self.stack!r} failed:\n{reasons}", result) from failure
        return result

    @contextmanager
    def _program(self) -> Generator[None]:
        """Has the program ready for the engine, which in refresh and destroy connects to it without running it."""
        serve = self._serve
        if serve is None:
            with program.fresh(self._project.entry):
                yield
            return
        workspace = self._stack.workspace
        try:
            with serve(self._project.entry) as workspace.language_host:
                yield
        except program.ProgramError as error:
            raise EngineError(str(error)) from error
        finally:
            workspace.language_host = ""

    @property
    def _serve(self) -> Serve | None:
        """How the program is run in a process of its own; None for in this one."""
        ours = program.is_ours(self._project.entry)
        return self.serve or (None if ours else partial(program.served, root=self.project_root))

    @cached_property
    def _project(self) -> ProjectFile:
        return read_project(self.project_root)

    @contextmanager
    def _engine_errors(self, operation: str) -> Generator[None]:
        """Raises the failure of an engine's command as an `EngineError` that names the operation."""
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
        if config.secret_keys and not self.stand_in_for_encrypted:
            keys = ", ".join(config.secret_keys)
            raise EngineError(
                f"Pulumi.{self.stack}.yaml: {keys}: encrypted with a key that only the stack's owner has"
            )
        if checkpoints(self.run.pulumi_state) and not self.run.passphrase_file.exists():
            raise DamagedFileError(self.run.passphrase_file, "is missing")
        for folder in (self.run.pulumi_home, self.run.pulumi_state, self.run.pulumi_workspace):
            folder.mkdir(parents=True, exist_ok=True)
        # A file where the engine would make its folder for logs: writing them takes a quarter of its time.
        (self.run.pulumi_home / "logs").touch()
        workspace = Workspace(
            work_dir=str(self.run.pulumi_workspace),
            pulumi_home=str(self.run.pulumi_home),
            program=None if self._serve else partial(language_host.run, self._project.entry),
            env_vars=self._environment(),
            pulumi_command=Command(self.tools["pulumi"]),
        )
        secrets = {_AZURE_TOKEN: self.run.azure_token()} if "azure-native" in self.providers else {}
        with self._engine_errors("the beginning"):
            workspace.describe(self._project, config.secret_keys)
            stack = Stack(self.stack, workspace, self.run.pulumi_state, config.project)
            workspace.configure(self.stack, config.settings, secrets)
        return stack

    def _environment(self) -> dict[str, str]:
        return {
            "PULUMI_BACKEND_URL": backend_url(self.run),
            "PULUMI_CONFIG_PASSPHRASE": self.run.passphrase(),
            "PULUMI_DEBUG_PROVIDERS": ",".join(
                f"{name}:{port}"
                for name, port in self.providers.items()
                if f"pulumi-resource-{name}" not in self.tools.paths
            ),
            "PATH": self.tools.environment()["PATH"],  # where the engine looks for the others first
            "PULUMI_IGNORE_AMBIENT_PLUGINS": "false",
            "GOGC": _GARBAGE_COLLECTION,
            "GIT_OPTIONAL_LOCKS": "0",  # the engine runs `git status`, which would write the user's index
            "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
            "PULUMI_SKIP_UPDATE_CHECK": "true",
        }


def backend_url(run: RunDirectory) -> str:
    """Where the engine keeps its state.

    Without metadata: its files are not written in one go, and an empty one left by a kill makes the state unreadable
    ("failed to load checkpoint: EOF").
    """
    return f"file://{quote(str(run.pulumi_state))}?metadata=skip"


def _reason(error: CommandError) -> str:
    """What a command wrote to stderr, or the signal that ended it."""
    text = str(error)
    if killed := _KILLED.match(text):
        name = signal.Signals(int(killed[1])).name
        return f"the engine was ended by {name}; run the command again"
    return (text.partition("\n stderr: ")[2] or text).strip()
