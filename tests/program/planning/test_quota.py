"""The quota that a stack needs."""

from program.planning.quota import vcpu_quota
from tests.program.planning.small_stack import GENERAL, SPOT, planned


def test_quota_is_by_family_and_by_region_with_an_upgrade_node_on_demand_and_none_on_spot() -> None:
    pools = {"general": GENERAL, "cpuspot": {**SPOT, "fallback": {"maxCount": 5}}}
    assert vcpu_quota(planned(pools=pools).pools) == {
        "standardDDSv5Family": (5 + 1) * 8,
        "standardDSv5Family": (3 + 1) * 4 + (3 + 1) * 8,
        "cores": 48 + 16 + 32,
        "lowPriorityCores": 10 * 8,
    }


def test_a_constrained_size_needs_the_quota_of_its_parent() -> None:
    fallback = {"maxCount": 1, "vmSize": "Standard_E8-2ads_v5"}
    needed = vcpu_quota(planned(pools={"general": GENERAL, "s": {**SPOT, "fallback": fallback}}).pools)
    assert needed["standardEADSv5Family"] == 2 * 8


def test_a_size_of_the_stack_names_its_family_or_itself() -> None:
    described = {"vcpus": 8, "memoryGib": 32}
    unknown = {"maxCount": 1, "vmSize": "Standard_D8ds_v99"}
    pools = {"general": GENERAL, "s": {**SPOT, "fallback": unknown}}
    unnamed = planned(vmSizes={"Standard_D8ds_v99": described}, pools=pools)
    named = planned(
        vmSizes={"Standard_D8ds_v99": {**described, "family": "standardDdsv99Family"}}, pools=pools
    )
    assert vcpu_quota(unnamed.pools)["the family of Standard_D8ds_v99"] == 16
    assert vcpu_quota(named.pools)["standardDdsv99Family"] == 16


def test_a_stack_without_spot_needs_no_spot_quota() -> None:
    assert "lowPriorityCores" not in vcpu_quota(planned(pools={"general": GENERAL}).pools)
