"""What became of each task of a pipeline."""

from dataclasses import dataclass
from typing import Final, Literal

Outcome = Literal["placed", "placed before", "left alone"]

_HEADER: Final = ("TASK", "RUNS ON", "")


@dataclass(frozen=True)
class Row:
    """What became of a task.

    Attributes:
        task: its path: its name, after those of the loops, conditions and pipelines around it.
        outcome: whether it was placed.
        pools: names of the pools that it may run on; none where it was left alone.
        note: its retries and GPUs, or why it was left alone.
    """

    task: str
    outcome: Outcome
    pools: tuple[str, ...]
    note: str


@dataclass(frozen=True, repr=False)
class Report:
    """What became of a pipeline's tasks; as a text, and at the end of a notebook's cell, a table.

    Attributes:
        rows: one for each task.
        doubts: what of the placed tasks is not known here, one line each.
    """

    rows: tuple[Row, ...]
    doubts: tuple[str, ...] = ()

    def __repr__(self) -> str:
        cells = [
            _HEADER,
            *((row.task, ", ".join(row.pools) or "-", f"{row.outcome}: {row.note}") for row in self.rows),
        ]
        task, pools = (max(len(row[column]) for row in cells) for column in (0, 1))
        table = (f"{row[0]:{task}}  {row[1]:{pools}}  {row[2]}".rstrip() for row in cells)
        return "\n".join([*table, *self.doubts])
