"""Tables, verdicts and costs for the terminal."""

from collections.abc import Iterator, Sequence

from story import show_cost
from story.observations import Observations
from story.promises import Verdict
from story.report import table
from writing.columns import table as columns
from writing.terminal import wrapped


def lines(seen: Observations, verdicts: Sequence[Verdict], width: int) -> Iterator[str]:
    """Where everything ran, how long each step took, and each promise.

    Args:
        seen: what was observed.
        verdicts: what was judged from it.
        width: columns of the terminal.
    """
    tables = (
        [table.WORK_HEADER, *table.work_rows(seen)],
        [table.step_header(seen), *table.step_rows(seen)],
        [(each.mark, each.promise, each.seen) for each in verdicts],
    )
    for rows in tables:
        yield from (line for row in columns(rows, width) for line in row)
        yield ""


def cost_lines(cost: show_cost.ShowCost, width: int) -> Iterator[str]:
    """What the show would have cost, and on what that rests.

    Args:
        cost: of the show.
        width: columns of the terminal.
    """
    yield from (line for row in columns([show_cost.HEADER, *show_cost.rows(cost)], width) for line in row)
    yield ""
    for sentence in cost.said:
        yield from wrapped(sentence, width, "- ")
    yield ""
