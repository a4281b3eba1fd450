"""Tables and verdicts for the terminal."""

from collections.abc import Iterator, Sequence

from local_aks.demo.observations import Observations
from local_aks.demo.promises import Verdict
from local_aks.demo.report import table
from preview.columns import table as columns


def lines(seen: Observations, verdicts: Sequence[Verdict], width: int) -> Iterator[str]:
    """Where everything ran, how long each step took, and each promise.

    Args:
        seen: what was observed.
        verdicts: what was judged from it.
        width: columns of the terminal.
    """
    tables = (
        [table.WORK_HEADER, *table.work_rows(seen)],
        [table.STEP_HEADER, *table.step_rows(seen)],
        [("✔" if each.kept else "✘", each.promise, each.seen) for each in verdicts],
    )
    for rows in tables:
        yield from (line for row in columns(rows, width) for line in row)
        yield ""
