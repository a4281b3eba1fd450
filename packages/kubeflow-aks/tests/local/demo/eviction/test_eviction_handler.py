"""The eviction handler against a real API server, with the rights and the script that the program gave it.

What its notices say is what AKS writes into a node's conditions; nodes and containers are simulated.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from components.kubeflow.eviction_script import SAVE
from kubeflow_aks.clients.kubernetes.objects import Kind
from kubeflow_aks.local_aks.control_plane.controllers.eviction_handler import NAME, NAMESPACE
from tests.local.demo.eviction.noticed import HandlerProcess, Noticed, handling
from tests.local.demo_stack import DemoStack

MARK: Final = "kubeflow-aks/cordoned-by"
GRACE: Final = 30
"""Seconds, of pods that name none of their own here."""


@dataclass(frozen=True)
class Played:
    """Nodes with notices and without, after a handler has seen them."""

    noticed: Noticed
    taken: str
    by_others: str
    frozen: str
    advised: str
    pods: dict[str, str]
    log: list[str]
    metrics: list[str]


@pytest.fixture(scope="module")
def noticed(demo: DemoStack) -> Generator[Noticed]:
    with demo.namespace(Kind("apps", "v1", "DaemonSet")) as namespace:
        world = Noticed(demo.api, demo.cluster, namespace)
        _held_by_budget(demo, namespace)
        yield world
        world.clear()


@pytest.fixture
def handler(demo: DemoStack, tmp_path: Path) -> Generator[HandlerProcess]:
    with handling(demo.kubectl, tmp_path / "handler") as started:
        yield started


@pytest.fixture(scope="module")
def played(demo: DemoStack, noticed: Noticed, tmp_path_factory: pytest.TempPathFactory) -> Played:
    taken, by_others = noticed.node(), noticed.node(cordoned=True)
    frozen, advised = noticed.node(), noticed.node()
    pods = {
        "short": noticed.pod(taken, grace=10),
        "long": noticed.pod(taken, grace=3600),
        "daemon": noticed.daemon(taken),
        "held": noticed.pod(taken, grace=10, labels={"held": "true"}),
        "elsewhere": noticed.pod(by_others),
        "frozen": noticed.pod(frozen),
        "advised": noticed.pod(advised),
        "agrees": noticed.pod(advised, annotations={SAVE: ""}),
    }
    noticed.running()
    with handling(demo.kubectl, tmp_path_factory.mktemp("played") / "handler") as handler:
        noticed.notice(frozen, seconds=30, event="Freeze Scheduled")
        noticed.notice(
            advised, seconds=30, event="SpotRebalanceRecommendation Advisory", type_="PreemptionScheduled"
        )
        noticed.notice(taken, seconds=20)
        noticed.notice(by_others, seconds=30, type_="PreemptionScheduled")
        noticed.until(lambda: noticed.pods()[pods["agrees"]]["metadata"]["annotations"][SAVE])
        leaving = [pods[key] for key in ("short", "long", "held", "elsewhere")]
        noticed.until(lambda: all(noticed.grace_of(pod) is not None for pod in leaving))
        log, metrics = handler.lines, handler.metrics().splitlines()
    return Played(noticed, taken, by_others, frozen, advised, pods, log, metrics)


def test_a_node_with_a_notice_takes_no_new_pods_and_is_marked(played: Played) -> None:
    node = played.noticed.live(played.taken)
    assert node["spec"]["unschedulable"] is True
    assert node["metadata"]["annotations"][MARK] == NAME


def test_a_pod_gets_its_own_grace_or_what_is_left_of_the_notice(played: Played) -> None:
    assert played.noticed.grace_of(played.pods["short"]) == 10
    left = played.noticed.grace_of(played.pods["long"])
    assert left is not None
    assert 5 <= left <= 18


def test_a_budget_holds_a_pod_back_until_its_grace_would_not_fit_any_more(played: Played) -> None:
    name = played.pods["held"]
    assert played.noticed.grace_of(name) in range(5, 11)
    refused = [line for line in played.log if name in line and "disruption budget" in line and "429" in line]
    [deleted] = [line for line in played.log if name in line and "deleted" in line]
    assert refused
    assert played.log.index(deleted) > played.log.index(refused[0])


def test_the_pod_of_a_daemon_set_stays(played: Played) -> None:
    assert played.noticed.grace_of(played.pods["daemon"]) is None


def test_its_metrics_have_what_it_did(played: Played) -> None:
    assert {
        'kubeflow_aks_eviction_notices_total{kind="advisory"} 1',
        'kubeflow_aks_eviction_notices_total{kind="scheduled"} 2',
        'kubeflow_aks_eviction_notice_lead_seconds_bucket{le="10"} 0',
        'kubeflow_aks_eviction_notice_lead_seconds_bucket{le="30"} 2',
        'kubeflow_aks_eviction_pods_total{result="evicted"} 3',
        'kubeflow_aks_eviction_pods_total{result="refused"} 1',
        'kubeflow_aks_eviction_pods_total{result="deleted"} 1',
        "kubeflow_aks_eviction_seconds_left_count 0",
    } <= set(played.metrics)


@pytest.mark.parametrize("what", ["frozen", "advised"])
def test_what_takes_no_vm_away_changes_nothing(played: Played, what: str) -> None:
    node = played.noticed.live(getattr(played, what))
    assert "unschedulable" not in node["spec"]
    assert MARK not in node["metadata"]["annotations"]
    assert played.noticed.grace_of(played.pods[what]) is None


def test_a_pod_that_agrees_saves_itself_on_an_advisory_and_goes_on(played: Played) -> None:
    pods = played.noticed.pods()
    saves = pods[played.pods["agrees"]]["metadata"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", saves["annotations"][SAVE])
    assert "deletionTimestamp" not in saves
    assert SAVE not in pods[played.pods["advised"]]["metadata"]["annotations"]


def test_a_node_that_others_cordoned_is_drained_and_stays_theirs(played: Played) -> None:
    assert played.noticed.live(played.by_others)["metadata"]["annotations"][MARK] == "others"
    assert played.noticed.grace_of(played.pods["elsewhere"]) is not None


@pytest.mark.usefixtures("handler")
def test_a_notice_that_is_taken_back_uncordons_what_the_handler_cordoned(noticed: Noticed) -> None:
    node = noticed.node()
    noticed.notice(node, seconds=60)
    noticed.until(lambda: noticed.live(node)["spec"].get("unschedulable"))
    noticed.take_back(node)
    noticed.until(lambda: "unschedulable" not in noticed.live(node)["spec"])
    assert MARK not in noticed.live(node)["metadata"]["annotations"]


@pytest.mark.usefixtures("handler")
def test_a_notice_that_is_taken_back_leaves_what_others_cordoned(noticed: Noticed) -> None:
    node = noticed.node(cordoned=True)
    noticed.notice(node, seconds=60)
    noticed.until(lambda: MARK in noticed.live(node)["metadata"]["annotations"])
    noticed.take_back(node)
    noticed.until(lambda: MARK not in noticed.live(node)["metadata"]["annotations"])
    assert noticed.live(node)["spec"]["unschedulable"] is True


def test_another_handler_finishes_what_a_killed_one_began(
    demo: DemoStack, noticed: Noticed, handler: HandlerProcess, tmp_path: Path
) -> None:
    back, taken = noticed.node(), noticed.node()
    pod = noticed.pod(taken)
    noticed.notice(back, seconds=60)
    noticed.until(lambda: noticed.live(back)["spec"].get("unschedulable"))
    handler.kill()
    noticed.take_back(back)
    noticed.notice(taken, seconds=25)
    assert noticed.live(back)["spec"].get("unschedulable")
    with handling(demo.kubectl, tmp_path / "another"):
        noticed.until(lambda: "unschedulable" not in noticed.live(back)["spec"])
        noticed.until(lambda: noticed.grace_of(pod) is not None)


@pytest.mark.parametrize(("pods", "nodes"), [(1, 1), (50, 10)])
def test_nodes_that_are_taken_at_once_throttle_nobody(
    noticed: Noticed, handler: HandlerProcess, pods: int, nodes: int
) -> None:
    reclaimed = noticed.reclaim(pods, nodes)
    assert reclaimed.graces == {GRACE}
    assert not [line for line in handler.lines if re.search(r"\b429\b", line)]


def test_another_handler_ends_300_pods_that_a_killed_one_began_to_end(
    demo: DemoStack, noticed: Noticed, handler: HandlerProcess, tmp_path: Path
) -> None:
    with ExitStack() as stack:

        def replace() -> None:
            handler.kill()
            stack.enter_context(handling(demo.kubectl, tmp_path / "another"))

        reclaimed = noticed.reclaim(300, 60, replace)
    assert reclaimed.graces == {GRACE}
    evicted = [line for line in handler.lines if "evicted" in line]
    assert 0 < len(evicted) < 300


def test_a_handler_whose_pod_is_deleted_ends_at_once(handler: HandlerProcess) -> None:
    handler.process.terminate()
    assert handler.process.wait(10) == 0


def test_the_handler_may_do_what_it_does_and_nothing_else(demo: DemoStack) -> None:
    user = f"--as=system:serviceaccount:{NAMESPACE}:{NAME}"
    ours = {
        line.split()[0]: line[line.rindex("[") :]
        for line in demo.kubectl.run("auth", "can-i", "--list", "--no-headers", user).splitlines()
        if line.split()[0] in {"nodes", "pods", "pods/eviction", "pods/status"}
    }
    assert ours == {
        "nodes": "[list watch patch]",
        "pods": "[list delete]",
        "pods/eviction": "[create]",
        "pods/status": "[patch]",
    }
    everybody = {
        line.split()[0]
        for line in demo.kubectl.run("auth", "can-i", "--list", "--no-headers", user).splitlines()
    }
    assert not everybody & {"*.*", "secrets", "nodes/status", "configmaps"}


def _held_by_budget(demo: DemoStack, namespace: str) -> None:
    demo.apply(
        {
            "apiVersion": "policy/v1",
            "kind": "PodDisruptionBudget",
            "metadata": {"name": "held", "namespace": namespace},
            "spec": {"maxUnavailable": 0, "selector": {"matchLabels": {"held": "true"}}},
        }
    )
