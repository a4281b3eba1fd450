"""The simulated metadata service: the forms of the documents, and what happens to a notice."""

import json
import urllib.request
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import pytest

from kubeflow_aks.local_aks.simulation.market import MarketEvent, Reclaim
from tests.local_aks.simulation.metadata_service import (
    WITH_ADVISORIES,
    MetadataService,
    scheduled_events,
    vm_name,
)
from tests.local_aks.simulation.simulated import World, pool

EVENTS = "/metadata/scheduledevents?api-version=2020-07-01"
NAME = "/metadata/instance/compute/name?api-version=2021-02-01&format=text"
HEADERS = {"Metadata": "true"}

DOCUMENTED = {
    "DocumentIncarnation",
    "Events",
    "EventId",
    "EventStatus",
    "EventType",
    "ResourceType",
    "Resources",
    "NotBefore",
    "Description",
    "EventSource",
    "DurationInSeconds",
}
"""The fields of an answer (linux/scheduled-events.md, "Query for events")."""


@pytest.fixture
def world() -> World:
    """Two spot nodes of one pool and one of another."""
    spot = {"scaleSetPriority": "Spot", "minCount": 0}
    world = World([pool("cpuspot", count=2, **spot), pool("gpuspot", count=1, **spot)])
    world.run(10)
    return world


def evict(world: World, node: str, what: Reclaim = Reclaim.EVICT) -> None:
    world.market.add(MarketEvent(world.clock.now(), what, "cpuspot", node=node))
    world.run(world.tick)


def read(world: World, node: str) -> dict[str, Any]:
    return scheduled_events(node, world.journal())


def test_the_name_is_the_scale_set_s_and_the_instance_id() -> None:
    assert vm_name("aks-cpuspot-24469130-vmss00000z") == "aks-cpuspot-24469130-vmss_35"
    assert vm_name("aks-cpuspot-24469130-vmss000010") == "aks-cpuspot-24469130-vmss_36"


def test_while_nothing_is_announced_there_are_no_events(world: World) -> None:
    assert read(world, world.nodes_of("cpuspot")[0]) == {"DocumentIncarnation": 1, "Events": []}


def test_every_vm_of_the_scale_set_gets_the_event_with_vm_and_time(world: World) -> None:
    doomed, other = world.nodes_of("cpuspot")
    evict(world, doomed)
    document = read(world, other)
    [event] = document["Events"]
    assert document == read(world, doomed)
    assert (event["EventType"], event["EventStatus"], event["Resources"]) == (
        "Preempt",
        "Scheduled",
        [vm_name(doomed)],
    )
    assert event["NotBefore"].endswith(" GMT")
    assert document.keys() | event.keys() == DOCUMENTED
    assert read(world, world.nodes_of("gpuspot")[0])["Events"] == []


def test_the_incarnation_grows_with_each_change(world: World) -> None:
    doomed, other = world.nodes_of("cpuspot")
    evict(world, doomed)
    assert read(world, other)["DocumentIncarnation"] == 2
    evict(world, other)
    assert (read(world, other)["DocumentIncarnation"], len(read(world, other)["Events"])) == (3, 2)
    world.run(40)
    assert read(world, other) == {"DocumentIncarnation": 5, "Events": []}


def test_who_vanishes_was_never_announced(world: World) -> None:
    doomed, other = world.nodes_of("cpuspot")
    evict(world, doomed, Reclaim.VANISH)
    assert read(world, other) == {"DocumentIncarnation": 1, "Events": []}


def test_advice_is_in_the_newer_version_alone_until_it_is_over_or_the_vm_is_taken(world: World) -> None:
    false, true = world.nodes_of("cpuspot")
    for node in (false, true):
        evict(world, node, Reclaim.ADVISE)

    def events() -> list[tuple[str, str, str]]:
        document = scheduled_events(false, world.journal(), WITH_ADVISORIES)
        keys = ("EventType", "EventStatus", "NotBefore")
        return [tuple(event[key] for key in keys) for event in document["Events"]]

    advice = ("SpotRebalanceRecommendation", "Advisory", "")
    assert events() == [advice] * 2
    assert read(world, false) == {"DocumentIncarnation": 1, "Events": []}
    evict(world, true)
    assert [type_ for type_, _, _ in events()] == ["SpotRebalanceRecommendation", "Preempt"]
    world.run(100)
    assert events() == [advice]
    evict(world, false, Reclaim.VANISH)
    assert events() == []


def a_service() -> MetadataService:
    return MetadataService("aks-cpuspot-24469130-vmss00000z", list)


@pytest.mark.parametrize(
    ("target", "headers", "status"),
    [
        (EVENTS, HEADERS, HTTPStatus.OK),
        (EVENTS, {}, HTTPStatus.BAD_REQUEST),
        (EVENTS, {"Metadata": "false"}, HTTPStatus.BAD_REQUEST),
        (EVENTS, {**HEADERS, "X-Forwarded-For": "10.0.0.1"}, HTTPStatus.BAD_REQUEST),
        (EVENTS.replace("2020-07-01", WITH_ADVISORIES), HEADERS, HTTPStatus.OK),
        ("/metadata/scheduledevents", HEADERS, HTTPStatus.BAD_REQUEST),
        ("/metadata/scheduledevents?api-version=2017-08-01", HEADERS, HTTPStatus.BAD_REQUEST),
        ("/metadata/scheduledevents?api-version=latest", HEADERS, HTTPStatus.BAD_REQUEST),
        (NAME, HEADERS, HTTPStatus.OK),
        (NAME.removesuffix("&format=text"), HEADERS, HTTPStatus.BAD_REQUEST),
        ("/metadata/other?api-version=2020-07-01", HEADERS, HTTPStatus.NOT_FOUND),
    ],
)
def test_a_request_is_answered_or_refused(
    target: str, headers: Mapping[str, str], status: HTTPStatus
) -> None:
    assert a_service().answer(target, headers)[0] == status


def test_a_vm_answers_five_requests_a_second() -> None:
    service = a_service()
    answers = [service.answer(EVENTS, HEADERS)[0] for _ in range(6)]
    assert answers == [HTTPStatus.OK] * 5 + [HTTPStatus.TOO_MANY_REQUESTS]


def test_it_is_served_on_this_machine_only() -> None:
    with a_service().serving() as address:
        assert address.startswith("http://127.0.0.1:")
        bodies: list[str] = []
        for path in (NAME, EVENTS):
            request = urllib.request.Request(address + path, headers=HEADERS)  # noqa: S310
            with urllib.request.urlopen(request, timeout=10) as answer:  # noqa: S310
                bodies.append(answer.read().decode())
    assert bodies[0] == "aks-cpuspot-24469130-vmss_35"
    assert json.loads(bodies[1]) == {"DocumentIncarnation": 1, "Events": []}
