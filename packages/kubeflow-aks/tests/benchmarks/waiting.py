"""How long work waits for its node and its image, with and without nodes that are kept warm, in simulated months.

    PYTHONPATH=packages/kubeflow-aks:. .venv/bin/python -m tests.benchmarks.waiting --write

writes docs/reference/waiting-for-nodes.md, in about two minutes on two cores that do nothing else.
"""

import argparse
import statistics
import sys
import zlib
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Final

from kubeflow_aks.cost.figures import HOURS_A_MONTH
from tests.benchmarks.month import HOUR, compare
from tests.stepped.month import SPOT, WITH_FALLBACK, Month, Work, play
from tests.stepped.work import Kind

PAGE: Final = Path("docs/reference/waiting-for-nodes.md")
MONTHS: Final = 8
RATE: Final = 0.05
OFFICE: Final = tuple((24.0 * day + 8, 24.0 * day + 18) for day in range(5))
AT_ONCE_SECONDS: Final = 15.0
VARIANTS: Final[Mapping[str, Mapping[str, Any]]] = {
    "nothing": {},
    "images on each new node, by a DaemonSet": {"pre_pull": True},
    "`minCount: 1`": {"minimum": 1},
    "`headroom`, 1 node": {"headroom": 1},
    "`headroom`, 1 node with `images`": {"headroom": 1, "pre_pull": True},
    "`headroom`, 2 nodes with `images`": {"headroom": 2, "pre_pull": True},
}


@dataclass(frozen=True)
class Case:
    """A month of steps of one kind; the image is what its first pull on a node takes, in seconds."""

    name: str
    hours: float
    steps: int
    at_once: int = 1
    image: float = 120.0

    def month(self, variant: Mapping[str, Any]) -> Month:
        """What is played, which is the same work in each variant."""
        # A restart pulls as well, and takes two minutes more for its data.
        kind = Kind(
            pod=WITH_FALLBACK,
            seconds=self.hours * HOUR,
            restart=self.image + 120,
            load=self.image,
            wait=300,
        )
        return Month(work=[Work(kind, self.steps, self.at_once)], hazard=RATE, office=OFFICE, **variant)


CASES: Final = (
    Case("1 h × 200, an image of 2 min", 1, 200),
    Case("1 h × 200, an image of 6 min", 1, 200, image=360),
    Case("10 min × 600, an image of 2 min", 1 / 6, 600),
    Case("1 h × 200, 4 at once, an image of 2 min", 1, 200, at_once=4),
)


def played(month: Month, seed: int) -> tuple[list[float], float]:
    """What each step of a month waited, in seconds, and the month's hours of spot nodes."""
    outcome = play(month, seed)
    return [HOUR * hours for hours in outcome.done.waited], outcome.node_hours[SPOT]


def row(case: Case, name: str, months: Sequence[tuple[Sequence[float], float]], least: float) -> str:
    """A line of the table; `least` are the node hours without any of it."""
    variant = VARIANTS[name]
    waits = sorted(chain.from_iterable(waits for waits, _ in months))
    mean = compare(0.0, [statistics.mean(waits) for waits, _ in months])
    hours = compare(0.0, [hours for _, hours in months])
    office = sum(b - a for a, b in OFFICE) / 168 * HOURS_A_MONTH
    bill = f"{variant['headroom'] * office:,.0f}" if "headroom" in variant else ""
    cells = (
        case.name,
        name,
        f"{mean.mean:.0f} ± {mean.half:.0f} s",
        f"{waits[int(0.95 * len(waits))]:.0f} s",
        f"{sum(wait <= AT_ONCE_SECONDS for wait in waits) / len(waits):.0%}",
        f"{hours.mean:,.0f} ± {hours.half:,.0f}",
        f"{hours.mean - least:+,.0f}" if variant else "",
        bill,
    )
    return f"| {' | '.join(cells)} |"


def rows(number: int) -> Iterable[str]:
    """Plays so many months of each case and variant, of the same seeds, and returns the table's lines."""
    with ProcessPoolExecutor() as executor:
        for case in CASES:
            seeds = [zlib.crc32(f"{case.name}/{index}".encode()) for index in range(number)]
            least = 0.0
            for name, variant in VARIANTS.items():
                months = list(executor.map(partial(played, case.month(variant)), seeds))
                least = least or statistics.mean(hours for _, hours in months)
                line = row(case, name, months, least)
                print(line, file=sys.stderr, flush=True)
                yield line


def page(lines: Iterable[str], months: int) -> str:
    """The whole page."""
    return _PAGE.format(rate=RATE, months=months, at_once=AT_ONCE_SECONDS, rows="\n".join(lines))


_PAGE: Final = """\
# Waiting for nodes

<!-- Generated in about two minutes, do not edit:
     `PYTHONPATH=packages/kubeflow-aks:. .venv/bin/python -m tests.benchmarks.waiting --write` -->

A pool that scales from 0 costs nothing while nobody works, and the first step of the day waits: for a VM, and for its
image. [`headroom`](../how-to/keep-nodes-warm.md) keeps some nodes warm. What that saves and costs is played here, on
the local AKS in memory that also [checks the bill](cost-against-simulation.md).

Steps are submitted at random moments between 8 and 18 h from Monday to Friday, when `headroom` has its hours, too. A
VM boots for 90 s, the autoscaler has AKS's defaults, a node that has run the image keeps it, and evictions come at
{rate:.0%} an hour. Each figure is the mean of {months} months of 730 hours with its 95 % interval (Student's t), for
every row of the same seeds; the 95th percentile is of all their steps. A wait is from the submission of a step until
its work begins for the first time; "at once" is within {at_once:.0f} s. Boot and pull are assumptions: measure yours,
and compare them.

| Work of a month | Kept warm | Wait | 95th percentile | At once | Hours of spot nodes | More | By the bill |
| --- | --- | --: | --: | --: | --: | --: | --: |
{rows}

- **Pulling images on new nodes by a DaemonSet saves nothing.** The step for which the node was made is there as soon
  as the node is, and pulls the same image at the same time. So no DaemonSet of this program pulls images.
- **A warm node saves the boot, and with the image on it nearly all of the wait.** The placeholder pulls `images`.
- **`minCount` is no headroom.** The node is taken by the first step, and the next one waits as before; and it costs
  its hours by night, too.
- **One node is enough for steps that come one by one.** Of steps that come together only as many find a warm node as
  there are.
- **The bill's row is what it costs**, within 7 %: nodes × hours, whatever the work, as each node that work takes is
  made up for by another one.

Not played: steps of several images on one node, of which a DaemonSet could pull one while another runs; work that
waits for a quota, a queue, a volume or another step; pulls that slow each other down; spot that is sold out, when
there is no headroom either; GPU nodes, for which the autoscaler waits up to 30 s longer.
"""


def main() -> int:
    """Plays all months and prints the page, or writes it; returns the exit code."""
    arguments = argparse.ArgumentParser(prog="python -m tests.benchmarks.waiting", description=__doc__)
    arguments.add_argument("--months", type=int, default=MONTHS, help="how many are played of each")
    arguments.add_argument("--write", action="store_true", help=f"write {PAGE}")
    options = arguments.parse_args()
    text = page(rows(options.months), options.months)
    if options.write:
        PAGE.write_text(text, encoding="utf-8")
    else:
        print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
