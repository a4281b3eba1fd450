"""Expected against actual: what was observed beside what was assumed, and the bill that follows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from cost.bill import Bill
from cost.evictions import PoolSeen
from cost.figures import EvictionRate
from cost.observed import Observed
from cost.words import hours, money, share, spread
from writing.blocks import Block, Items, Paragraph, Section, Table

_HEAD = (
    "Pool",
    "Nodes",
    "Node hours",
    "Evictions",
    "Observed an hour",
    "95 % interval",
    "Until now an hour",
    "From",
)


def telling(observed: Observed) -> Mapping[str, EvictionRate]:
    """Rates of the pools of which enough was seen."""
    return {name: rate for name, one in observed.pools.items() if one.tells and (rate := one.rate)}


def section(observed: Observed, before: Bill, after: Bill) -> Section:
    """What was seen of each spot pool, and what that makes of the bill.

    Args:
        observed: what was seen.
        before: the bill without it.
        after: the bill with it.
    """
    since = f" from {observed.since:%Y-%m-%d %H:%M}" if observed.since else ""
    title = f"What was observed{since} until {observed.time:%Y-%m-%d %H:%M} {observed.time.tzname() or ''}".rstrip()
    return Section(title, tuple(_blocks(observed, before, after)), unfolded=True)


def _blocks(observed: Observed, before: Bill, after: Bill) -> Iterator[Block]:
    rows = [_row(observed.pools.get(name), name, rate) for name, rate in before.rates.items()]
    rows += [_row(one, name, None) for name, one in observed.pools.items() if name not in before.rates]
    if rows:
        yield Table(_HEAD, tuple(rows), range(1, len(_HEAD) - 1))
    yield Paragraph(_outcome(observed, before, after))
    yield Items((*_too_little(observed, before), *observed.said))


def _row(seen: PoolSeen | None, name: str, until_now: EvictionRate | None) -> tuple[str, ...]:
    found = seen.rate if seen else None
    between = f"{share(found.rate.low)} to {share(found.rate.high)}" if found else ""
    rate = "" if not found or not seen else share(found.rate.expected) if seen.evictions else "none"
    return (
        name,
        str(seen.nodes) if seen else "0",
        f"{seen.hours:.3g}" if seen and seen.hours < 10 else hours(seen.hours if seen else 0.0),  # noqa: PLR2004
        str(seen.evictions) if seen else "0",
        rate,
        between,
        share(until_now.rate.expected) if until_now else "",
        until_now.source.name if until_now else "no work of this bill runs there",
    )


def _outcome(observed: Observed, before: Bill, after: Bill) -> str:
    if not telling(observed):
        return "No pool was seen for long enough to judge its evictions: the bill stays as it was."
    was, now = before.amount(), after.amount()
    return (
        f"With what was observed the stack is expected to cost {money(now.expected, after.currency)} a month "
        f"({spread(now, after.currency)}); without, {money(was.expected, before.currency)} "
        f"({spread(was, before.currency)})."
    )


def _too_little(observed: Observed, before: Bill) -> Iterator[str]:
    for name in before.rates:
        one = observed.pools.get(name)
        if one is None:
            yield f"{name}: nothing was seen of it; its rate stays"
        elif not one.tells:
            yield (
                f"{name}: too little was seen to tell 5 % an hour from 20 %, {one.hours:.3g} node hours; "
                "its rate stays"
            )
