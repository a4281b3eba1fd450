"""The days a stack may name: when its cluster was made, and for which day it is checked."""

from collections.abc import Iterator
from datetime import date

from components.arguments.mistakes import Mistake
from program.settings import Settings


def day_problems(settings: Settings, today: date) -> Iterator[Mistake]:
    """A cluster was made before `today`, the day on which the program runs, whatever `asOf` is."""
    if settings.created and settings.created > today:
        yield Mistake(
            "created",
            settings.created.isoformat(),
            f"the day on which the cluster was made, {today} or earlier; leave it out while there is no cluster",
        )


def day_warnings(settings: Settings, today: date) -> Iterator[str]:
    """An earlier `asOf` than `today`, with which nothing that ended since is reported."""
    if settings.as_of and settings.as_of < today:
        yield (
            f"asOf is {settings.as_of}, a day in the past: what ended since is not reported, though Azure refuses it; "
            "leave asOf out"
        )
