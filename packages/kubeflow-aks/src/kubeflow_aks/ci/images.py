"""`kubeflow-aks ci images`: whether each image has been compared with its source of late.

No bot reads an image in Python, and a pinned one does not change by itself. So `images.csv`, which a test compares with
the code, has the day on which somebody last looked for a newer one.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Final

from kubeflow_aks.exit_codes import ExitCode

LIST: Final = Path(__file__).with_name("images.csv")
LONGEST: Final = timedelta(days=90)
"""Our choice: a quarter of a year."""


@dataclass(frozen=True)
class Image:
    """One image.

    Attributes:
        name: with its tag.
        digest: of its index; empty where the tag is meant to move.
        compared: the day on which it was last compared with its source.
    """

    name: str
    digest: str
    compared: date


def images() -> list[Image]:
    """Every image that the code or a page names."""
    with LIST.open(encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(line for line in lines if not line.startswith("#"))
        return [Image(row["image"], row["digest"], date.fromisoformat(row["compared"])) for row in rows]


def overdue(listed: Iterable[Image], today: date) -> Iterator[str]:
    """A line for each image that nobody has compared with its source for too long."""
    for image in listed:
        age = today - image.compared
        if age > LONGEST:
            yield (
                f"{image.name}: last compared with its source on {image.compared}, {age.days} days ago; look for a "
                f"newer one and change its day in {LIST.name}"
            )


def run(today: date) -> ExitCode:
    """Prints the result."""
    listed = images()
    lines = list(overdue(listed, today))
    if lines:
        print("\n".join(lines))
        return ExitCode.FINDING
    print(f"{len(listed)} images, each compared with its source within {LONGEST.days} days")
    return ExitCode.GOOD
