"""A journal as lines for the user."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any, Final

from kubeflow_aks.events import Kind
from kubeflow_aks.text.numbers import counted

_UNCHANGED: Final = {Kind.FALLBACK, Kind.WARNING, Kind.ERROR}
"""Kinds whose `detail` is printed unchanged."""
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
        sentence = _sentence(Kind(kind), pool, same)
        yield f"{same[0]['source']}: {sentence if simulated else sentence.replace(' simulated s', ' s')}"


def _worth_printing(line: Mapping[str, Any]) -> bool:
    """Whether a line is relevant; the end of an evicted or failed node has an earlier line of its own."""
    if line["kind"] == Kind.NODE_GONE:
        return bool(line["cause"] == "removed")
    return line["kind"] in _SENTENCES or line["kind"] in _UNCHANGED


def _sentence(kind: Kind, pool: str, lines: list[Mapping[str, Any]]) -> str:
    if kind in _SENTENCES:
        return _SENTENCES[kind](pool, lines)
    return str(lines[0].get("detail", ""))


def _nodes(pool: str, lines: list[Mapping[str, Any]]) -> str:
    return f"{counted(len(lines), 'node')} of {pool}"


def _supply(pool: str, lines: list[Mapping[str, Any]]) -> str:
    supply = lines[-1]["supply"]
    return f"{pool} {_SUPPLY_WORDS.get(supply, supply)}"


def _notice(pool: str, lines: list[Mapping[str, Any]]) -> str:
    return f"{_nodes(pool, lines)} will be evicted in {lines[0]['seconds']:.0f} simulated s: cordon, taint, drain"


def _eviction(pool: str, lines: list[Mapping[str, Any]]) -> str:
    left = sum(int(line["pods"]) for line in lines)
    how = f"with {counted(left, 'pod')} still running" if left else "drained in time"
    return f"{_nodes(pool, lines)} evicted, {how}"


def _sold_out(pool: str, lines: list[Mapping[str, Any]]) -> str:
    return f"no capacity for {_nodes(pool, lines)} ({lines[0]['error']})"


def _back_off(pool: str, lines: list[Mapping[str, Any]]) -> str:
    return f"back-off: no node of {pool} is requested for {lines[0]['seconds']:.0f} simulated s"


def _scale_up(_pool: str, lines: list[Mapping[str, Any]]) -> str:
    return ", ".join(f"{line['detail']} for {counted(len(line['pods']), 'pod')}" for line in lines)


def _ready(pool: str, lines: list[Mapping[str, Any]]) -> str:
    took = [line["seconds"] for line in lines if "seconds" in line]
    return f"{_nodes(pool, lines)} ready" + (
        f" {max(took):.0f} simulated s after the request" if took else ""
    )


def _gone(pool: str, lines: list[Mapping[str, Any]]) -> str:
    return f"{_nodes(pool, lines)} without work removed"


_SENTENCES: Final[Mapping[Kind, Callable[[str, list[Mapping[str, Any]]], str]]] = {
    Kind.SUPPLY: _supply,
    Kind.EVICTION_NOTICE: _notice,
    Kind.EVICTION: _eviction,
    Kind.SOLD_OUT: _sold_out,
    Kind.BACK_OFF: _back_off,
    Kind.SCALE_UP: _scale_up,
    Kind.NODE_READY: _ready,
    Kind.NODE_GONE: _gone,
}
