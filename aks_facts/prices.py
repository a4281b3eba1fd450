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

PRICES_FILE: Final = Path(__file__).parent / "ondemand_prices.csv"


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
    return PRICES_FILE.read_text(encoding="utf-8")


@cache
def _regions() -> tuple[str, ...]:
    head = next(line for line in _text().splitlines() if not line.startswith("#"))
    return tuple(head.split(",")[1:])


def _noted(name: str) -> str:
    """What one of the file's first lines says, `# name: value`."""
    begin = f"# {name}:"
    return next(line.removeprefix(begin).strip() for line in _text().splitlines() if line.startswith(begin))


PRICES_READ: Final = date.fromisoformat(_noted("read"))
"""Day on which Azure's price list was read."""
INCOMPLETE: Final = frozenset(_noted("incomplete").split())
"""Quota families of which the file lacks prices of sizes that are sold: its first lines say why."""
