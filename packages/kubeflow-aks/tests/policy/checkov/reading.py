"""What Checkov makes of a stack, and how we expect it to differ from our own rules."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

import yaml

from kubeflow_aks.tools.environments import environment

_HERE: Final = Path(__file__).parent
_LIMIT: Final = 300
"""Seconds; all stacks take about ten."""


@dataclass(frozen=True)
class Reading:
    """What Checkov printed.

    Attributes:
        failed: by the id of each check that looked at something, the names of resources that fail it.
        resources: how many resources it saw.
        unreadable: how many files it could not read.
        refused: what it tried to reach on a network.
    """

    failed: Mapping[str, tuple[str, ...]]
    resources: int
    unreadable: int
    refused: tuple[str, ...]


@dataclass(frozen=True)
class Expected:
    """What `reading.yaml` says.

    Attributes:
        unclaimed: ids that no rule of ours claims.
        unread: ids of ours that Checkov does not report here.
        different: stacks by the id of a check and whether Checkov fails it, where our rule says otherwise.
    """

    unclaimed: frozenset[str]
    unread: frozenset[str]
    different: Mapping[tuple[str, bool], frozenset[str]]


def python(report: Callable[[str], object]) -> Path:
    """The Python of Checkov's own environment.

    Raises:
        BuildError: the environment can't be made.
    """
    return environment((_HERE / "requirements.txt").read_bytes(), "Checkov", report)


def read(python: Path, folders: Sequence[Path], home: Path) -> list[Reading]:
    """Runs Checkov over folders, without a network.

    Args:
        python: of its environment.
        folders: what it reads, one after another; two files for each are written beside it.
        home: where it may write.
    """
    command = [python, "-I", _HERE / "offline.py", *folders]
    place = {"HOME": str(home), "PATH": os.environ["PATH"], "CKV_SKIP_PACKAGE_UPDATE_CHECK": "True"}
    done = subprocess.run(
        command, env=place, cwd=home, capture_output=True, text=True, timeout=_LIMIT, check=False
    )
    messages = [folder.with_suffix(".txt") for folder in folders]
    shown = [file.read_text(encoding="utf-8") if file.exists() else "" for file in messages]
    assert done.returncode == 0, "\n".join([done.stderr, *shown])
    reports = [json.loads(folder.with_suffix(".json").read_text(encoding="utf-8")) for folder in folders]
    return list(map(_reading, reports, shown))


def expected() -> Expected:
    """The listed differences."""
    listed = yaml.safe_load((_HERE / "reading.yaml").read_text())
    return Expected(
        unclaimed=_ids(listed["unclaimed"]),
        unread=_ids(listed["unread"]),
        different={
            (row["id"], row["checkov"] == "fails"): frozenset(row["stacks"]) for row in listed["different"]
        },
    )


def _reading(reports: list[dict[str, Any]], message: str) -> Reading:
    failed: dict[str, tuple[str, ...]] = {}
    for report in reports:
        for check in report["results"]["passed_checks"]:
            failed.setdefault(check["check_id"], ())
        for check in report["results"]["failed_checks"]:
            failed[check["check_id"]] = (*failed.get(check["check_id"], ()), check["resource"])
    return Reading(
        failed,
        resources=sum(report["summary"]["resource_count"] for report in reports),
        unreadable=sum(report["summary"]["parsing_errors"] for report in reports),
        refused=tuple(line for line in message.splitlines() if line.startswith("refused: ")),
    )


def _ids(rows: list[dict[str, Any]]) -> frozenset[str]:
    return frozenset(id_ for row in rows for id_ in cast(list[str], row["ids"]))
