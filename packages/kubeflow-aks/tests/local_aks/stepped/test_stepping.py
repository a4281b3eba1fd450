"""Going from event to event must not change what happens."""

from __future__ import annotations

import pytest

from tests.stepped.month import POD, WITH_FALLBACK, Month, Work, play
from tests.stepped.work import Kind

ON_BOTH = Kind(pod=WITH_FALLBACK, seconds=2400, restart=240, wait=300)
ON_SPOT = Kind(pod=POD, seconds=5000, restart=120, wait=60, retries=4, every=1200, writing=60)
MONTHS = {
    "bursts": Month(work=[Work(ON_BOTH, 12, 4)], hazard=0.5, hours=3),
    "queue": Month(work=[Work(ON_SPOT, 8, 4)], hazard=0.9, hours=3, maximum=3),
    "sold out": Month(work=[Work(ON_BOTH, 12, 2)], hazard=0.5, hours=3, sold_out=0.5, sold_out_hours=0.5),
    "sold out without a fallback": Month(
        work=[Work(ON_SPOT, 6, 2)], hazard=0.5, hours=3, sold_out=0.5, sold_out_hours=0.5
    ),
    "a long pause after an addition": Month(
        work=[Work(ON_BOTH, 4, 2)],
        hazard=0.0,
        hours=2,
        profile={"scaleDownUnneededTime": "3m", "scaleDownDelayAfterAdd": "50m"},
    ),
    "all at once, another profile": Month(
        work=[Work(ON_BOTH, 14, 7)],
        hazard=0.9,
        hours=3,
        together=True,
        profile={"scanInterval": "7s", "scaleDownUnneededTime": "3m", "scaleDownDelayAfterAdd": "1m"},
    ),
}


@pytest.mark.parametrize("name", MONTHS)
def test_the_journal_is_the_one_of_a_simulation_that_ticks(name: str) -> None:
    stepped, ticked = play(MONTHS[name], 1), play(MONTHS[name], 1, skip=False)
    assert stepped.journal == ticked.journal
    assert stepped.done == ticked.done
    assert stepped.steps < ticked.steps / 20


def test_a_seed_settles_everything() -> None:
    month = MONTHS["sold out"]
    assert play(month, 3) == play(month, 3)
    assert play(month, 3).journal != play(month, 4).journal
