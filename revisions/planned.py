"""What another commit would create: its own preview writes the plan document, in its tree, with its environment.

The document is a contract (`recorder/plan.schema.json`), and `python -m preview` writes it since it is one; how a tree
records its program is its own affair, for that must fit its SDK.
"""

from __future__ import annotations

import json
import secrets
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final, cast

from recorder.stack_files import StackFileError, read_stack
from recorder.yaml_v3 import YamlError, load
from revisions import processes
from revisions.programs import LastWords, ProgramError, environment
from revisions.trees import Report, Tree

_MOST_LINES: Final = 20
"""Lines of a program's own words that are told."""


def planned(tree: Tree, stack: str, *, limit: float, report: Report) -> Path:
    """The file `plan.json` of one stack, in a tree that is thrown away.

    Args:
        tree: is written to.
        stack: has a file there.
        limit: seconds after which the program is ended.
        report: takes lines that tell how far it is.

    Raises:
        ProgramError: there is no plan.
    """
    if not (tree.root / "preview" / "__main__.py").is_file():
        raise ProgramError("preview/: no such folder, so the commit is of before plans were written")
    plan = tree.root / "build" / stack / "plan.json"
    plan.unlink(missing_ok=True)
    _judge_on_its_own_day(tree, stack)
    python = tree.python(report)
    report(f"{stack}: planning {tree.what} …")
    mark, words = secrets.token_hex(8), LastWords()
    home = Path(mkdtemp(prefix="home-"))
    try:
        with words.heard() as output:
            try:
                subprocess.run(  # noqa: S603 - its command that people call
                    [python, "-m", "preview", "--", stack],
                    cwd=tree.root,
                    env=environment(home, mark),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=output,
                    timeout=limit,
                    check=False,
                )
            except subprocess.TimeoutExpired:
                raise ProgramError(f"the program did not end within {limit:g} s and was ended") from None
            except OSError as error:
                raise ProgramError(f"{python}: {error.strerror}") from None
            finally:
                processes.end(mark, processes.PROGRAM_MARK)
    finally:
        shutil.rmtree(home, ignore_errors=True)
    if not plan.is_file():  # a plan that breaks a rule of policy is a plan
        raise ProgramError("\n".join(_told(words.text())) or "the program ended before it was through")
    return plan


def _judge_on_its_own_day(tree: Tree, stack: str) -> None:
    """Sets `asOf` to the commit's day where the program knows that setting and the stack says no other.

    What Azure stopped to support since then would be refused, though it was right on that day. JSON is YAML, too.
    """
    file = tree.root / f"Pulumi.{stack}.yaml"
    try:
        config = read_stack(tree.root, stack)
        key = f"{config.project}:asOf"
        if config.values.get(key) == "":
            content = cast(dict[str, Any], load(file.read_text(encoding="utf-8-sig")) or {})
            content["config"] = {**(content.get("config") or {}), key: tree.revision.day.isoformat()}
            file.write_text(json.dumps(content, ensure_ascii=False, allow_nan=False), encoding="utf-8")
    except StackFileError as error:
        raise ProgramError(str(error)) from error
    except (YamlError, ValueError):  # another encoding, a number that JSON lacks: then today decides
        pass


def _told(words: str) -> Iterator[str]:
    """What a program said last, without the frames of a traceback."""
    lines = [line for line in words.splitlines() if line.strip()]
    crashed = any(line.startswith("Traceback (most recent call last):") for line in lines)
    yield from lines[-1:] if crashed else lines[-_MOST_LINES:]
