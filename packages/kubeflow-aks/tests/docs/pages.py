"""The pages of the documentation and their fenced blocks."""

import re
from pathlib import Path

from kubeflow_aks.project import PROJECT_ROOT

README = PROJECT_ROOT / "README.md"
PAGES = [README, PROJECT_ROOT / ".github/CONTRIBUTING.md", *sorted((PROJECT_ROOT / "docs").rglob("*.md"))]
_FENCE = re.compile(r"^ *```(?P<language>\w+)\n(?P<text>.*?)^ *```$", re.MULTILINE | re.DOTALL)


def name(page: Path) -> str:
    """A page's path in the project."""
    return page.relative_to(PROJECT_ROOT).as_posix()


def prose(page: Path) -> str:
    """A page without its code."""
    return re.sub(r"`[^`\n]+`", "", _FENCE.sub("", page.read_text(encoding="utf-8")))


def mentioned(page: Path, program: str) -> list[str]:
    """The commands of a program that the text of a page names, as `make lint` or `make lint STACK=dev`."""
    text = _FENCE.sub("", page.read_text(encoding="utf-8"))
    return re.findall(rf"`({program} [a-z][^`\n]*)`", text)


def fenced(page: Path) -> list[tuple[str, str]]:
    """Language and text of a page's fenced blocks that name a language, in their order."""
    return fenced_in(page.read_text(encoding="utf-8"))


def fenced_in(text: str) -> list[tuple[str, str]]:
    """The same of a part of a page."""
    return [(block["language"], block["text"]) for block in _FENCE.finditer(text)]


def blocks(page: Path, language: str) -> list[str]:
    """The texts of a page's fenced blocks of one language."""
    return [text for info, text in fenced(page) if info == language]


def commands(page: Path) -> list[str]:
    """The lines of a page's shell blocks, without comments that are set off by two spaces."""
    return [line for block in blocks(page, "sh") for line in command_lines(block)]


def command_lines(block: str) -> list[str]:
    """The lines of a shell block, without comments that are set off by two spaces."""
    lines = (line.partition("  #")[0].strip() for line in block.splitlines())
    return [line for line in lines if line]
