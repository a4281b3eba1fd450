"""Expected against actual: what was observed beside what was assumed, and the bill that follows."""

from collections.abc import Iterator, Mapping

from kubeflow_aks.cost.bill import Bill
from kubeflow_aks.cost.evictions import PoolEvictions
from kubeflow_aks.cost.figures import EvictionRate
from kubeflow_aks.cost.formatting import hours, money, share, spread
from kubeflow_aks.cost.observed import Observed
from kubeflow_aks.text.blocks import Block, Items, Paragraph, Section, Table

_HEAD = (
    "Pool",
    "Nodes",
    "Node hours",
    "Evictions",
    "Observed an hour",
    "95 % interval",
    "Assumed an hour",
    "From",
)


def conclusive_rates(observed: Observed) -> Mapping[str, EvictionRate]:
    """Rates of the pools with enough observations."""
    return {name: rate for name, one in observed.pools.items() if one.conclusive and (rate := one.rate)}


def section(observed: Observed, before: Bill, after: Bill) -> Section:
    """What was observed of each spot pool, and its effect: the bill before and after it."""
    since = f" from {observed.since:%Y-%m-%d %H:%M}" if observed.since else ""
    title = f"What was observed{since} until {observed.time:%Y-%m-%d %H:%M} {observed.time.tzname() or ''}".rstrip()
    return Section(title, tuple(_blocks(observed, before, after)), unfolded=True)


def _blocks(observed: Observed, before: Bill, after: Bill) -> Iterator[Block]:
    rows = [_row(observed.pools.get(name), name, rate) for name, rate in before.rates.items()]
    rows += [_row(one, name, None) for name, one in observed.pools.items() if name not in before.rates]
    if rows:
        yield Table(_HEAD, tuple(rows), range(1, len(_HEAD) - 1))
    yield Paragraph(_outcome(observed, before, after))
    yield Items((*_too_little(observed, before), *observed.notes))


def _row(pool: PoolEvictions | None, name: str, until_now: EvictionRate | None) -> tuple[str, ...]:
    rate_of_pool = pool.rate if pool else None
    between = f"{share(rate_of_pool.rate.low)} to {share(rate_of_pool.rate.high)}" if rate_of_pool else ""
    rate = (
        ""
        if not rate_of_pool or not pool
        else share(rate_of_pool.rate.expected)
        if pool.evictions
        else "none"
    )
    return (
        name,
        str(pool.nodes) if pool else "0",
        f"{pool.hours:.3g}" if pool and pool.hours < 10 else hours(pool.hours if pool else 0.0),  # noqa: PLR2004
        str(pool.evictions) if pool else "0",
        rate,
        between,
        share(until_now.rate.expected) if until_now else "",
        until_now.source.name if until_now else "no work of this bill runs there",
    )


def _outcome(observed: Observed, before: Bill, after: Bill) -> str:
    if not conclusive_rates(observed):
        return "No pool was observed long enough to estimate its eviction rate: the bill is unchanged."
    return outcome("With what was observed", before, after)


def outcome(words: str, before: Bill, after: Bill) -> str:
    """The bill with something and without it, as one sentence."""
    was, now = before.amount(), after.amount()
    return (
        f"{words} the stack is expected to cost {money(now.expected, after.currency)} a month "
        f"({spread(now, after.currency)}); without, {money(was.expected, before.currency)} "
        f"({spread(was, before.currency)})."
    )


def _too_little(observed: Observed, before: Bill) -> Iterator[str]:
    for name in before.rates:
        one = observed.pools.get(name)
        if one is None:
            yield f"{name}: not observed; its rate is unchanged"
        elif not one.conclusive:
            yield (
                f"{name}: {one.hours:.3g} node hours are too few to tell 5 % an hour from 20 %;  "
                "its rate is unchanged"
            )
