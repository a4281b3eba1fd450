"""Advice within the subscription's quota: refused where it is too small, named where it is unknown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from kubeflow_aks.clients.vm_usage import Quota
from kubeflow_aks.cost.advice.quota import Room
from kubeflow_aks.cost.advice.situation import Situation
from kubeflow_aks.cost.billing import bill
from kubeflow_aks.recorder.stack_settings import StackFile
from tests.cost.examples import FixedMarket, spot, stack


def situation(**needed: int) -> Situation:
    """A stack whose program exports that quota."""
    made = stack(spot("cpuspot"))
    made = replace(made, outputs={**made.outputs, "vcpuQuota": needed})
    market = FixedMarket()
    file = StackFile("kubeflow-aks", {}, frozenset(), frozenset())
    return Situation(file, made, bill(made, market), (), lambda other: bill(other, market))


START = situation(cores=40, lowPriorityCores=80)
MORE = situation(cores=40, lowPriorityCores=136)


def room(quotas: Mapping[str, Quota] | None) -> Room:
    return Room(START, lambda _region: quotas)


@pytest.mark.parametrize(
    ("used", "limit", "refused", "named"),
    [
        (0, 136, False, False),
        (0, 135, True, False),
        (80, 136, False, True),  # enough if those 80 are this stack's own
        (81, 136, True, False),
        (300, 1000, False, False),
    ],
)
def test_the_quota_decides(used: int, limit: int, *, refused: bool, named: bool) -> None:
    quota_room = room({"lowprioritycores": Quota(used, limit)})
    assert bool(quota_room.refusal(MORE)) == refused
    if not refused:
        assert bool(list(quota_room.notes(MORE))) == named


def test_a_refusal_says_what_is_needed_and_what_there_is() -> None:
    assert room({"lowprioritycores": Quota(7, 100)}).refusal(MORE) == (
        "136 vCPU of lowPriorityCores (all spot) instead of 80, of which 7 of 100 are used"
    )


def test_who_is_signed_out_reads_what_is_needed() -> None:
    assert list(room(None).notes(MORE)) == [
        "it needs a quota of 136 vCPU of lowPriorityCores (all spot) instead of 80; `./kubeflow-aks quota` compares it"
    ]
    assert room(None).refusal(MORE) == ""


def test_what_needs_no_more_than_before_is_never_refused() -> None:
    less = situation(cores=40, lowPriorityCores=80)
    assert room({"lowprioritycores": Quota(0, 0)}).refusal(less) == ""
    assert list(room(None).notes(less)) == []


def test_a_family_that_the_region_does_not_list_is_refused() -> None:
    other = situation(cores=40, standardDASv5Family=8)
    assert "8 vCPU of standardDASv5Family" in room({"cores": Quota(0, 100)}).refusal(other)


def test_another_region_has_quotas_of_its_own() -> None:
    there = replace(START, bill=replace(START.bill, region="northeurope"))
    by_region = {"uksouth": {}, "northeurope": {"cores": Quota(0, 40), "lowprioritycores": Quota(0, 79)}}
    quota_room = Room(START, lambda region: by_region[region])
    assert quota_room.refusal(there) == "80 vCPU of lowPriorityCores (all spot), of which 0 of 79 are used"
