"""Rules of Kubeflow's volumes."""

from typing import Any

import pytest

from program.planning.pools import agent_pools
from program.planning.redundancy import disk_sku
from program.planning.rules import disks as rules
from program.settings import Settings
from tests.program.planning.small_stack import GENERAL, SPOT, refused, settings


def stack(
    sku: str | None, *, location: str = "westeurope", home: dict[str, Any] | None = None, **pools: Any
) -> Settings:
    chosen = {"storageClass": {"sku": sku}} if sku else {}
    return settings(
        location=location, kubeflow=chosen, pools={"general": {**GENERAL, **(home or {})}, **pools}
    )


@pytest.mark.parametrize("sku", ["StandardSSD_ZRS", "Premium_ZRS"])
def test_zone_redundant_disks_are_refused_where_the_region_has_none(sku: str) -> None:
    [problem] = rules.disk_problems(stack(sku, location="northcentralus"))
    assert (problem.key, problem.value) == ("kubeflow.storageClass.sku", sku)


@pytest.mark.parametrize(
    ("location", "sku"), [("westeurope", "StandardSSD_ZRS"), ("northcentralus", "StandardSSD_LRS")]
)
def test_a_stack_that_says_nothing_has_the_disks_that_suit_its_region(location: str, sku: str) -> None:
    assert disk_sku(stack(None, location=location)) == sku
    assert refused(rules.disk_problems(stack(None, location=location))) == []


@pytest.mark.parametrize(
    ("sku", "location"),
    [
        ("StandardSSD_LRS", "northcentralus"),
        ("Premium_ZRS", "westeurope"),
        ("Premium_ZRS", "japanwest"),
        ("Premium_ZRS", "atlantiscentral"),
    ],
)
def test_disks_that_the_region_has_or_may_have_are_taken(sku: str, location: str) -> None:
    assert refused(rules.disk_problems(stack(sku, location=location))) == []


def test_premium_disks_need_nodes_that_can_attach_them() -> None:
    plain = {"vmSize": "Standard_D8_v3"}
    assert refused(rules.disk_problems(stack("Premium_LRS", home=plain))) == ["pools.general.vmSize"]
    assert refused(rules.disk_problems(stack("StandardSSD_LRS", home=plain))) == []
    assert refused(rules.disk_problems(stack("Premium_LRS", work={**SPOT, **plain}))) == []
    assert refused(rules.disk_problems(stack("Premium_LRS", home={"vmSize": "Standard_X1"}))) == []


def warned(sku: str, zones: list[str], **more: Any) -> list[str]:
    zoned = stack(sku, home={"zones": zones}, **more)
    return list(rules.disk_warnings(zoned, agent_pools(zoned)))


def test_lrs_disks_over_zones_are_warned_of() -> None:
    [warning] = warned("Premium_LRS", ["1", "2", "3"])
    assert warning == (
        "kubeflow.storageClass.sku is Premium_LRS and pools.general is in the zones 1, 2, 3: a volume stays where it "
        "was made, and its pod waits when no node is left there; set Premium_ZRS, or one zone"
    )


def test_disks_that_can_follow_their_pod_need_no_warning() -> None:
    assert warned("StandardSSD_ZRS", ["1", "2", "3"]) == []
    assert warned("StandardSSD_LRS", ["2"]) == []
    assert warned("StandardSSD_LRS", []) == []
    assert warned("StandardSSD_LRS", ["2"], spot={**SPOT, "zones": ["1", "3"]}) == []


def test_zone_redundant_disks_that_no_source_names_are_warned_of() -> None:
    [warning] = warned("Premium_ZRS", [], location="japanwest")
    assert warning == (
        "kubeflow.storageClass.sku is Premium_ZRS: it is unknown whether japanwest has zone-redundant disks, and "
        "without them no volume is made; check that Azure offers them there, or set Premium_LRS"
    )
    assert warned("Premium_LRS", [], location="japanwest") == []
    assert warned("Premium_ZRS", [], location="atlantiscentral") == []  # `location_rules` warns
