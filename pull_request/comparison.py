"""One stack under both trees: the base brought up, the head previewed on its state."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from local_aks.control_plane.kwokctl import ControlPlane, ControlPlaneError
from local_aks.run.directory import RunDirectory
from pull_request.bases import Bases, key_of
from pull_request.changes import changes_of, really_replaced, run_of
from pull_request.observed import Observed, Revision, Run
from pull_request.programs import Outcome, Program, ProgramError, operate
from pull_request.workplace import Workplace
from recorder.run import PROJECT_ROOT
from recorder.stack_files import StackConfig, StackFileError, read_stack
from recorder.yaml_v3 import YamlError, load
from tools import Tools
from tools.environments import environment
from tools.errors import BuildError

_LOCK: Final = "requirements.txt"
Report = Callable[[str], object]


@dataclass(frozen=True)
class Tree:
    """One of the two trees.

    Attributes:
        root: the project folder in it.
        revision: which one it is.
        hash: what git calls its content; empty for a tree as it lies.
        what: what the user calls it: base or head.
    """

    root: Path
    revision: Revision
    hash: str
    what: str

    @property
    def lock(self) -> bytes:
        """The lock file.

        Raises:
            ProgramError: there is none.
        """
        try:
            return (self.root / _LOCK).read_bytes()
        except OSError as error:
            raise ProgramError(f"{_LOCK}: {error.strerror}, so nobody knows what the program needs") from None


@dataclass(frozen=True)
class Comparison:
    """How stacks are compared.

    Attributes:
        base: the tree that the change started from.
        head: the tree that is asked about.
        place: for what is needed meanwhile.
        bases: states of bases that were brought up before.
        tools: has the engine.
        limit: seconds that each program has.
        control_plane: whether a real API server takes the Kubernetes objects; `tools` has it then.
        notes: what holds for every stack.
        report: takes lines that tell how far it is.
    """

    base: Tree
    head: Tree
    place: Workplace
    bases: Bases
    tools: Tools
    limit: float
    control_plane: bool
    notes: tuple[str, ...]
    report: Report

    def of(self, stack: str, *, in_base: bool, in_head: bool) -> Observed:
        """What the head changes of one stack."""
        one = _One(self, stack)
        observed = Observed(stack, self.base.revision, self.head.revision, None, None)
        try:
            base = one.base() if in_base else None
            observed = replace(observed, base=base, notes=(*self.notes, *one.notes(in_base, in_head)))
            return one.head(observed) if in_head else observed
        finally:
            one.close()


class _One:
    """One stack; its state is in a run directory of its own."""

    def __init__(self, how: Comparison, stack: str) -> None:
        self._how, self._stack = how, stack
        self._run: RunDirectory | None = None
        self._plane: ControlPlane | None = None

    def base(self) -> Run:
        """The base brought up, or as it was kept; its state is what the head is previewed on."""
        how = self._how
        try:
            program = self._program(how.base)
            day = program.day.isoformat()
            key = key_of(how.base.hash, self._stack, how.base.lock, program.extra, day)
            kept = None if how.control_plane else how.bases.take(key, how.place.folder / "runs" / self._stack)
            if kept:
                self._run, run = kept
                return run
            how.report(f"{self._stack}: bringing the base up …")
            done = self._operate("up", program)
            run = run_of(done.result, done.ignored)
            if not how.control_plane:
                how.bases.keep(key, self._directory, run)
        except ProgramError as error:
            self._start_anew()
            return Run(failure=str(error))
        return run

    def head(self, observed: Observed) -> Observed:
        """The head previewed on what is there."""
        how = self._how
        how.report(f"{self._stack}: previewing the change …")
        try:
            done = self._operate("preview", self._program(how.head))
        except ProgramError as error:
            return replace(observed, head=Run(failure=str(error)))
        changes, only_look = really_replaced(changes_of(done.result.steps, done.not_simulated))
        unknown = (f"{name} is not simulated: shown from the plan" for name in done.not_simulated)
        return replace(
            observed,
            head=run_of(done.result, done.ignored),
            changes=changes,
            looks_replaced=only_look,
            refused=tuple(urn.rpartition("::")[2] for urn in done.refused),
            notes=(*observed.notes, *unknown, *_refused(done.refused)),
        )

    def notes(self, in_base: bool, in_head: bool) -> Iterator[str]:  # noqa: FBT001 - one for each tree
        """What can't be seen of the stack's configuration."""
        how = self._how
        configs = [
            _config(tree.root, self._stack) if there else None
            for tree, there in ((how.base, in_base), (how.head, in_head))
        ]
        known = [config for config in configs if config]
        yield from dict.fromkeys(note for config in reversed(known) for note in config.notes)
        if len(known) == len(configs):
            projects = {config.project for config in known}
            if len(projects) > 1:
                yield f"the project is renamed ({' → '.join(projects)}), which Pulumi takes for another stack: move its state first"
            for key in _encrypted_anew(how.base.root, how.head.root, self._stack):
                yield f"{key} is encrypted anew: whether its value changes, and what that changes, is not shown"

    def close(self) -> None:
        """Ends what was started."""
        if self._plane:
            self._plane.stop()

    def _operate(self, operation: Any, program: Program) -> Outcome:
        kubeconfig = None
        if self._how.control_plane:
            kubeconfig = self._api_server()
        return operate(
            operation,
            program,
            self._directory,
            self._how.tools,
            limit=self._how.limit,
            kubeconfig=kubeconfig,
        )

    def _program(self, tree: Tree) -> Program:
        """The program, judged on its tree's day where it can be told that day and was not told another one."""
        python = _python(tree, self._how.report)
        try:
            config = read_stack(tree.root, self._stack)
        except StackFileError as error:
            raise ProgramError(str(error)) from error
        dated = tree is self._how.base and config.values.get(f"{config.project}:asOf") == ""
        extra = {"asOf": tree.revision.day.isoformat()} if dated else {}
        day = tree.revision.day if dated else datetime.now(UTC).date()
        return Program(tree.root, python, self._stack, day, extra)

    @cached_property
    def _directory(self) -> RunDirectory:
        return self._run or self._how.place.run(self._stack)

    def _start_anew(self) -> None:
        """Has an empty state, whatever a base that failed half-way left."""
        self.close()
        self._plane = None
        self._run = self._how.place.run(f"{self._stack}-new")
        self.__dict__.pop("_directory", None)

    def _api_server(self) -> Path:
        if not self._plane:
            self._plane = ControlPlane(self._directory, self._how.tools, self._how.report)
            try:
                self._plane.start()
            except ControlPlaneError as error:
                raise ProgramError(str(error)) from error
        return self._directory.kubeconfig


