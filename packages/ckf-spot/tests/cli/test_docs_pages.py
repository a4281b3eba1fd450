"""The pages are true: each command and each block of code in them does what the page says.

A block of YAML or Python that a block of text follows is refused with exactly that text, or is placed with it where the
text names what is not judged; any other works without a word. YAML without a `kind` is some program's settings.
"""

import re
import shlex
import shutil
import subprocess
import sys
import traceback
from pathlib import Path
from typing import Any, Final

import pytest

from program import Run

ROOT: Final = Path(__file__).parents[2]
PAGES: Final = (
    "jobs",
    "training",
    "katib",
    "argo",
    "ray-and-spark",
    "kueue",
    "doctor",
    "notebooks",
    "checkpoints",
    "batch-inference",
    "corpus",
)
_FENCE: Final = re.compile(
    r"^```(?P<language>\w+)\n(?P<text>.*?)^```\n(?:\n```text\n(?P<error_text>.*?)^```$)?",
    re.MULTILINE | re.DOTALL,
)
_LINK: Final = re.compile(r"\]\((?!https?:)([^)#]+)")


def blocks(language: str) -> list[Any]:
    """The blocks of a language in all pages, each with the text block that follows it."""
    return [
        pytest.param(block["text"], block["error_text"], id=f"{page} {number}")
        for page in PAGES
        for number, block in enumerate(_FENCE.finditer(text(page)), 1)
        if block["language"] == language
    ]


def text(page: str) -> str:
    return (ROOT / f"docs/{page}.md").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def beside_the_examples(run: Run, tmp_path: Path) -> None:  # noqa: ARG001 - it changes the folder
    """What the pages' commands find in the folder that they run in."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")


@pytest.mark.parametrize(("command", "error_text"), blocks("sh"))
def test_each_command_works(run: Run, command: str, error_text: str | None) -> None:
    assert error_text is None
    for line in command.splitlines():
        program, *arguments = shlex.split(line)
        if program == "ckf-spot":
            ran = run(*arguments)
            assert (ran.code, ran.errors) == (0, [])
        else:
            assert program == "python"
            subprocess.run([sys.executable, *arguments], check=True, capture_output=True, timeout=60)


@pytest.mark.parametrize(
    ("document", "error_text"), [block for block in blocks("yaml") if "kind: " in block.values[0]]
)
def test_each_document_is_placed_or_refused_as_shown(run: Run, document: str, error_text: str | None) -> None:
    Path("page.yaml").write_text(document, encoding="utf-8")
    ran = run("place", "-f", "page.yaml", "--pool", "gpu" if "nvidia.com/gpu" in document else "cpu")
    assert ran.errors == (error_text or "").splitlines()
    assert ran.code == (2 if error_text and " is not judged: " not in error_text else 0)


@pytest.mark.parametrize(("code", "error_text"), blocks("python"))
def test_each_piece_of_python_runs_or_is_refused_as_shown(code: str, error_text: str | None) -> None:
    raised = ""
    try:
        exec(compile(code, "page", "exec"), {})  # noqa: S102 - our own page
    except Exception as error:  # noqa: BLE001 - whatever the page tells
        raised = "".join(traceback.format_exception_only(error))
    assert raised.removeprefix("ckf_spot.errors.").startswith(error_text.strip() if error_text else "")
    assert bool(raised) == bool(error_text), raised


@pytest.mark.parametrize("page", PAGES)
def test_each_link_to_a_file_leads_somewhere(page: str) -> None:
    links: list[str] = _LINK.findall(text(page))
    assert [link for link in links if not (ROOT / "docs" / link).exists()] == []
