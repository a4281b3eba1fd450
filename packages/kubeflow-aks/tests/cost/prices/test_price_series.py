"""The price of one size tells that of another of its series."""

from aks_facts import INCOMPLETE, ondemand_prices, vm_sizes
from kubeflow_aks.cost.prices.estimates import by_siblings, siblings


def test_siblings_differ_by_nothing_but_their_number_of_vcpus() -> None:
    assert {"Standard_D2s_v5", "Standard_D96s_v5"} <= set(siblings("Standard_D4s_v5"))
    others = {"Standard_D4s_v5", "Standard_D4s_v3", "Standard_D4ds_v5", "Standard_DS4_v2", "Standard_E4s_v5"}
    assert not others & set(siblings("Standard_D4s_v5"))
    assert siblings("Standard_Unheard_of") == siblings("") == ()


def test_a_hole_would_be_filled_with_what_is_known_to_within_two_percent() -> None:
    """Every price that the families with holes do have, as if it were missing."""
    sizes = [size.name for size in vm_sizes().values() if size.family in INCOMPLETE]
    off = {
        (size, region): guess / price
        for size in sizes
        for region, price in list(ondemand_prices(size).items())[::4]
        if (guess := by_siblings(size, region)) and abs(guess / price - 1) > 0.02
    }
    assert len(off) <= 4, off
    assert all(0.9 < ratio < 1.1 for ratio in off.values()), off


def test_a_size_that_is_cheaper_than_its_vcpus_stays_so() -> None:
    price = ondemand_prices("Standard_B2ls_v2")["westeurope"]
    estimate = by_siblings("Standard_B2ls_v2", "westeurope")
    assert estimate is not None
    assert abs(estimate / price - 1) < 0.02
    assert price < 0.5 * ondemand_prices("Standard_B4ls_v2")["westeurope"]
