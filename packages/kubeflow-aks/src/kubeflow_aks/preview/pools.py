"""The table of agent pools."""

from collections.abc import Iterator

from kubeflow_aks.recorder.document import Pool
from kubeflow_aks.text.columns import GAP, cut, table

_HEAD = ("Pool", "VM size", "Priority", "Nodes", "Eviction", "Max price", "OS disk", "Fallback")
_NONE = "–"


def pool_table(pools: list[Pool], width: int) -> list[str]:
    """A row for each pool, with its labels and taints below it."""
    fallbacks = {pool["fallbackOf"]: pool["pool"] for pool in pools}
    head, *rows = table([_HEAD, *(_cells(pool, fallbacks) for pool in pools)], width)
    indent = max(len(full_name(pool)) for pool in pools) + GAP
    lines = head
    for pool, row in zip(pools, rows, strict=True):
        lines += [*row, *(cut(f"{'':{indent}}{note}", width) for note in _notes(pool))]
    return lines


def node_range(pool: Pool) -> str:
    """Minimum and maximum number of nodes."""
    return f"{pool['min']}–{pool['max']}"


def full_name(pool: Pool) -> str:
    """Its name, and that of the pool whose VM size it is."""
    return pool["name"] if pool["name"] == pool["pool"] else f"{pool['name']} of {pool['pool']}"


def _cells(pool: Pool, fallbacks: dict[str | None, str]) -> tuple[str, ...]:
    disk = pool["osDisk"]
    return (
        full_name(pool),
        pool["vmSize"],
        pool["priority"],
        node_range(pool),
        pool["evictionPolicy"] or _NONE,
        _price(pool["maxPrice"]),
        f"{disk['type']} {disk['sizeGib']} GiB",
        f"of {pool['fallbackOf']}" if pool["fallbackOf"] else fallbacks.get(pool["pool"], _NONE),
    )


def _price(price: float | None) -> str:
    if price is None:
        return _NONE
    return "≤ on demand" if price == -1 else f"{price} USD/h"


def _notes(pool: Pool) -> Iterator[str]:
    labels = [f"{key}={value}" for key, value in pool["labels"].items()]
    for title, values in (("labels", labels), ("taints", pool["taints"])):
        for number, value in enumerate(values):
            yield f"{title if number == 0 else '':{len(title) + GAP}}{value}"
