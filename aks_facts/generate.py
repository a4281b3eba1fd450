"""`az vm list-skus --all -o json | python -m aks_facts.generate`: renews `vm_sizes.csv` from its answer.

The answer holds what a subscription sees of every region. It says all that planning needs but three things, which are
kept from the table, and empty for a size that is new: model and memory of GPUs, MIG, and announced retirements
(retirements-and-capacity-restrictions.md).
"""

import argparse
import csv
import io
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from aks_facts import retired_series
from aks_facts._table import HERE, rows

_TABLE = HERE / "vm_sizes.csv"
_LEAST_VCPUS = 2
"""AKS takes no smaller size (quotas-skus-regions.md, "Restricted VM sizes")."""
_LEAST_MEMORY_GIB = 2
_SOURCE = "K/K/K"
_KEPT = ("gpu_model", "gpu_memory_gib", "mig", "retirement_date")

Row: TypeAlias = dict[str, str]


def renewed(listed: Iterable[Row], answer: Iterable[Mapping[str, Any]]) -> list[Row]:
    """The table with what Azure answered: sizes it has are updated or added, others stay as they are.

    Args:
        listed: rows of the table.
        answer: entries of `az vm list-skus`, of all kinds of resources and regions.
    """
    table = {row["name"]: row for row in listed}
    for name, row in _answered(answer).items():
        before = table.get(name)
        kept = {key: before[key] for key in _KEPT} if before else {"mig": "" if row["gpus"] != "0" else "no"}
        table[name] = dict.fromkeys(_columns(), "") | row | kept
    return list(table.values())


def text(table: Iterable[Row], head: str) -> str:
    """The file: its first lines, which name the sources, and the rows."""
    lines = io.StringIO()
    writer = csv.DictWriter(lines, _columns(), lineterminator="\n")
    writer.writeheader()
    writer.writerows(table)
    return head + lines.getvalue()


def main(arguments: Sequence[str] | None = None, table: Path = _TABLE) -> int:
    """Reads the answer from standard input, writes the table and tells what changed.

    Returns:
        0; 1 when the answer cannot be read, and nothing is written.
    """
    argparse.ArgumentParser(prog="aks_facts.generate", description=__doc__).parse_args(arguments)
    before = rows("vm_sizes", table.parent)
    try:
        after = renewed(before, json.load(sys.stdin))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        print("not an answer of `az vm list-skus --all -o json`; nothing is written", file=sys.stderr)
        return 1
    old = {row["name"]: row for row in before}
    for row in after:
        if row != old.get(row["name"]):
            print(("changed  " if row["name"] in old else "new      ") + row["name"])
    head = [line for line in table.read_text(encoding="utf-8").splitlines(keepends=True) if line[:1] == "#"]
    table.write_text(text(after, "".join(head)), encoding="utf-8")
    return 0


def _answered(answer: Iterable[Mapping[str, Any]]) -> dict[str, Row]:
    """A row for each size that can be a node; spot where any region offers it."""
    table: dict[str, Row] = {}
    for entry in answer:
        if entry["resourceType"] != "virtualMachines" or retired_series(entry["name"]):
            continue
        row = _row(entry, {item["name"]: item["value"] for item in entry["capabilities"]})
        if float(row["memory_gib"]) < _LEAST_MEMORY_GIB or int(row["vcpus"]) < _LEAST_VCPUS:
            continue
        if table.get(row["name"], row)["spot"] == "yes":
            row["spot"] = "yes"
        table[row["name"]] = row
    return table


def _row(entry: Mapping[str, Any], capabilities: Mapping[str, str]) -> Row:
    ephemeral = capabilities.get("EphemeralOSDiskSupported") == "True"
    return {
        "name": entry["name"],
        "family": entry["family"],
        "vcpus": capabilities.get("vCPUsAvailable", capabilities["vCPUs"]),
        "memory_gib": f"{float(capabilities['MemoryGB']):g}",
        "architecture": "arm64" if capabilities.get("CpuArchitectureType") == "Arm64" else "x64",
        "gpus": capabilities.get("GPUs", "0"),
        "cache_gib": _gib(capabilities.get("CachedDiskBytes"), 1024**3) if ephemeral else "0",
        "temp_gib": _gib(capabilities.get("MaxResourceVolumeMB"), 1024),
        "nvme_gib": _gib(capabilities.get("NvmeDiskSizeInMiB"), 1024),
        "ephemeral_os": _flag(capabilities.get("EphemeralOSDiskSupported")),
        "premium_storage": _flag(capabilities.get("PremiumIO")),
        "spot": _flag(capabilities.get("LowPriorityCapable")),
        "encryption_at_host": _flag(capabilities.get("EncryptionAtHostSupported")),
        "source": _SOURCE,
    }


def _gib(amount: str | None, unit: int) -> str:
    """Whole GiB; what Azure leaves out a size does not have."""
    return str(int(amount or 0) // unit)


def _flag(value: str | None) -> str:
    return "yes" if value == "True" else "no"


def _columns() -> list[str]:
    return list(rows("vm_sizes")[0])


if __name__ == "__main__":
    sys.exit(main())
