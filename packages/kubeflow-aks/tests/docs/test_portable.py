"""What people run is for every system that is supported: no options of GNU's tools alone, no bash after 3.2."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Final

import pytest

from kubeflow_aks.project import PROJECT_ROOT
from tests.docs.pages import PAGES, blocks, name

ONLY_GNU: Final = {
    "date -d": r"\bdate (-\w+ )*(-d|--date)\b",
    "readlink -f": r"\breadlink -f\b",
    "realpath": r"\brealpath\b",
    "grep -P": r"\bgrep (-\w+ )*-\w*P",
    "sed -i without a suffix": r"\bsed (-\w+ )*-i( |$)",
    "\\t or \\n in sed": r"\bsed .*'s([/|,#]).*\1.*\\[tn].*\1",
    "base64 -w": r"\bbase64 (-\w+ )*-w",
    "stat -c": r"\bstat (-\w+ )*-c\b",
    "xargs -r": r"\bxargs (-\w+ )*-r\b",
    "sort -V": r"\bsort (-\w+ )*-\w*V",
    "head -n -N": r"\bhead -n -\d",
    "find -printf": r"\bfind .*-printf\b",
    "cp -t, mv -t": r"\b(cp|mv) (-\w+ )*-t\b",
    "nproc": r"\bnproc\b",
    "tac": r"(^|[|;] *)tac\b",
    "timeout": r"(^|[|;&] *)timeout \d",
    "sha256sum": r"\bsha(1|256)sum\b",
    "options after names": r"\b(ls|cp|rm) [^-|;&][^|;&]* -\w",
}
ONLY_BASH_4: Final = {
    "declare -A": r"\b(declare|local|typeset) -\w*A",
    "mapfile": r"\b(mapfile|readarray)\b",
    "letters of another case": r"\$\{\w+(,,|\^\^)",
    "|& and &>>": r"\|&|&>>",
    "coproc": r"\bcoproc\b",
    "printf %(…)T": r"%\([^)]*\)T",
    "wait -n": r"\bwait -n\b",
    "array's last": r"\$\{\w+\[-1\]",
}
SHELL: Final = [
    PROJECT_ROOT / "Makefile",
    PROJECT_ROOT / ".ci/run",
    PROJECT_ROOT / "packages/kubeflow-aks/policy-pack",
    *sorted((PROJECT_ROOT / "packages/kubeflow-aks/src/kubeflow_aks/handoff/scripts").glob("*.sh")),
]


def unportable_parts(text: str) -> list[str]:
    """What of the above a script has."""
    patterns = (ONLY_GNU | ONLY_BASH_4).items()
    return [what for what, pattern in patterns if re.search(pattern, text, re.MULTILINE)]


@pytest.mark.parametrize("file", SHELL, ids=name)
def test_a_script_is_portable(file: Path) -> None:
    assert unportable_parts(file.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_a_page_is_portable(page: Path) -> None:
    assert unportable_parts("\n".join(blocks(page, "sh"))) == []


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("until=$(date -u -d tomorrow)", "date -d"),
        ("sed -i s/a/b/ file", "sed -i without a suffix"),
        (r"sed -E 's/^(a):.*/\1\t/'", "\\t or \\n in sed"),
        ("grep -oP 'a' file", "grep -P"),
        ('here=$(readlink -f "$0")', "readlink -f"),
        ("local -A seen", "declare -A"),
        ("mapfile -t lines < file", "mapfile"),
    ],
)
def test_it_is_noticed(line: str, what: str) -> None:
    assert unportable_parts(line) == [what]


def test_make_help_has_a_line_for_each_target() -> None:
    shown = subprocess.run(
        ["make", "-s", "help"], cwd=PROJECT_ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    targets = re.findall(
        r"^([a-z-]+):.*## ", (PROJECT_ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert [line.split()[0] for line in shown] == targets
    assert {line[15] for line in shown} == {" "}
    assert [line for line in shown if line[16] == " "] == []


def test_ci_runs_with_a_make_that_knows_no_output_sync(tmp_path: Path) -> None:
    """As macOS's 3.81; each step of `.ci/run`, the last of which fails."""
    old = tmp_path / "make"
    old.write_text('#!/bin/sh\necho "$@" >>"$0.log"\ntest "$2" != test-local\n')
    old.chmod(0o755)
    done = subprocess.run(
        [PROJECT_ROOT / ".ci/run"],
        env={"PATH": f"{tmp_path}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert (tmp_path / "make.log").read_text().splitlines() == [
        ".venv/.dev",
        "--help",
        "--jobs=4 test-program requirements",
        "packages/ckf-spot/.venv/.dev",
        "--jobs=4 lint test-kubeflow-aks stacks",
        "--jobs=2 test-local test-ckf-spot",
    ]
