"""A message that a page quotes is one that the code prints today.

Pages quote messages in the first column of a table whose head is `Message`; `…` stands for what differs.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from kubeflow_aks.project import PROJECT_ROOT
from tests.docs.pages import PAGES, name

FOLDERS: Final = ("packages/kubeflow-aks/src", "components", "program")
ANY: Final = "…"


def _messages(page: Path) -> list[str]:
    """The quoted messages of a page."""
    messages: list[str] = []
    inside = False
    for line in page.read_text(encoding="utf-8").splitlines():
        if not line.startswith("|"):
            inside = False
        elif line.startswith("| Message |"):
            inside = True
        elif inside and (quoted := re.match(r"\| `([^`]+)`", line)):
            messages.append(quoted[1])
    return messages


def _literals(node: ast.AST) -> Iterator[str]:
    """The texts of a tree; `…` stands for each value that is put into one."""
    if isinstance(node, ast.JoinedStr):
        yield "".join(_part(part) for part in node.values)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    for child in ast.iter_child_nodes(node):
        yield from _literals(child)


def _part(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ANY


@cache
def _trees() -> list[ast.Module]:
    files = [file for folder in FOLDERS for file in (PROJECT_ROOT / folder).rglob("*.py")]
    return [ast.parse(file.read_text(encoding="utf-8")) for file in files if ".venv" not in file.parts]


@cache
def _texts() -> str:
    """All texts of the program and its commands, and of their scripts."""
    texts = [text for tree in _trees() for text in _literals(tree)]
    folder = PROJECT_ROOT / "packages/kubeflow-aks/src/kubeflow_aks"
    scripts = [*folder.glob("handoff/scripts/*.sh"), *folder.glob("local_aks/run/removed/*")]
    lines = [_script(line) for file in scripts for line in file.read_text(encoding="utf-8").splitlines()]
    return "\n".join(texts + lines)


def _script(line: str) -> str:
    """A line of a shell script; `…` stands for each variable."""
    return re.sub(r"\$\{?\w+\}?", ANY, line)


def _is_printed(message: str) -> bool:
    """Whether the code has each clause of the message; clauses may come from different places."""
    clauses = re.split(r"[;:] ", message.removeprefix("error: ").strip(f"{ANY}: "))
    return all(re.search(_pattern(clause), _texts()) for clause in clauses)


def _pattern(clause: str) -> str:
    return r"[^\n]*".join(re.escape(part.strip()) for part in clause.strip().strip(ANY).split(ANY))


QUOTED: Final = [
    pytest.param(message, id=f"{name(page)} {message[:40]}") for page in PAGES for message in _messages(page)
]


def test_messages_are_found() -> None:
    assert len(QUOTED) > 25


@pytest.mark.parametrize("message", QUOTED)
def test_a_quoted_message_is_one_of_the_code(message: str) -> None:
    assert _is_printed(message)


def test_a_message_that_nothing_prints_is_found() -> None:
    assert not _is_printed("… nobody prints this …")
