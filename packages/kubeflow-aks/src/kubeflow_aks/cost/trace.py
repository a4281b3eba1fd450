"""What `kubeflow-aks cost-trace` does: shows a supply trace as lines for a stack's file."""

from pathlib import Path

from kubeflow_aks.cost.model.supply import Supply, supply
from kubeflow_aks.exit_codes import ExitCode

_MOST = 0.999999
"""Largest rate or share that a stack's file may have: neither may be 1."""


def show(pool: str, file: Path) -> ExitCode:
    """Prints the lines for the spot pool that the trace is like (`model.supply` has its form).

    Raises:
        CostError: the file is no trace.
        OSError: it can't be read.
    """
    print(*_lines(pool, file.name, supply(file.read_bytes(), file.name)), sep="\n")
    return ExitCode.GOOD


def _lines(pool: str, file: str, supply: Supply) -> list[str]:
    vms = "1 VM" if supply.vms == 1 else f"{supply.vms} VMs"
    outage = f", {supply.outage:.1f} h without one on average" if supply.outage else ""
    return [
        f"# {file}: {vms}, {supply.hours / 24:.1f} days{outage}",
        "kubeflow-aks:cost:",
        "  pools:",
        f"    {pool}:",
        f"      evictionRate: {_below_one(supply.rate):g}",
        f"      soldOutShare: {_below_one(supply.sold_out):g}",
        *([f"      soldOutHours: {supply.outage:g}"] if supply.outage else []),
    ]


def _below_one(figure: float) -> float:
    return min(round(figure, 6), _MOST)
