"""The plan of another commit: its own preview writes the plan document, in its tree and with its environment.

The document is a contract (`kubeflow_aks/recorder/plan.schema.json`), which `kubeflow-aks preview` writes.
How a tree records its program is its own matter, because that depends on its SDK.
"""

from __future__ import annotations

import json
import secrets
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, cast

from kubeflow_aks.ownership import remove
from kubeflow_aks.recorder.project_file import StackFileError
from kubeflow_aks.recorder.stack_files import read_stack, stack_folder
from kubeflow_aks.recorder.yaml_text import YamlError, load
from kubeflow_aks.revisions import processes
from kubeflow_aks.revisions.programs import OutputTail, ProgramError, environment
from kubeflow_aks.revisions.trees import Report, Tree
from kubeflow_aks.text.files import write_whole

_MOST_LINES: Final = 20
"""Lines of a program's output in an error message."""

_SOURCES: Final = "packages/kubeflow-aks/src"
_COMMANDS: Final = (
    (f"{_SOURCES}/kubeflow_aks", ("kubeflow_aks", "preview")),
    ("kubeflow_aks/cli/commands", ("kubeflow_aks", "preview")),
    ("kubeflow_aks/preview", ("kubeflow_aks.preview",)),
    ("preview", ("preview",)),
)
"""What a tree has, newest first, and the module with its words that previews a stack there."""


def planned(tree: Tree, stack: str, *, limit: float, report: Report) -> Path:
    """Writes the file `plan.json` of one stack in a temporary tree, and returns its path; ended after `limit` seconds.

    Raises:
        ProgramError: no plan was written.
        MissingEnvironmentError: the packages of the tree can't be installed.
    """
    command = next((words for file, words in _COMMANDS if (tree.root / file).exists()), None)
    if command is None:
        raise ProgramError("preview/: missing; the commit is older than plan documents")
    remove(tree.root / "build")  # what lies in the commit is no plan, and maybe a link
    plan = tree.root / "build" / stack / "plan.json"
    _set_date(tree, stack)
    python = tree.python(report)
    report(f"{stack}: planning {tree.name} …")
    mark, tail = secrets.token_hex(8), OutputTail()
    with (
        TemporaryDirectory(prefix="home-", ignore_cleanup_errors=True) as home,
        tail.captured() as output,
    ):
        try:
            subprocess.run(  # noqa: S603 - the preview command of that tree
                [python, "-m", *command, "--", stack],
                cwd=tree.root,
                env=environment(Path(home), mark) | {"PYTHONPATH": str(tree.root / _SOURCES)},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=output,
                timeout=limit,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise ProgramError(f"the program took longer than {limit:g} s and was stopped") from None
        except OSError as error:
            raise ProgramError(f"{python}: {error.strerror}") from None
        finally:
            processes.end(mark, processes.PROGRAM_MARK)
    if not plan.is_file():  # a plan that violates a policy rule is written too
        raise ProgramError("\n".join(_last_lines(tail.text())) or "the program exited before it was complete")
    return plan


def _set_date(tree: Tree, stack: str) -> None:
    """Sets `asOf` to the commit's date if the program has that setting and the stack sets none.

    Otherwise a version that Azure supported then, but no longer today, would be refused. JSON is YAML too.
    """
    file = stack_folder(tree.root) / f"Pulumi.{stack}.yaml"
    try:
        config = read_stack(tree.root, stack)
        key = f"{config.project}:asOf"
        if config.values.get(key) == "":
            content = cast(dict[str, Any], load(file.read_text(encoding="utf-8-sig")) or {})
            content["config"] = {**(content.get("config") or {}), key: tree.revision.day.isoformat()}
            write_whole(file, json.dumps(content, ensure_ascii=False, allow_nan=False))
    except (StackFileError, YamlError, ValueError) as error:
        if not file.exists():
            raise ProgramError(str(error)) from error
        # Its own preview may read the file, or reports what is wrong.


def _last_lines(output: str) -> Iterator[str]:
    """The end of a program's output, without the frames of a traceback."""
    lines = [line for line in output.splitlines() if line.strip()]
    crashed = any(line.startswith("Traceback (most recent call last):") for line in lines)
    yield from lines[-1:] if crashed else lines[-_MOST_LINES:]
