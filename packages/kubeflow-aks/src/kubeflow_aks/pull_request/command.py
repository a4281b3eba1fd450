"""What `kubeflow-aks diff` does: shows what a change would do to each stack, without an account."""

import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import replace
from pathlib import Path
from typing import Final

from kubeflow_aks import tools
from kubeflow_aks.exit_codes import ExitCode, InconclusiveError, UsageError
from kubeflow_aks.ownership import NotOurFolderError, open_folder
from kubeflow_aks.policy.rule import Violation
from kubeflow_aks.project import is_stack_name
from kubeflow_aks.pull_request.bases import Bases
from kubeflow_aks.pull_request.comparison import Comparison, stop_runs
from kubeflow_aks.pull_request.configuration import renamed
from kubeflow_aks.pull_request.observed import Observed
from kubeflow_aks.pull_request.priced import priced
from kubeflow_aks.pull_request.report import ChangeDocument, change_document, comment, terminal
from kubeflow_aks.pull_request.stand_ins import StandInProcesses
from kubeflow_aks.pull_request.violations import Exceptions, judge
from kubeflow_aks.recorder.stack_files import stack_names
from kubeflow_aks.revisions import processes
from kubeflow_aks.revisions.repository import Repository
from kubeflow_aks.revisions.trees import Tree
from kubeflow_aks.revisions.workplace import settings_of, workplace
from kubeflow_aks.text.files import write_whole
from kubeflow_aks.text.sentences import shown
from kubeflow_aks.text.terminal import terminal_width
from kubeflow_aks.tools import manifest
from kubeflow_aks.tools.build import build
from kubeflow_aks.tools.errors import BuildError

_AT_ONCE: Final = 2
"""Stacks that are looked at side by side."""
_SWEEP_SECONDS: Final = 0.2
COMMENT: Final = "preview.markdown"
"""Name of the file with the comment on all stacks that were compared."""


@processes.ended_with_this_one()
def preview(
    base: str, root: Path, *, stacks: Sequence[str] = (), control_plane: bool = False, limit: float = 300.0
) -> ExitCode:
    """Prints what changes; writes `preview.markdown` and `<stack>.json` into `build/pr-preview`.

    Returns:
        FINDING where the head does not run, violates a mandatory rule, or would replace or delete what is protected, so
        that `pulumi up` refuses it; or where Azure refuses a part of it.

    Raises:
        UsageError: there is no such commit or stack.
        CommandError: nothing can be compared.
    """
    repository = Repository.of(root)
    head, start = repository.head(), repository.base(base)
    try:
        folder = open_folder(root / "build", "pr-preview")
        work, bases = (open_folder(root / "build", "pr-preview", name) for name in ("work", "bases"))
    except NotOurFolderError as error:  # a branch may bring it, and says nothing by that about its program
        raise InconclusiveError(str(error)) from None
    built, notes = _tools(control_plane=control_plane)
    with (
        workplace(work, root, stop=stop_runs) as place,
        StandInProcesses() as stand_ins,
        settings_of(start.commit, place, root) as tree,
    ):
        os.environ[processes.MARK] = place.mark
        theirs = Tree(tree.folder / repository.within, start, repository.tree(start.commit), "base")
        exceptions = Exceptions.of(theirs.root, root)
        in_base, in_head = stack_names(theirs.root), repository.stacks()
        in_head += [name for name in stacks if name in stack_names(root) and name not in in_head]
        for name in sorted(name for name in {*in_base, *in_head} if not is_stack_name(name)):
            _report(f"{f'Pulumi.{name}.yaml'!a}: no stack can have that name; left out")
        in_base, in_head = (list(filter(is_stack_name, names)) for names in (in_base, in_head))
        selected = stacks or sorted({*in_base, *in_head})
        if unknown := sorted({*selected} - {*in_base, *in_head}):
            stack_list = ", ".join(sorted({*in_base, *in_head})) or "none"
            raise UsageError(f"--stack: {shown(unknown[0])} is not allowed; expected one of {stack_list}")
        if not selected:
            raise UsageError("neither tree has a stack: no file Pulumi.<stack>.yaml")
        comparison = Comparison(
            base=theirs,
            complete=tree.complete,
            head=Tree(root, head, "", "head"),
            stand_ins=stand_ins,
            place=place.folder,
            bases=Bases(bases),
            tools=built,
            limit=limit,
            control_plane=control_plane and not notes,
            renamed=renamed(
                theirs.root,
                root,
                [name for name in in_base if name not in in_head],
                [name for name in in_head if name not in in_base],
            ),
            notes=notes,
            report=_report,
        )
        observed = _side_by_side(
            [
                lambda stack=stack: comparison.of(stack, in_base=stack in in_base, in_head=stack in in_head)
                for stack in dict.fromkeys(selected)
            ],
            place.mark,
        )
    return _tell(observed, folder, exceptions)


def _tools(*, control_plane: bool) -> tuple[tools.Tools, tuple[str, ...]]:
    """The engine, built if it is missing, and the control plane if requested; a note where that is missing."""
    try:
        build(manifest.only(["pulumi"]), jobs=1, report=_report)
    except BuildError as error:
        raise InconclusiveError(str(error)) from None
    built = tools.find() if control_plane else tools.find_only("pulumi")
    if isinstance(built, tools.Tools):
        return built, ()
    engine = tools.find_only("pulumi")
    if isinstance(engine, tools.Missing):
        raise InconclusiveError(str(engine))
    return engine, (f"no real API server judged it: {built}",)


def _side_by_side(calls: Sequence[Callable[[], Observed]], mark: str) -> list[Observed]:
    """The results of calls, two at a time; at Ctrl-C all that they started is ended first."""
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        futures = [pool.submit(call) for call in calls]
        try:
            wait(futures, return_when=FIRST_EXCEPTION)
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            while any(future.running() for future in futures):
                processes.end(mark)
                time.sleep(_SWEEP_SECONDS)
            raise
        return [future.result() for future in futures]


def _tell(stacks: Sequence[Observed], folder: Path, exceptions: Exceptions) -> ExitCode:
    codes, documents = [ExitCode.GOOD], list[ChangeDocument]()
    for observed in stacks:
        judged = judge(observed, exceptions)
        noted = replace(observed, notes=(*observed.notes, *exceptions.notes))
        document = change_document(noted, judged, priced(observed))
        write_whole(folder / f"{observed.stack}.json", json.dumps(document, indent=2) + "\n")
        print(*terminal(document, terminal_width()), sep="\n", flush=True)
        documents.append(document)
        codes.append(exit_code_of(observed, judged.head))
    write_whole(folder / COMMENT, comment(documents))
    return max(codes)


def exit_code_of(observed: Observed, violations: Sequence[Violation]) -> ExitCode:
    """FINDING where the head fails, is refused or violates a mandatory rule; INCONCLUSIVE where not judged; else GOOD.

    A program that is not run, because that is none which a preview can run, has not failed.
    """
    failure = observed.head.failure if observed.head else ""
    failed = failure and failure not in observed.not_judged
    refused = observed.refused or observed.azure.refused
    if failed or refused or any(violation.mandatory for violation in violations):
        return ExitCode.FINDING
    return ExitCode.INCONCLUSIVE if observed.not_judged else ExitCode.GOOD


def _report(line: str) -> None:
    sys.stderr.write(f"{line}\n")  # at once: two stacks report side by side
    sys.stderr.flush()
