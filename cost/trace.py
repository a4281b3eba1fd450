"""`python -m cost.trace POOL FILE`: what a supply trace says, as lines for a stack's file."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from cost.figures import CostError
from cost.model.supply import Supply, supply

_MOST = 0.999999
"""In a stack's file neither a rate nor a share may be 1."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the lines.

    Returns:
        0; 1 where the file is no trace, and each reason is one line on stderr.
    """
    parser = argparse.ArgumentParser(
        prog="cost.trace", description="A supply trace as lines for a stack's file."
    )
    parser.add_argument("pool", help="the spot pool that the trace is like")
    parser.add_argument("file", type=Path, help='{"metadata": {"gap_seconds": 300}, "data": [1, 1, 0, …]}')
    options = parser.parse_args(arguments)
    try:
        found = supply(options.file.read_bytes(), options.file.name)
    except (CostError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    print(*_lines(options.pool, options.file.name, found), sep="\n")
    return 0


def _lines(pool: str, file: str, found: Supply) -> list[str]:
    vms = "1 VM" if found.wanted == 1 else f"{found.wanted} VMs"
    outage = f", {found.outage:.1f} h without one on average" if found.outage else ""
    return [
        f"# {file}: {vms}, {found.hours / 24:.1f} days{outage}",
        "kubeflow-aks:cost:",
        "  pools:",
        f"    {pool}:",
        f"      evictionRate: {_below_one(found.rate):g}",
        f"      soldOutShare: {_below_one(found.sold_out):g}",
    ]


def _below_one(figure: float) -> float:
    return min(round(figure, 6), _MOST)


if __name__ == "__main__":
    sys.exit(main())
