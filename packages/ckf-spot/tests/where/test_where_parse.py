"""What is kept of the API's objects."""

import json
from typing import Any

import pytest
from made import CPU, SPOT, node, node_name, pod

from ckf_spot.where import parse

AFFINITY = {
    "nodeAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [
                {"matchExpressions": [{"key": "a", "operator": "In", "values": ["1"]}]},
                {"matchExpressions": [{"key": "b", "operator": "Exists"}]},
            ]
        },
        "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "preference": {}}],
    }
}
RICH = pod(
    "train-x",
    node_name("cpuspot"),
    tolerations=[SPOT],
    nodeSelector=CPU,
    affinity=AFFINITY,
    gpus=2,
    claim={"claimName": "c"},
    disruption="EvictionByEvictionAPI",
    annotations={"workflows.argoproj.io/node-id": "n", "secret": "s"},
    initContainers=[{"name": "init", "resources": {"limits": {"nvidia.com/gpu": "1"}}}],
)


OWNED = {**pod("nightly-1-x"), "owners": [{"kind": "CronJob", "name": "nightly"}]}


@pytest.mark.parametrize(
    "raw", [RICH, pod("bare"), {**RICH, "status": {}}, pod("late", unschedulable=3), OWNED]
)
def test_a_trimmed_pod_tells_the_same(raw: Any) -> None:
    assert parse.pod(parse.trimmed_pod(raw)) == parse.pod(raw)


def test_a_trimmed_node_tells_the_same_and_nothing_of_its_heartbeats() -> None:
    raw = node("gpuspot", notice=1, silent=2)
    trimmed = parse.trimmed_node(raw)
    assert parse.node(trimmed) == parse.node(raw)
    assert "Heartbeat" not in json.dumps(trimmed)


@pytest.mark.parametrize(
    ("event", "message", "evicts"),
    [
        (
            "VMEventScheduled",
            "Preempt Scheduled: Mon, 03 Aug 2026 08:18:16 GMT. DurationInSeconds: -1.",
            True,
        ),
        ("VMEventScheduled", "Reboot Scheduled: Mon, 03 Aug 2026 08:18:16 GMT.", False),
        ("VMEventScheduled", "Freeze Started", False),
        ("PreemptionScheduled", "Preempt Scheduled: Mon, 03 Aug 2026 08:18:16 GMT.", True),
        ("PreemptionScheduled", "Preempt Started", True),
        ("PreemptionScheduled", "SpotRebalanceRecommendation Advisory: the VM may be evicted", False),
        ("PreemptionScheduled", "", False),
    ],
)
def test_only_a_preempt_event_is_an_eviction(event: str, message: str, *, evicts: bool) -> None:
    raw = node("cpuspot", notice=1, event=event, message=message)
    assert (parse.node(raw).notice is not None) is evicts
    assert parse.node(parse.trimmed_node(raw)) == parse.node(raw)


def test_a_notice_in_a_record_of_an_older_release_has_no_message() -> None:
    raw = node("cpuspot", notice=1)
    del raw["status"]["conditions"][-1]["message"]
    assert parse.node(raw).notice is not None


def test_a_trimmed_pod_has_no_environment_image_or_annotation_of_others() -> None:
    text = json.dumps(parse.trimmed_pod(RICH))
    assert [word for word in ("hunter2", "image", "secret") if word in text] == []


def test_gpus_of_containers_add_up_and_init_containers_run_before() -> None:
    assert parse.pod(RICH).gpus == 2


@pytest.mark.parametrize("text", ["2026-11-21", "yesterday", "2026-11-21T08:00:00", ""])
def test_a_time_without_zone_is_none(text: str) -> None:
    with pytest.raises(ValueError, match=r"time zone|isoformat"):
        parse.moment(text)
