"""Runs the real `__main__.py` of a project in process, for any stack, in preview or up mode."""

import asyncio
import contextlib
import contextvars
import os
import runpy
import sys
import traceback
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pulumi
from google.protobuf import empty_pb2
from pulumi.runtime import config, mocks, settings
from pulumi.runtime import stack as pulumi_stack
from pulumi.runtime.proto import engine_pb2

from kubeflow_aks.exit_codes import CommandError, InconclusiveError
from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.recorder.answers import Answers
from kubeflow_aks.recorder.monitor import STACK_TYPE, RecordingMonitor, Resource
from kubeflow_aks.recorder.project_file import read_project
from kubeflow_aks.recorder.stack_files import StackConfig, read_stack
from kubeflow_aks.recorder.waiting import leave_out_positions, wait_for_all_at_once

_COMMANDS = Path(__file__).resolve().parents[1]
_CONFIGURATION = ("PULUMI_CONFIG", "PULUMI_CONFIG_SECRET_KEYS")


@dataclass(frozen=True)
class Record:
    """Everything one run of the program registered."""

    stack: str
    resources: dict[str, Resource]
    """By URN, in the order of registration, without the stack itself."""
    outputs: dict[str, Any]
    secret_outputs: frozenset[str]
    unknown_outputs: frozenset[str]
    component_outputs: dict[str, dict[str, Any]]
    """By URN."""
    component_secrets: dict[str, frozenset[str]]
    """Paths of components' outputs that are secret, by URN."""
    invokes: tuple[str, ...]
    messages: tuple[str, ...]
    """What the stack's file hides from this run, and the warnings that the program logged."""

    def of(self, type_token: str) -> list[Resource]:
        """Every resource of a type."""
        return [resource for resource in self.resources.values() if resource.type == type_token]

    def one(self, type_token: str, name: str | None = None) -> Resource:
        """The one resource of a type, and of a name if given.

        Raises:
            LookupError: there is none, or more than one.
        """
        hits = [resource for resource in self.of(type_token) if name in (None, resource.name)]
        if len(hits) != 1:
            raise LookupError(f"{len(hits)} resources of {type_token} {name or ''}: {[r.name for r in hits]}")
        return hits[0]


class RefusedError(CommandError, pulumi.RunError):
    """The program refused its settings; the text has a line for each mistake."""


class RecordingEngine(mocks.MockEngine):
    """Keeps the warnings that the program logs."""

    def __init__(self) -> None:
        super().__init__(None)
        self.messages: list[str] = []

    def Log(self, request: Any) -> None:  # noqa: N802 - name of the protocol
        """Records a warning or an error."""
        if request.severity >= engine_pb2.WARNING:
            self.messages.append(request.message)


def record(
    stack: str,
    *,
    root: Path = PROJECT_ROOT,
    preview: bool = False,
    extra: Mapping[str, Any] | None = None,
    draft: Mapping[str, Any] | None = None,
    answers: mocks.Mocks | None = None,
    program: Callable[[], object] | None = None,
) -> Record:
    """Runs the program once and returns what it registered.

    Each run has a context and an event loop of its own, so that nothing leaks from one to the next.

    Args:
        stack: name of a stack that has a file.
        root: the project folder.
        preview: whether created resources have no outputs yet, as in `pulumi preview`.
        extra: configuration on top of the stack file.
        draft: what the stack file will hold, where it is not written yet.
        answers: what the cloud answers.
        program: what to run instead of `__main__.py`.

    Raises:
        StackFileError: the stack's files cannot be read.
        RefusedError: the program refused its settings; what the stack's file hides from this run is in its notes.
        InconclusiveError: the program is missing, or raised any other error.
    """
    stack_config = read_stack(root, stack, extra, draft=draft)
    project = read_project(root)
    if program is None and not project.program.is_file():
        raise InconclusiveError(
            f"{project.program}: missing; expected a program in Python beside Pulumi.yaml, or where its `main` says"
        )
    monitor, engine = RecordingMonitor(answers or Answers()), RecordingEngine()
    run = program or (lambda: runpy.run_path(str(project.program), run_name="__main__"))
    with _inside(project.program.parent):
        try:
            contextvars.Context().run(_run, stack_config, monitor, engine, root, run, preview=preview)
        except pulumi.RunError as error:
            refused = RefusedError(str(error))
            for note in stack_config.notes:
                refused.add_note(note)
            raise refused from None
        except Exception as error:
            raise InconclusiveError("\n".join(_failure(error, root))) from error
    stack_urn = next(urn for urn, resource in monitor.registered.items() if resource.type == STACK_TYPE)
    outputs, values = monitor.outputs[stack_urn]
    return Record(
        stack=stack,
        resources={urn: resource for urn, resource in monitor.registered.items() if urn != stack_urn},
        outputs=outputs,
        secret_outputs=frozenset(values.secrets),
        unknown_outputs=frozenset(values.unknowns),
        component_outputs={urn: exports for urn, (exports, _) in monitor.outputs.items() if urn != stack_urn},
        component_secrets={
            urn: frozenset(values.secrets) for urn, (_, values) in monitor.outputs.items() if urn != stack_urn
        },
        invokes=tuple(monitor.invokes),
        messages=(*stack_config.notes, *engine.messages),
    )


def _run(
    stack_config: StackConfig,
    monitor: RecordingMonitor,
    engine: RecordingEngine,
    root: Path,
    program: Callable[[], object],
    *,
    preview: bool,
) -> None:
    config.set_all_config(dict(stack_config.values), list(stack_config.secret_keys))
    settings.ROOT.set(None)
    settings.configure(
        mocks.MockSettings(
            monitor=monitor,
            engine=engine,
            project=stack_config.project,
            stack=stack_config.stack,
            dry_run=preview,
            organization="organization",
            root_directory=str(root),
            callbacks=None,
            legacy_apply_enabled=False,
            monitor_features=set(cast(Any, monitor).GetDeploymentInfo(empty_pb2.Empty()).supportedFeatures),
            outputs=set(),
            parallel=None,
            package_refs={},
            base_providers_by_ref={},
        )
    )

    wait_for_all_at_once()
    leave_out_positions()

    def main() -> None:  # the stack's outputs are its exports, not what the program returns
        program()

    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    try:
        loop.run_until_complete(pulumi_stack.run_in_stack(main))
    finally:
        loop.close()
        asyncio.set_event_loop(None)


def _failure(error: Exception, root: Path) -> Generator[str]:
    """An error of the program, and the lines of the project that led to it."""
    yield f"the program failed: {''.join(traceback.format_exception_only(error)).strip()}"
    if isinstance(error, ModuleNotFoundError):
        yield f"  the commands run in the environment {sys.prefix}; install what the program imports there"
    for frame in traceback.extract_tb(error.__traceback__):
        file = Path(frame.filename)
        if file.is_relative_to(root) and ".venv" not in file.parts and not file.is_relative_to(_COMMANDS):
            yield f"  {file.relative_to(root)}:{frame.lineno}: {frame.line}"


@contextlib.contextmanager
def _inside(folder: Path) -> Generator[None]:
    """The program's folder as working directory and first on the import path, as under the language host.

    Configuration in environment variables belongs to another run.
    """
    before = Path.cwd()
    hidden = {name: os.environ.pop(name) for name in _CONFIGURATION if name in os.environ}
    sys.path.insert(0, str(folder))
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
        sys.path.remove(str(folder))
        os.environ.update(hidden)
