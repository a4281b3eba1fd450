"""`kubeflow-aks ci stacks`: the stacks of this tree, and of another commit, as one line of JSON.

`python3 -m kubeflow_aks.ci.stacks` needs Python alone, so that a job can list stacks before anything is installed. File
names are regarded as hostile: anybody's pull request may add one.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from kubeflow_aks.clients.git import GitError, names
from kubeflow_aks.exit_codes import CommandError, ExitCode
from kubeflow_aks.project import is_stack_name

LIMIT: Final = 50
"""Our choice: a matrix of a workflow takes 256 jobs, and no team has as many stacks as this."""
_FILE: Final = re.compile(r"Pulumi\.(?P<stack>.+)\.yaml", re.DOTALL)
_COMMIT: Final = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")


class StacksError(CommandError):
    """The stacks can't be listed; the text is meant for the user."""


def stacks_of(files: Iterable[str]) -> tuple[list[str], list[str]]:
    """The stacks that have a file among these names, and the names of files that can't be of a stack."""
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
    try:
        return names(root, "ls-tree", "-z", "--name-only", commit)
    except GitError as error:
        raise StacksError(
            f"{commit}: the commit cannot be read; fetch the whole history into this clone ({error})"
        ) from None


def show(root: Path, base: str = "", only: str = "") -> ExitCode:
    """Prints the list as JSON; names that no stack can have are named on stderr and left out.

    Raises:
        StacksError: the list can't be made.
    """
    files = [file.name for file in root.iterdir()] + (files_at(root, base) if base else [])
    stacks, others = stacks_of(files)
    for file in others:
        print(f"{file!a}: no stack can have that name; left out", file=sys.stderr)
    if only:
        selected = only.split()
        if missing := sorted(set(selected) - set(stacks)):
            raise StacksError("\n".join(f"{name!a} has no file Pulumi.<stack>.yaml here" for name in missing))
        stacks = [stack for stack in stacks if stack in selected]
    if len(stacks) > LIMIT:
        raise StacksError(f"{len(stacks)} stacks; expected at most {LIMIT}")
    print(json.dumps(stacks))
    return ExitCode.GOOD


def main() -> int:
    """The command without its library, for a job that has installed nothing."""
    parser = argparse.ArgumentParser(prog="python3 -m kubeflow_aks.ci.stacks")
    parser.add_argument("--base", default="")
    parser.add_argument("--only", default="")
    try:
        return show(Path.cwd(), **vars(parser.parse_args()))
    except StacksError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code


if __name__ == "__main__":
    sys.exit(main())
