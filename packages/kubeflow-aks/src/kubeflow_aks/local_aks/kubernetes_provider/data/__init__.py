"""Facts about Kubernetes' Go types, and the script that takes them from its sources."""

from functools import cache
from pathlib import Path

from kubeflow_aks.text import files


def rows(table: str) -> list[dict[str, str]]:
    """The rows of a table in this folder, by column."""
    return files.rows(Path(__file__).with_name(table))


@cache
def fields(table: str) -> frozenset[tuple[str, str]]:
    """The rows of a table of fields: OpenAPI definition and name of each."""
    return frozenset((row["definition"], row["field"]) for row in rows(table))
