"""What `kubeflow-aks cost-trace` does: shows a supply trace as lines for a stack's file."""

from __future__ import annotations

from pathlib import Path

from kubeflow_aks.cost.model.supply import Supply, supply
from kubeflow_aks.exit_codes import ExitCode

_MOST = 0.999999
"""In a stack's file neither a rate nor a share may be 1."""


def show(pool: str, file: Path) -> ExitCode:
    """Prints the lines.

    Args:
        pool: the spot pool that the trace is like.
        file: `{"metadata": {"gap_seconds": 300}, "data": [1, 1, 0, …]}`.

    Raises:
        CostError: the file is no trace.
        OSError: it can't be read.
    """
    print(*_lines(pool, file.name, supply(file.read_bytes(), file.name)), sep="\n")
    return ExitCode.GOOD


def _lines(pool: str, file: str, found: Supply) -> list[str]:
    vms = "1 VM" if found.vms == 1 else f"{found.vms} VMs"
    outage = f", {found.outage:.1f} h without one on average" if found.outage else ""
    return [
        f"# {file}: {vms}, {found.hours / 24:.1f} days{outage}",
        "kubeflow-aks:cost:",
        "  pools:",
        f"    {pool}:",
        f"      evictionRate: {_below_one(found.rate):g}",
        f"      soldOutShare: {_below_one(found.sold_out):g}",
        *([f"      soldOutHours: {found.outage:g}"] if found.outage else []),
    ]


def _below_one(figure: float) -> float:
    return min(round(figure, 6), _MOST)
