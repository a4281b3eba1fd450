"""`python3 -m delivery.stacks [--base COMMIT]`: the stacks of this tree, and of another commit, as one line of JSON.

Needs Python alone, so that a job can list stacks before anything is installed. File names are taken as hostile: a
pull request of anybody may add one.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from revisions.repository import is_stack_name

LIMIT: Final = 50
"""Our choice: a matrix of a workflow takes 256 jobs, and no team has as many stacks as this."""
_FILE: Final = re.compile(r"Pulumi\.(?P<stack>.+)\.yaml", re.DOTALL)
_COMMIT: Final = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")


class StacksError(Exception):
    """The stacks can't be listed; the text is meant for the user."""


def stacks_of(files: Iterable[str]) -> tuple[list[str], list[str]]:
    """The stacks that have a file among these, and the names of files that can't be of a stack.

    Args:
        files: names of the files in a project's folder.
    """
    named = {match["stack"]: name for name in files if (match := _FILE.fullmatch(name))}
    return (
        sorted(stack for stack in named if is_stack_name(stack)),
        sorted(file for stack, file in named.items() if not is_stack_name(stack)),
    )


def files_at(root: Path, commit: str) -> list[str]:
    """Names of the files in a commit's top folder.

    Raises:
        StacksError: it is no commit's hash, or this clone does not have it.
    """
    if not _COMMIT.fullmatch(commit):
        raise StacksError(f"{commit!r} is not allowed; expected the hash of a commit")
    command = ["git", "-C", str(root), "ls-tree", "-z", "--name-only", commit]
    done = subprocess.run(command, capture_output=True, check=False)  # noqa: S603 - a hash
    if done.returncode:
        raise StacksError(f"{commit}: this clone does not have the commit; fetch the whole history")
    return done.stdout.decode(errors="replace").split("\0")


def main(arguments: Sequence[str] | None = None, root: Path | None = None) -> int:
    """Prints the list; names that can't be a stack's are told on stderr and left out.

    Returns:
        0; 1 where the list can't be made.
    """
    parser = argparse.ArgumentParser(prog="python3 -m delivery.stacks", description="The stacks, as JSON.")
    parser.add_argument("--base", default="", help="hash of a commit whose stacks are listed too")
    parser.add_argument("--only", default="", help="names, parted by spaces; others are left out")
    options = parser.parse_args(arguments)
    folder = root or Path.cwd()
    files = [file.name for file in folder.iterdir()]
    try:
        files += files_at(folder, options.base) if options.base else []
    except StacksError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    stacks, others = stacks_of(files)
    for file in others:
        print(f"{file!a}: no stack can have that name; left out", file=sys.stderr)
    if options.only:
        wanted = options.only.split()
        for name in sorted(set(wanted) - set(stacks)):
            print(f"error: {name!a} has no file Pulumi.<stack>.yaml here", file=sys.stderr)
        if set(wanted) - set(stacks):
            return 1
        stacks = [stack for stack in stacks if stack in wanted]
    if len(stacks) > LIMIT:
        print(f"error: {len(stacks)} stacks; expected at most {LIMIT}", file=sys.stderr)
        return 1
    print(json.dumps(stacks))
    return 0


if __name__ == "__main__":
    sys.exit(main())
