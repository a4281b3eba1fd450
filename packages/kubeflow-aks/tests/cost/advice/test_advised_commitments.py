"""Reservations and savings plans as advice: for what is always there, at prices that somebody quotes."""

from __future__ import annotations

from typing import Any, Literal

from kubeflow_aks.cost.advice.kinds.commitments import commitments, uncommitted
from kubeflow_aks.cost.advice.situation import Situation
from kubeflow_aks.cost.billing import bill
from kubeflow_aks.cost.figures import Offer, Quote, Range
from kubeflow_aks.recorder.stack_settings import StackFile
from tests.cost.examples import LIST, FixedMarket, pool, spot, stack

SIZE, OTHER = "Standard_D4s_v3", "Standard_D8s_v3"


def offer(kind: Literal["reservation", "savings plan"], years: int, price: float) -> Offer:
    return Offer(kind, years, Quote(Range.exactly(price), "hour", LIST))


OFFERS = {
    SIZE: (offer("reservation", 1, 0.14), offer("reservation", 3, 0.09)),
    OTHER: (offer("reservation", 1, 0.2),),
}


def situation(offers: dict[str, tuple[Offer, ...]], **cost: Any) -> Situation:
    """Two system nodes, three general ones of another size, and spot."""
    general = pool("general", OTHER, minCount=3, maxCount=5, nodeTaints=None)
    made = stack(general, spot("cpuspot", minCount=1), basis={"cost": cost})
    market = FixedMarket({SIZE: (0.232, 0.05), OTHER: (0.4, 0.1)}, reduced=offers)
    file = StackFile("kubeflow-aks", {}, frozenset(), frozenset())
    return Situation(file, made, bill(made, market), (), lambda other: bill(other, market), market.offers)


def test_each_kind_and_term_is_a_change_for_all_sizes_that_it_is_offered_for() -> None:
    one, three = commitments(situation(OFFERS))
    assert dict(one.values) == {
        ("cost", "commitments", SIZE, "vms"): 2,
        ("cost", "commitments", SIZE, "hourly"): 0.14,
        ("cost", "commitments", SIZE, "asOf"): "2026-11-01",
        ("cost", "commitments", OTHER, "vms"): 3,
        ("cost", "commitments", OTHER, "hourly"): 0.2,
        ("cost", "commitments", OTHER, "asOf"): "2026-11-01",
    }
    assert one.sentence == "a reservation of 1 year for 2 D4s_v3 and 3 D8s_v3, which are always there"
    assert three.sentence == "a reservation of 3 years for 2 D4s_v3, which are always there"


def test_one_year_is_the_last_of_a_combination_and_three_are_a_decision_of_their_own() -> None:
    assert [(it.alone, it.last) for it in commitments(situation(OFFERS))] == [(False, True), (True, True)]
    assert all("used or not" in it.notes[0] for it in commitments(situation(OFFERS)))


def test_without_a_price_there_is_none() -> None:
    assert list(commitments(situation({}))) == []


def test_what_is_committed_already_is_left_out() -> None:
    committed = situation(OFFERS, commitments={SIZE: {"vms": 1, "hourly": 0.1}})
    assert uncommitted(committed) == {OTHER: 3}
