"""Facts about Kubernetes' Go types, and the script that takes them from its sources."""

import csv
from pathlib import Path


def rows(table: str) -> list[dict[str, str]]:
    """The rows of a table in this folder, by column."""
    with Path(__file__).with_name(table).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))
