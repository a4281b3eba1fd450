"""The how-to on extending the program: its examples are followed as they are written, and what else it names exists."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from kubeflow_aks.project import PROJECT_ROOT
from tests.docs.pages import command_lines, fenced_in

PAGE: Final = PROJECT_ROOT / "docs/how-to/extend-the-program.md"
TEXT: Final = PAGE.read_text(encoding="utf-8")


class Place(NamedTuple):
    """Where a block of the page goes: before the first line that has `before`, after the text `within`."""

    file: str
    within: str = ""
    before: str = ""
    """Empty for the file's end."""


PLACES: Final = {
    "A setting that AKS takes": (
        Place("components/pools/pool_specs.py", "class AgentPoolSpec(", "encryption_at_host"),
        Place("components/pools/agent_pools.py", "def _agent_pool(", "opts=opts,"),
        Place("tests/components/teams.py", '"gpu_instance_profile": ', "encryption_at_host"),
    ),
    "A VM size": (Place("aks_facts/vm_sizes.csv"),),
    "An output": (
        Place("program/arguments.py", "def outputs(", '"fqdn"'),
        Place("tests/program/whole/test_outputs.py", "", '"fqdn"'),
    ),
    "A policy rule": (
        Place("packages/kubeflow-aks/src/kubeflow_aks/policy/rules/pools.py", "", "def homes("),
        Place(
            "packages/kubeflow-aks/src/kubeflow_aks/policy/rules/pools.py",
            "RULES: Final",
            '"system-pool-is-closed"',
        ),
        Place("packages/kubeflow-aks/src/kubeflow_aks/policy/rules.csv"),
        Place("packages/kubeflow-aks/tests/policy/violating/pools.yaml"),
    ),
    "A check of `verify`": (
        Place("packages/kubeflow-aks/src/kubeflow_aks/verify/checks/nodes.py"),
        Place(
            "packages/kubeflow-aks/src/kubeflow_aks/verify/checks/__init__.py",
            "CHECKS: Final",
            'Check("home-pool"',
        ),
        Place("packages/kubeflow-aks/tests/verify/breakages.py", "OTHERS: Final", "_broken("),
        Place("docs/how-to/verify-a-cluster.md", "✔ Nodes report no problem", "✔"),
    ),
}
"""By the heading of the example, in the order of its blocks."""
_RECORDS: Final = "tests/{}/__snapshots__/{}.json"
FOLLOWS: Final = {
    "A setting that AKS takes": {
        "docs/reference/settings.md": "pools.<name>.fips",
        _RECORDS.format(
            "components", "test_made_by_teams/test_a_component_makes_what_it_did[most]"
        ): '"enableFIPS": true',
    },
    "An output": {
        _RECORDS.format(
            "program/whole", "test_golden/test_a_stack_registers_what_it_did[dev]"
        ): '\n    "location"',
    },
    "A policy rule": {"docs/reference/policy.md": "os-disk-has-room"},
}
"""What the commands of an example write: text in a file that a reader then sees in the diff."""
GENERATED: Final = ("program.settings.reference", "kubeflow_aks.policy.reference")
"""Part of what `make docs` writes: what these examples can have changed."""
_NAMED: Final = re.compile(r"`((?:[\w.-]+/)*[\w.-]+\.(?:py|csv|json)|(?:\w+/)+\w*|\w+)(?:\(\))?`")


def _insert(root: Path, place: Place, block: str) -> None:
    """Puts a block where a reader would, as far to the right as the line that comes after it."""
    file = root / place.file
    text = file.read_text(encoding="utf-8")
    of_its_own = block.startswith("def ")
    if not place.before:
        text += f"\n\n{block}" if of_its_own else block
    else:
        begin = text.index("\n", text.index(place.within)) + 1 if place.within else 0
        at = text.rindex("\n", 0, text.index(place.before, begin)) + 1
        indent = re.match(r" *", text[at:])
        block = textwrap.indent(block, indent[0] if indent else "") + "\n\n" * of_its_own
        text = text[:at] + block + text[at:]
    file.write_text(text, encoding="utf-8")


def _section(heading: str) -> str:
    return TEXT.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def _run(root: Path, *words: str) -> None:
    done = subprocess.run(
        [sys.executable, *words],
        cwd=root,
        env={
            "PATH": "/usr/bin:/bin",
            "PYTHONPATH": "packages/kubeflow-aks/src:packages/ckf-spot/src:.",
            "COLUMNS": "200",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that the example needs, as a reader has them."""
    root = tmp_path_factory.mktemp("checkout")
    folders = (
        "aks_facts",
        "components",
        "program",
        "packages/kubeflow-aks",
        "packages/ckf-spot/src",
        "tests",
        "docs",
    )
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


def _row_of_prices(root: Path) -> None:
    """As many cells as there are regions."""
    sizes = (root / "aks_facts/vm_sizes.csv").read_text(encoding="utf-8")
    file = root / "aks_facts/ondemand_prices.csv"
    text = file.read_text(encoding="utf-8")
    header = next(line for line in text.splitlines() if line.startswith("name,"))
    prices = ["0.3" if name == "westeurope" else "" for name in header.split(",")[1:]]
    row = [sizes.splitlines()[-1].partition(",")[0], *prices]
    file.write_text(f"{text}{','.join(row)}\n", encoding="utf-8")


def _one_more_passed(root: Path) -> None:
    file = root / "docs/how-to/verify-a-cluster.md"
    counts = r"(\d+)(?= passed)|(?<=Tests break )(\d+)"
    text = re.sub(counts, lambda match: str(int(match[0]) + 1), file.read_text(encoding="utf-8"))
    file.write_text(text, encoding="utf-8")


DESCRIBED: Final = {"A VM size": _row_of_prices, "A check of `verify`": _one_more_passed}
"""What the page describes without a block."""


@pytest.mark.parametrize("heading", PLACES)
def test_an_example_works_as_it_is_written(copy: Path, heading: str) -> None:
    section = _section(heading)
    fences = fenced_in(section)
    blocks = [textwrap.dedent(text) for language, text in fences if language != "sh"]
    for place, block in zip(PLACES[heading], blocks, strict=True):
        first = block.splitlines()[0]
        named = Path(place.file).name if place.file not in section else place.file
        assert 0 <= section.find(named) < section.index(first)
        _insert(copy, place, block)
    if heading in DESCRIBED:
        DESCRIBED[heading](copy)
    lines = [line for language, text in fences if language == "sh" for line in command_lines(text)]
    for line in lines:
        match shlex.split(line):
            case ["make", "docs"]:
                _run(copy, "-m", "kubeflow_aks.text.generated", "--write", *GENERATED)
            case [".venv/bin/python", *words]:
                _run(copy, *words, "-q", "-p", "no:cacheprovider")
            case _:
                pytest.fail(f"not played: {line}")
    assert lines
    for name, text in FOLLOWS.get(heading, {}).items():
        assert text not in (PROJECT_ROOT / name).read_text(encoding="utf-8")
        assert text in (copy / name).read_text(encoding="utf-8")


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
    return re.sub(r"([A-Z])", lambda match: f"_{match[1].lower()}", word) in text
