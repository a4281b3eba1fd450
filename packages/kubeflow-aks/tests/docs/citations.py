"""The forms of a citation, and what each leads to; `docs/facts/sources.md` describes them to people."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.text.files import rows
from tests.tracked import tracked

SOURCES = PROJECT_ROOT / "docs/facts/sources.md"
OUR_CHOICE = "our choice"
"""Says that no source prescribes a value."""

_TEXT = {".py", ".md", ".csv", ".yaml", ".toml", ".css", ".tf", ""}
"""Endings of text files; NOTICE and Makefile have none."""
_FOLDERS = "aks_facts|components|deploy|docs|examples|kubeflow_aks|packages|program|tests"
_DOCUMENT = re.compile(  # no text of code that is a file name and nothing else, and no link of a page
    r"(?<![\w./<>*\"'\\-])(?<!]\()(?!self\.)(?P<name>[\w.-][\w./-]*\.(?:md|rst|yml|go))\b(?:#(?P<heading>[\w-]+))?"
)
_FILE = re.compile(r"[\w./-]+\.\w+")
_LOCAL = re.compile(rf"(?<![\w/.-])(?P<path>(?:{_FOLDERS})/[\w./-]*\w\.(?:py|csv|json|yaml))\b")
_NUMBER = re.compile(r"(?<![\w&./#'\"-])(?P<thread>[\w./-]*#\d{1,5})\b")
_THREAD = re.compile(r"[\w.-]+/[\w.-]+#\d+")
_TRACKER = re.compile(r"\b(?:issues?|pull requests?|PR) #?\d+", re.IGNORECASE)
_SECTION = "\N{SECTION SIGN}"
_TITLE = re.compile(r'"(?P<title>[^"\n]+)"')
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def texts() -> Iterator[Path]:
    """Every text file of the repository."""
    return (file for file in tracked() if file.suffix in _TEXT)


def broken(text: str, file: Path) -> list[str]:
    """The citations of a text that lead nowhere.

    Args:
        text: any text; code and prose are read alike.
        file: where it stands, because documents may be named from there.
    """
    return [
        *re.findall(_SECTION, text),
        *(match[0] for match in _TRACKER.finditer(text)),
        *(match[0] for match in _NUMBER.finditer(text) if not _THREAD.fullmatch(match["thread"])),
        *(match[0] for match in _DOCUMENT.finditer(text) if not _document(match, file)),
        *(match[0] for match in _LOCAL.finditer(text) if not _cited_file(match["path"], file)),
    ]


def is_source(text: str, file: Path) -> bool:
    """Whether a text names a source, or says that the value is our choice."""
    return (
        text.startswith(OUR_CHOICE)
        or any(_document(match, file) for match in _DOCUMENT.finditer(text))
        or any(_listed(name) for name in _FILE.findall(text))
        or any(_THREAD.fullmatch(match["thread"]) for match in _NUMBER.finditer(text))
        or any(_cited_file(match["path"], file) for match in _LOCAL.finditer(text))
        or any(match["title"] in titles() for match in _TITLE.finditer(text))
    )


def words_of(file: Path) -> str:
    """The text of a file; of a table the lines at its top, and the columns that say where its rows come from."""
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".csv":
        comments = [line for line in text.splitlines() if line.startswith("#")]
        cells = {row.get(column) or "" for row in rows(file) for column in ("source", "quotes")}
        return "\n".join([*comments, *sorted(cells)])
    return text


def stated_sources(file: Path) -> Iterator[str]:
    """What a file names as a source: the argument `source=`, the key `source:`, the top and the columns of a table."""
    text = words_of(file)
    match file.suffix:
        case ".py" if "source=" in text:
            for node in ast.walk(ast.parse(text)):
                match node:
                    case ast.keyword(arg="source", value=ast.Constant(value=str(source))):
                        yield source
                    case _:
                        pass
        case ".yaml":
            yield from re.findall(r"^\s*source: (.+)$", text, re.MULTILINE)
        case ".csv":
            yield text
            yield from (row["source"] for row in rows(file) if row.get("quotes") == "")
        case _:
            pass


@cache
def documents() -> frozenset[str]:
    """Paths of the documents that the list of sources names."""
    lines = re.findall(r"^- .+$", SOURCES.read_text(encoding="utf-8"), re.MULTILINE)
    return frozenset(name for line in lines for name in re.findall(r"`([\w./-]+\.[\w.]+)`", line))


@cache
def titles() -> frozenset[str]:
    """Titles of the documents that are no files of a repository."""
    return frozenset(re.findall(r'^- "([^"]+)": ', SOURCES.read_text(encoding="utf-8"), re.MULTILINE))


def _document(match: re.Match[str], file: Path) -> bool:
    name, heading = match["name"], match["heading"]
    if cited := _cited_file(name, file):
        return heading is None or heading in _anchors(cited)
    return _listed(name)


def _listed(name: str) -> bool:
    return any(
        document == name or document.endswith(f"/{name}") or name.endswith(f"/{document}")
        for document in documents()
    )


def _cited_file(name: str, file: Path) -> Path | None:
    """A file of the repository, named from the root, from a folder that the citing file is in, or from its sources."""
    folders = (place for folder in file.parents for place in (folder, folder / "src"))
    return next((folder / name for folder in folders if _inside(folder, name)), None)


def _inside(folder: Path, name: str) -> bool:
    return folder.is_relative_to(PROJECT_ROOT) and (folder / name).is_file()


def _anchors(page: Path) -> set[str]:
    headings = _HEADING.findall(page.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}
