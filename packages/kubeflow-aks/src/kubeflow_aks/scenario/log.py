"""A journal as lines for the user."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any, Final

from kubeflow_aks.events import Kind
from kubeflow_aks.text.numbers import counted

_PRINTED: Final = frozenset(
    {
        Kind.SUPPLY,
        Kind.ADVISORY,
        Kind.ADVISORY_OVER,
        Kind.EVICTION_NOTICE,
        Kind.EVICTION,
        Kind.SOLD_OUT,
        Kind.BACK_OFF,
        Kind.SCALE_UP,
        Kind.NODE_READY,
        Kind.FALLBACK,
        Kind.WARNING,
        Kind.ERROR,
    }
)
_SUPPLY_WORDS: Final = {
    "available": "is available again",
    "soldout": "is sold out: Azure returns an allocation error",
    "silent": "is sold out, and Azure reports no error",
}


def sentences(lines: Iterable[Mapping[str, Any]], *, simulated: bool = True) -> Iterator[str]:
    """A sentence for each relevant line of a journal; equal events on several nodes of a pool become one.

    Where its seconds are simulated, the sentences mention it.
    """
    printed = [line for line in lines if _worth_printing(line)]
    for (kind, pool), group in groupby(printed, key=lambda line: (line["kind"], line.get("pool", ""))):
        same = list(group)
        sentence = _sentence(kind, pool, same)
        yield f"{same[0]['source']}: {sentence if simulated else sentence.replace(' simulated s', ' s')}"


def _worth_printing(line: Mapping[str, Any]) -> bool:
    """Whether a line is relevant; the end of an evicted or failed node has an earlier line of its own."""
    return line["kind"] in _PRINTED or (line["kind"] == Kind.NODE_GONE and line["cause"] == "removed")


def _sentence(kind: str, pool: str, lines: list[Mapping[str, Any]]) -> str:
    nodes, first, last = f"{counted(len(lines), 'node')} of {pool}", lines[0], lines[-1]
    match kind:
        case Kind.SUPPLY:
            text = f"{pool} {_SUPPLY_WORDS.get(last['supply'], last['supply'])}"
        case Kind.ADVISORY:
            text = f"{nodes} may be evicted, Azure advises"
        case Kind.ADVISORY_OVER:
            text = f"{nodes} not evicted: the advice is gone"
        case Kind.EVICTION_NOTICE:
            text = f"{nodes} will be evicted in {first['seconds']:.0f} simulated s: cordon, taint, drain"
        case Kind.EVICTION:
            left = sum(int(line["pods"]) for line in lines)
            how = f"with {counted(left, 'pod')} still running" if left else "drained in time"
            text = f"{nodes} evicted, {how}"
        case Kind.SOLD_OUT:
            text = f"no capacity for {nodes} ({first['error']})"
        case Kind.BACK_OFF:
            text = f"back-off: no node of {pool} is requested for {first['seconds']:.0f} simulated s"
        case Kind.SCALE_UP:
            text = ", ".join(f"{line['detail']} for {counted(len(line['pods']), 'pod')}" for line in lines)
        case Kind.NODE_READY:
            took = [line["seconds"] for line in lines if "seconds" in line]
            text = f"{nodes} ready" + (f" {max(took):.0f} simulated s after the request" if took else "")
        case Kind.NODE_GONE:
            text = f"{nodes} without work removed"
        case _:
            text = str(first.get("detail", ""))
    return text
