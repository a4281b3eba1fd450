"""What is sent to the internet: the first 100 GB are free, and whatever it passes through takes its share."""

import pytest

from kubeflow_aks.cost.billing import bill
from tests.cost.examples import FixedMarket, pool, stack


@pytest.mark.parametrize(
    ("gib", "charged", "balanced"), [(0, None, None), (60, 0.0, 0.3), (100, 0.0, 0.5), (1100, 87.0, 5.5)]
)
def test_the_first_hundred_are_free(gib: float, charged: float | None, balanced: float | None) -> None:
    monthly_bill = bill(
        stack(pool("cpuspot"), basis={"cost": {"usage": {"outboundGib": gib}}}), FixedMarket()
    )
    amounts = {line.name: line.amount.expected for line in monthly_bill.lines}
    assert amounts.get("traffic to the internet") == (charged and pytest.approx(charged))
    assert amounts.get("load balancer traffic") == (balanced and pytest.approx(balanced))
    assert any(line.startswith("traffic to the internet") for line in monthly_bill.left_out) is (gib == 0)
