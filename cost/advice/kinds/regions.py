"""Another region of the same geography."""

from __future__ import annotations

from collections.abc import Iterator

from catalogue import regions
from cost.advice.advice import Change
from cost.advice.situation import Situation


def other_region(situation: Situation) -> Iterator[Change]:
    """The one with the lowest bill, a decision of its own: all is made anew there, and data must move."""
    here = regions().get(situation.bill.region)
    if here is None:
        return
    guesses = {
        there.name: guess
        for there in regions().values()
        if there.name != here.name
        and there.geography == here.geography
        and not there.restricted
        and (guess := situation.guess({"": {"location": there.name}})) is not None
    }
    if guesses:
        best = min(guesses, key=lambda name: guesses[name])
        yield Change(
            "region",
            f"{best} instead of {here.name}",
            {("location",): best},
            ("everything is made anew there; data and quota do not move with it",),
            alone=True,
        )
