"""The autoscaler profile is read from Azure's wire strings."""

import pytest

from kubeflow_aks.local_aks.simulation.autoscaler.profile import Profile, seconds


def test_an_empty_profile_is_akss_default() -> None:
    profile = Profile.from_wire({})
    assert profile == Profile()
    assert (profile.scan_interval, profile.max_node_provision_time, profile.expander) == (10, 900, "random")


def test_wire_strings_become_values() -> None:
    wire = {
        "expander": "priority",
        "maxNodeProvisionTime": "10m",
        "scaleDownUtilizationThreshold": "0.6",
        "skipNodesWithSystemPods": "false",
        "maxEmptyBulkDelete": "100",
        "ignoreDaemonsetsUtilization": True,
        "scaleDownUnneededTime": None,
    }
    assert Profile.from_wire(wire) == Profile(
        expander="priority",
        max_node_provision_time=600,
        scale_down_utilization_threshold=0.6,
        skip_nodes_with_system_pods=False,
        max_empty_bulk_delete=100,
        ignore_daemonsets_utilization=True,
    )


def test_the_delay_after_a_deletion_is_one_scan_unless_set() -> None:
    assert Profile.from_wire({"scanInterval": "30s"}).scale_down_delay_after_delete == 30
    both = {"scanInterval": "30s", "scaleDownDelayAfterDelete": "0"}
    assert Profile.from_wire(both).scale_down_delay_after_delete == 0


@pytest.mark.parametrize(
    ("text", "expected"), [("90s", 90), ("15m", 900), ("1h30m", 5400), ("0", 0), ("500ms", 0.5)]
)
def test_durations(text: str, expected: float) -> None:
    assert seconds(text) == expected


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("scanInterval", "10"),
        ("scanInterval", "ten"),
        ("expander", "cheapest"),
        ("skipNodesWithSystemPods", "maybe"),
    ],
)
def test_a_bad_value_names_its_setting(name: str, value: str) -> None:
    with pytest.raises(ValueError, match=f"{name}.*{value}"):
        Profile.from_wire({name: value})
