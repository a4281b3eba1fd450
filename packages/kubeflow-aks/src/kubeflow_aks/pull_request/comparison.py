"""One stack under both trees: the base brought up, the head previewed on its state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from kubeflow_aks.local_aks.control_plane import kwokctl
from kubeflow_aks.local_aks.control_plane.kwokctl import ControlPlane, ControlPlaneError
from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.pull_request import configuration
from kubeflow_aks.pull_request.bases import Bases, key_of
from kubeflow_aks.pull_request.changes import changes_of, run_of, without_apparent_replacements
from kubeflow_aks.pull_request.observed import Observed, Run
from kubeflow_aks.pull_request.programs import Outcome, Program, operate
from kubeflow_aks.pull_request.runs import run_in
from kubeflow_aks.pull_request.stand_ins import StandInProcesses
from kubeflow_aks.pull_request.unjudged import UnjudgedProgramError, require_known, unjudged
from kubeflow_aks.recorder.project_file import StackFileError, read_project
from kubeflow_aks.recorder.stack_files import read_stack
from kubeflow_aks.revisions.programs import ProgramError
from kubeflow_aks.revisions.trees import Report, Tree
from kubeflow_aks.tools import Tools


@dataclass(frozen=True)
class Comparison:
    """Compares stacks under two trees.

    Attributes:
        base: the tree that the change started from, with the files of its settings.
        complete: writes all other files of it.
        tools: has the engine.
        limit: seconds that each program may take.
        control_plane: whether a real API server takes the Kubernetes objects; `tools` has it then.
        renamed: stacks of one tree that seem to be stacks of the other: their names there.
        notes: for the report of every stack.
    """

    base: Tree
    complete: Callable[[], None]
    head: Tree
    stand_ins: StandInProcesses
    place: Path
    bases: Bases
    tools: Tools
    limit: float
    control_plane: bool
    renamed: Mapping[str, str]
    notes: tuple[str, ...]
    report: Report

    def of(self, stack: str, *, in_base: bool, in_head: bool) -> Observed:
        """The difference that the head makes to one stack."""
        roots = self.base.root if in_base else None, self.head.root if in_head else None
        observed = Observed(
            stack=stack,
            base_revision=self.base.revision,
            head_revision=self.head.revision,
            base=None,
            head=None,
            other_name=self.renamed.get(stack, ""),
            former_project=configuration.former_project(stack, *roots),
            not_judged=tuple(unjudged(stack, roots[0], roots[1])) if roots[1] else (),
            notes=(*self.notes, *configuration.notes(stack, *roots)),
        )
        state = run_in(self.place, stack)
        try:
            if in_base:
                observed = replace(observed, base=self._base(stack, state))
            if observed.base and observed.base.failure:
                self._stop(state)
                state = run_in(self.place, f"{stack}-without-base")
            return self._head(observed, state) if in_head else observed
        finally:
            self._stop(state)

    def _base(self, stack: str, state: RunDirectory) -> Run:
        """Brings the base up or restores its state, which the head needs."""
        try:
            program = self._program(self.base, stack)
            key = key_of(self.base.hash, stack, self.base.lock(), program.extra, program.day.isoformat())
            restored = None if self.control_plane else self.bases.restore(key, state)
            if restored:
                return restored
            self.report(f"{stack}: bringing up the base …")
            self.complete()
            done = self._operate("up", program, state)
        except ProgramError as error:
            return Run(failure=str(error))
        run = run_of(done.result, done.ignored, done.assumed)
        # What the program warns of a setting that only this preview makes.
        if day := program.extra.get("asOf"):
            run = replace(run, warnings=tuple(text for text in run.warnings if f"asOf is {day}" not in text))
        if not self.control_plane:
            self.bases.store(key, state, run)
        return run

    def _head(self, observed: Observed, state: RunDirectory) -> Observed:
        self.report(f"{observed.stack}: previewing the change …")
        try:
            done = self._operate("preview", self._program(self.head, observed.stack), state)
        except ProgramError as error:
            unknown = (str(error),) if isinstance(error, UnjudgedProgramError) else ()
            return replace(
                observed, head=Run(failure=str(error)), not_judged=(*observed.not_judged, *unknown)
            )
        changes, apparent = without_apparent_replacements(changes_of(done.result.steps, done.not_simulated))
        before = observed.base.assumed if observed.base else ()
        assumed = (text for text in done.assumed if text not in before)
        not_simulated = (f"{name} is not simulated: shown from the plan" for name in done.not_simulated)
        return replace(
            observed,
            head=run_of(done.result, done.ignored, done.assumed),
            not_judged=(*observed.not_judged, *assumed),
            changes=changes,
            looks_replaced=apparent,
            refused=tuple(urn.rpartition("::")[2] for urn in done.refused),
            azure=done.azure,
            notes=(*observed.notes, *not_simulated),
        )

    def _operate(self, operation: Literal["preview", "up"], program: Program, state: RunDirectory) -> Outcome:
        kubeconfig = self._api_server(state) if self.control_plane else None
        return operate(
            operation,
            program,
            state,
            self.tools,
            limit=self.limit,
            kubeconfig=kubeconfig,
            processes=self.stand_ins,
        )

    def _program(self, tree: Tree, stack: str) -> Program:
        """The program of a tree. The base uses its commit date as `asOf`, unless the stack sets one."""
        try:
            project = read_project(tree.root)
            require_known(project)
            config = read_stack(tree.root, stack)
        except StackFileError as error:
            raise ProgramError(str(error)) from error
        dated = tree is self.base and config.values.get(f"{config.project}:asOf") == ""
        return Program(
            root=tree.root,
            entry=project.entry,
            python=tree.python(self.report),
            stack=stack,
            day=tree.revision.day if dated else datetime.now(UTC).date(),
            extra={"asOf": tree.revision.day.isoformat()} if dated else {},
        )

    def _api_server(self, state: RunDirectory) -> Path:
        try:
            ControlPlane(state, self.tools, self.report).start()
        except ControlPlaneError as error:
            raise ProgramError(str(error)) from error
        return state.kubeconfig

    def _stop(self, state: RunDirectory) -> None:
        if self.control_plane:
            kwokctl.stop(state)
