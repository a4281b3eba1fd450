"""List prices of VM sizes on demand, and so where each is sold: `aks_facts/ondemand_prices.csv`.

The file is large and read one row at a time, so that who asks for no price does not wait for it.
"""

import csv
from collections.abc import Mapping
from datetime import date
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

_FILE: Final = Path(__file__).parent / "ondemand_prices.csv"
PRICES_READ: Final = date(2026, 6, 18)
"""Day on which the file's source read Azure's price list."""
INCOMPLETE: Final = frozenset(
    {
        "standardBasv2Family",
        "standardBpsv2Family",
        "standardBsv2Family",
        "standardDADSv5Family",
        "standardDASv5Family",
        "standardEADSv5Family",
        "standardEASv5Family",
        "standardEIASv5Family",
    }
)
"""Quota families of which the file lacks prices of sizes that are sold: its first lines say why."""


@cache
def ondemand_prices(size: str) -> Mapping[str, float]:
    """USD per hour of a size on Linux, by region; a region without a price does not sell it, see `INCOMPLETE`."""
    regions, text = _regions(), _text()
    begin = text.find(f"\n{size},") + 1
    if not begin:
        return {}
    cells = next(csv.reader([text[begin : text.index("\n", begin)]]))
    return MappingProxyType(
        {region: float(cell) for region, cell in zip(regions, cells[1:], strict=True) if cell}
    )


def priced_regions() -> frozenset[str]:
    """The regions that the file has a column for."""
    return frozenset(_regions())


@cache
def _text() -> str:
    return _FILE.read_text(encoding="utf-8")


@cache
def _regions() -> tuple[str, ...]:
    head = next(line for line in _text().splitlines() if not line.startswith("#"))
    return tuple(head.split(",")[1:])
