"""What a bill says above its tables, and why its amounts are ranges."""

from kubeflow_aks.cost.billing import bill
from kubeflow_aks.cost.figures import Range
from kubeflow_aks.cost.report.page import headline, page
from kubeflow_aks.text.blocks import Items, Paragraph
from tests.cost.examples import SYSTEM, FixedMarket, pool, spot, stack, work


def test_the_headline_says_that_work_is_assumed() -> None:
    assumed = bill(stack(spot("cpuspot")), FixedMarket())
    stated = bill(stack(spot("cpuspot"), basis={"workload": {"a": work()}}), FixedMarket())
    words = "; the work is assumed, because the stack names none; stack made, uksouth, "
    assert words in headline(assumed)
    assert "assumed" not in headline(stated)


def test_each_range_has_its_reasons_below_the_table() -> None:
    system = {**SYSTEM, "maxCount": 3}
    pools = (spot("cpuspot"), pool("plain"))
    basis = {"workload": {"a": work(), "b": work(pool="plain")}}
    market = FixedMarket(spread=0.5)
    shown = page(bill(stack(*pools, basis=basis, agentPoolProfiles=[system]), market)).top
    place = shown.index(Paragraph("What the ranges are:"))
    cpuspot = (
        "cpuspot: evictions of 0 % to 5 % an hour (a test) and a price of $0.0244 to $0.0731 an hour (list price, as "
        "of 2026-11-01)"
    )
    assert shown[place + 1] == Items(("system: its least nodes to its most", cpuspot))
    open_band = page(bill(stack(*pools, basis=basis), FixedMarket(rate=Range(0.2, 0.2, 1.0)))).top
    assert "cpuspot: evictions of 20 % or more an hour (a test)" in str(open_band)
