"""`python -m pull_request BASE [--stack STACK]…`: what a change would do to each stack, without an account."""

from __future__ import annotations

import argparse
import json
import math
import os
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Final

import tools
from policy import RULES
from policy.exceptions import Accepted, ExceptionsError, load
from pull_request import judged
from pull_request.bases import Bases
from pull_request.comparison import Comparison
from pull_request.observed import Observed
from pull_request.priced import priced
from pull_request.runs import stop_runs
from pull_request.telling import Told, told
from recorder.run import PROJECT_ROOT
from recorder.stack_files import stack_names
from revisions import processes
from revisions.git import GitError
from revisions.repository import Repository, RevisionError, is_stack_name, shown
from revisions.trees import Tree
from revisions.workplace import tree_of, workplace
from writing import output

_FAILED: Final = 1
_USAGE: Final = 2
_INTERRUPTED: Final = 130
_AT_ONCE: Final = 2
"""Stacks that are looked at side by side."""
_SWEEP_SECONDS: Final = 0.2
_WIDTH: Final = (110, 24)


class _UsageError(Exception):
    """Nothing can be previewed; the text is one line for the user."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints what changes and writes `build/pr-preview/<stack>.md` and `.json`.

    Returns:
        0 whatever changes; 1 where the head does not run, violates a mandatory rule, or would replace or delete what is
        protected, so that `pulumi up` refuses it; 2 where nothing can be previewed.
    """
    options = _arguments(arguments)
    try:
        with processes.ended_with_this_one():
            return _preview(options)
    except (_UsageError, RevisionError, GitError, ExceptionsError, OSError) as error:
        _report(f"error: {error}")
        return _USAGE
    except KeyboardInterrupt:
        _report("stopped; nothing is left behind")
        return _INTERRUPTED


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m pull_request", description=main.__doc__)
    parser.add_argument("base", metavar="BASE", help="branch, tag or commit that the change is meant for")
    parser.add_argument("--stack", action="append", default=[], help="only this one; may be repeated")
    parser.add_argument(
        "--control-plane",
        action="store_true",
        help="also ask a real API server, where it is built (`python -m tools`)",
    )
    parser.add_argument(
        "--time-limit",
        type=_seconds,
        default=300.0,
        metavar="SECONDS",
        help="for each program (default 300)",
    )
    parser.add_argument("--root", type=Path, default=PROJECT_ROOT, help="the project folder")
    return parser.parse_args(arguments)


def _seconds(text: str) -> float:
    with suppress(ValueError):
        if 0 < (seconds := float(text)) < math.inf:
            return seconds
    raise argparse.ArgumentTypeError(f"{text!r} is not allowed; expected a number of seconds above 0")


def _preview(options: argparse.Namespace) -> int:
    root: Path = options.root.resolve()
    accepted = load(rules={rule.name for rule in RULES})
    repository = Repository.of(root)
    head, base = repository.head(), repository.base(options.base)
    found, notes = _tools(control_plane=options.control_plane)
    folder = root / "build" / "pr-preview"
    with workplace(folder / "work", root, stop=stop_runs) as place, tree_of(base.commit, place, root) as tree:
        os.environ[processes.MARK] = place.mark
        theirs = Tree(tree / repository.within, base, repository.tree(base.commit), "base")
        in_base, in_head = stack_names(theirs.root), repository.stacks()
        in_head += [name for name in options.stack if name in stack_names(root) and name not in in_head]
        for name in sorted(name for name in {*in_base, *in_head} if not is_stack_name(name)):
            _report(f"{f'Pulumi.{name}.yaml'!a}: no stack can have that name; left out")
        in_base, in_head = (list(filter(is_stack_name, names)) for names in (in_base, in_head))
        wanted = options.stack or sorted({*in_base, *in_head})
        if unknown := sorted({*wanted} - {*in_base, *in_head}):
            known = ", ".join(sorted({*in_base, *in_head})) or "none"
            raise _UsageError(f"--stack: {shown(unknown[0])} is not allowed; expected one of {known}")
        if not wanted:
            raise _UsageError("neither tree has a stack: no file Pulumi.<stack>.yaml")
        comparison = Comparison(
            base=theirs,
            head=Tree(root, head, "", "head"),
            place=place.folder,
            bases=Bases(folder / "bases"),
            tools=found,
            limit=options.time_limit,
            control_plane=options.control_plane and not notes,
            notes=notes,
            report=_report,
        )
        observed = _side_by_side(
            [
                lambda stack=stack: comparison.of(stack, in_base=stack in in_base, in_head=stack in in_head)
                for stack in dict.fromkeys(wanted)
            ],
            place.mark,
        )
    return max([_tell(each, folder, accepted) for each in observed])


def _tools(*, control_plane: bool) -> tuple[tools.Tools, tuple[str, ...]]:
    """The engine, and the control plane where that is asked for and there; else a note that says so."""
    found = tools.find() if control_plane else tools.find_only("pulumi")
    if isinstance(found, tools.Tools):
        return found, ()
    engine = tools.find_only("pulumi")
    if isinstance(engine, tools.Missing):
        raise _UsageError(f"{engine}; `make pr-preview` does")
    return engine, (f"no real API server was asked: {found}",)


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


def _tell(observed: Observed, folder: Path, accepted: Sequence[Accepted]) -> int:
    before, after = (
        judged.violations(observed.stack, run, accepted) for run in (observed.base, observed.head)
    )
    what: Told = told(observed, before, after, priced(observed))
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / f"{observed.stack}.md", what.markdown)
    _write(folder / f"{observed.stack}.json", json.dumps(what.document, indent=2) + "\n")
    print(*what.terminal(shutil.get_terminal_size(_WIDTH).columns), sep="\n", flush=True)
    failed = observed.refused or (observed.head is not None and observed.head.failure)
    return _FAILED if failed or any(violation.mandatory for violation in after) else 0


def _write(file: Path, text: str) -> None:
    """Writes a file whole or not at all; a link that lies there instead is replaced and not followed."""
    with NamedTemporaryFile("w", dir=file.parent, encoding="utf-8", delete=False) as draft:
        draft.write(text)
    Path(draft.name).chmod(0o644)
    Path(draft.name).replace(file)


def _report(line: str) -> None:
    sys.stderr.write(f"{line}\n")  # at once: two stacks report side by side
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(output.run(main))
