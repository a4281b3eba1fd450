"""Rules of headroom: the pool has room for it, and nothing else keeps or takes the same nodes."""

from typing import Any

import pytest

from program.planning.rules.headroom import headroom_problems
from tests.program.planning.small_stack import GENERAL, GPU_SPOT, SPOT, refused, settings

HOURS = {"timeZone": "Europe/London"}
FALLBACK = {"fallback": {"maxCount": 1}}


@pytest.mark.parametrize(
    ("pool", "others", "keys"),
    [
        ({**SPOT, "headroom": {"nodes": 9}}, {}, []),
        ({**SPOT, "headroom": {"nodes": 10}}, {}, ["headroom.nodes"]),
        (
            {**SPOT, "vmSizes": ["Standard_D8ds_v5", "Standard_D8ads_v5"], "headroom": {"nodes": 10}},
            {},
            [],
        ),
        ({**GENERAL, "headroom": {}}, {}, ["headroom.nodes", "minCount"]),
        ({**SPOT, "minCount": 1, "headroom": {}}, {}, ["minCount"]),
        ({**GPU_SPOT, "gpuTimeSlices": 4, "headroom": {}}, {}, ["headroom.nodes"]),
        (
            {**SPOT, "headroom": {"images": ["busybox:1.36", "a b", ""]}},
            {},
            ["headroom.images[1]", "headroom.images[2]"],
        ),
        ({**SPOT, "headroom": {}}, {"kubeflow": {"returnToSpot": True}}, []),
        ({**SPOT, **FALLBACK, "headroom": {}}, {"kubeflow": {"returnToSpot": True}}, ["headroom.nodes"]),
        ({**SPOT, "headroom": {}}, {"officeHours": HOURS}, []),
        ({**SPOT, "headroom": {"hours": HOURS}}, {}, []),
        ({**SPOT, "headroom": {"hours": HOURS}}, {"officeHours": HOURS}, ["headroom.hours"]),
        ({**SPOT, "headroom": {"hours": {"timeZone": "Mars/Base"}}}, {}, ["headroom.hours.timeZone"]),
        ({**SPOT, "headroom": {"hours": {**HOURS, "to": "06:00"}}}, {}, ["headroom.hours.to"]),
    ],
)
def test_what_headroom_does_not_go_with_is_refused(
    pool: dict[str, Any], others: dict[str, Any], keys: list[str]
) -> None:
    stack = settings(pools={"work": pool}, **others)
    assert refused(headroom_problems(stack)) == [f"pools.work.{key}" for key in keys]