def _python(tree: Tree, report: Report) -> Path:
    """The Python of the environment that a tree's lock file asks for."""
    lock = tree.lock
    if lock == (PROJECT_ROOT / _LOCK).read_bytes():
        return Path(sys.executable)
    try:
        return environment(lock, f"the {tree.what}", report)
    except BuildError as error:
        raise ProgramError(str(error)) from error


def _refused(urns: Sequence[str]) -> Iterator[str]:
    if urns:
        yield (
            "`pulumi up` refuses this change, because it would replace or delete what is protected; shown is what it "
            "would do without the protection (docs/how-to/protect-and-destroy.md)"
        )


def _config(root: Path, stack: str) -> StackConfig | None:
    """A stack's configuration; None where it can't be read, which the run tells."""
    try:
        return read_stack(root, stack)
    except StackFileError:
        return None


def _encrypted_anew(base: Path, head: Path, stack: str) -> list[str]:
    """Keys of values that are encrypted in both trees, otherwise in each."""
    before, after = (_ciphertexts(root / f"Pulumi.{stack}.yaml") for root in (base, head))
    return sorted(key for key in before.keys() & after.keys() if before[key] != after[key])


def _ciphertexts(file: Path) -> dict[str, str]:
    try:
        return dict(_secure("", load(file.read_text(encoding="utf-8")).get("config") or {}))
    except (OSError, YamlError, UnicodeDecodeError, AttributeError):
        return {}


def _secure(path: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and list(value) == ["secure"]:
        yield path, str(value["secure"])
    elif isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in items:
            yield from _secure(f"{path}.{key}".lstrip("."), item)
