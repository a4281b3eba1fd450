"""Reads the catalogue's CSV files; lines that start with `#` give a file's source and date."""

import csv
from pathlib import Path

HERE = Path(__file__).parent


def rows(name: str, folder: Path = HERE) -> list[dict[str, str]]:
    """The rows of `aks_facts/<name>.csv`, one dict each, keyed by the header."""
    lines = (folder / f"{name}.csv").read_text(encoding="utf-8").splitlines()
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))
