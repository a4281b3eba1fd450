"""The how-to on extending the program: its example is followed as it is written, and what else it names exists."""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from kubeflow_aks.project import PROJECT_ROOT
from tests.docs.pages import command_lines, fenced

PAGE: Final = PROJECT_ROOT / "docs/how-to/extend-the-program.md"
TEXT: Final = PAGE.read_text(encoding="utf-8")
PLACES: Final = {
    "components/defaults.py": "",
    "program/settings/pools.py": "class UserPool(",
    "components/pool_specs.py": "class AgentPoolSpec(",
    "components/agent_pools.py": "def _agent_pool(",
    "tests/components/test_agent_pools.py": "",
}
"""Where the page's blocks go, in its order: the file, and how the class or function begins; else at the file's end."""
_NAMED: Final = re.compile(r"`((?:[\w.-]+/)*[\w.-]+\.(?:py|csv|json)|(?:\w+/)+\w*|\w+)(?:\(\))?`")


def _insert(file: Path, begins: str, block: str) -> None:
    """Puts a block where a reader would: among a class's fields, into a call, or at the end of the file."""
    text = file.read_text(encoding="utf-8")
    if begins.startswith("class "):
        start = text.index(begins)
        at = text.index("\n    encryption_at_host", start) + 1
        block = textwrap.indent(block, "    ")
    elif begins:
        at = text.index("        opts=opts,", text.index(begins))
        block = textwrap.indent(block, "        ")
    else:
        at = len(text)
        block = f"\n\n{block}" if block.startswith("@") else block
    file.write_text(f"{text[:at]}{block}{text[at:]}", encoding="utf-8")


def _run(root: Path, *words: str) -> None:
    done = subprocess.run(
        [sys.executable, *words],
        cwd=root,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": ".:ckf_spot/src", "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that the example needs, as a reader has them."""
    root = tmp_path_factory.mktemp("checkout")
    folders = ("components", "program", "kubeflow_aks", "ckf_spot/src", "tests", "docs")
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=PROJECT_ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    for name in filter(None, listed.split("\0")):
        if name.startswith(folders) or "/" not in name:
            if not (PROJECT_ROOT / name).is_file():
                continue
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes((PROJECT_ROOT / name).read_bytes())
    return root


def test_the_example_works_as_it_is_written(copy: Path) -> None:
    blocks = [textwrap.dedent(text) for language, text in fenced(PAGE) if language in {"python", "text"}]
    for (name, begins), block in zip(PLACES.items(), blocks, strict=True):
        assert TEXT.index(f"`{name}`") < TEXT.index(block.splitlines()[0])
        _insert(copy / name, begins, block)
    for line in command_lines(next(text for language, text in fenced(PAGE) if language == "sh")):
        match line.split():
            case [
                "make",
                "docs",
            ]:  # of what that writes, the reference of the settings is what can have changed
                _run(copy, "-m", "kubeflow_aks.text.generated", "--write", "program.settings.reference")
            case [".venv/bin/python", *words]:
                _run(copy, *words, "-q", "-p", "no:cacheprovider")
            case _:
                pytest.fail(f"not played: {line}")
    assert "pools.<name>.fips" in (copy / "docs/reference/settings.md").read_text(encoding="utf-8")


def _items() -> Iterator[str]:
    """Paragraphs and steps of the page, without its code."""
    prose = re.sub(r"^ *```.*?^ *```$", "", TEXT, flags=re.MULTILINE | re.DOTALL)
    yield from re.split(r"\n\s*\n|\n(?=\d\. )", prose)


def _texts(paths: list[Path]) -> str:
    files = [file for path in paths for file in ([path] if path.is_file() else path.rglob("*.py"))]
    return "\n".join(file.read_text(encoding="utf-8") for file in files if ".venv" not in file.parts)


@pytest.mark.parametrize(
    "item", [item for item in _items() if "`" in item], ids=lambda item: item.strip()[:40]
)
def test_each_place_that_is_named_exists(item: str) -> None:
    names = _NAMED.findall(item)
    paths = [PROJECT_ROOT / name for name in names if "/" in name]
    assert [path for path in paths if not path.exists()] == []
    text = _texts(paths or [PROJECT_ROOT / "program", PROJECT_ROOT / "components"])
    words = [name for name in names if name.isidentifier() and name != "make"]
    assert [
        word for word in words if not re.search(rf"\b{word}\b", text) and not _camel_is_in(word, text)
    ] == []


def _camel_is_in(word: str, text: str) -> bool:
    """Whether a key of a stack file, such as `encryptionAtHost`, is there by its name in Python."""
    return re.sub(r"([A-Z])", lambda found: f"_{found[1].lower()}", word) in text
