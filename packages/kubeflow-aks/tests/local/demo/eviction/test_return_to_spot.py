"""Work that fell back to on demand returns to spot once: the real scheduler, Job controller and eviction API answer.

The script runs as its pod runs it. VMs, nodes and containers are simulated, and the autoscaler, as it was recorded.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from components.kubeflow.script_client import READY
from kubeflow_aks.clients.kubernetes.objects import Kind as ObjectKind
from kubeflow_aks.events import Kind
from kubeflow_aks.local_aks.simulation.market import ALL, MarketEvent, Reclaim, Supply
from tests.local.demo.eviction.noticed import HandlerProcess, handling
from tests.local.demo.eviction.work import SURVIVES_EVICTION, job
from tests.local.demo_stack import DemoStack, Object, Play

OURS: Final = "kubeflow-aks"
NAME: Final = "return-to-spot"
TRIES: Final = f"{OURS}-{NAME}"
PREFERS_SPOT: Final = {
    "nodeAffinity": {
        "preferredDuringSchedulingIgnoredDuringExecution": [
            {
                "weight": 100,
                "preference": {
                    "matchExpressions": [
                        {"key": "kubernetes.azure.com/scalesetpriority", "operator": "In", "values": ["spot"]}
                    ]
                },
            }
        ]
    }
}
_LOOK_SECONDS: Final = "0.5"
_STEP: Final = 10.0


@dataclass(frozen=True)
class Played:
    """Work on a fallback, before spot came back, after it, and after it was sold out and came back once more.

    Attributes:
        before: pools of the work while spot was sold out, by Job.
        placeholder: the placeholder at that time.
        returned: pools of the work after its return.
        again: pools of the work while spot is back for the second time.
        log: of the script.
        metrics: of the script.
        play: the journal.
    """

    before: dict[str, str]
    placeholder: Object
    returned: dict[str, str]
    again: dict[str, str]
    log: list[str]
    metrics: str
    play: Play


@pytest.fixture(scope="module")
def played(demo: DemoStack, tmp_path_factory: pytest.TempPathFactory) -> Generator[Played]:
    with demo.namespace() as namespace:
        yield _played(demo, namespace, tmp_path_factory.mktemp("return") / "script")


def _played(demo: DemoStack, namespace: str, folder: Path) -> Played:
    demo.kubectl.run("delete", "configmap", NAME, "--namespace", TRIES, "--ignore-not-found")
    with (
        demo.playing(MarketEvent(0, Supply.SOLD_OUT, "cpuspot"), step=_STEP) as play,
        handling(demo.kubectl, folder, NAME, [_LOOK_SECONDS]) as script,
    ):
        demo.apply(_work("saves", namespace, "checkpointed"), _work("keeps", namespace, None))
        play.until("both fall back", lambda: _pools(demo, namespace) == {"saves": "cpuod", "keeps": "cpuod"})
        placeholder = play.until("room is tried", lambda: demo.pod(TRIES, "placeholder"))
        before = _pools(demo, namespace)
        play.market.add(MarketEvent(play.clock.now(), Supply.AVAILABLE, "cpuspot"))
        play.until("the work is evicted", lambda: [line for line in script.lines if "evicted from" in line])
        play.clock.step = (
            1  # the Job controller waits 10 s by the wall, and nobody may remove the node meanwhile
        )
        play.until("the work returns", lambda: _pools(demo, namespace).get("saves") == "cpuspot")
        play.clock.step = _STEP
        returned = _pools(demo, namespace)
        now = play.clock.now()
        play.market.add(
            MarketEvent(now, Supply.SOLD_OUT, "cpuspot"), MarketEvent(now, Reclaim.EVICT, "cpuspot", ALL)
        )
        play.until("it falls back again", lambda: _pools(demo, namespace).get("saves") == "cpuod")
        play.market.add(MarketEvent(play.clock.now(), Supply.AVAILABLE, "cpuspot"))
        play.until("it is left alone", lambda: _left_alone(script))
        again = _pools(demo, namespace)
        metrics = script.metrics()
    assert (folder / "report").read_text(encoding="utf-8") == READY
    return Played(before, placeholder, returned, again, script.lines, metrics, play)


def _work(name: str, namespace: str, way: str | None) -> Object:
    work = job(name, namespace, seconds=600, **SURVIVES_EVICTION)
    template = work["spec"]["template"]
    template["spec"]["affinity"] = PREFERS_SPOT
    if way:
        template["metadata"]["labels"]["kubeflow-aks/return-to-spot"] = way
    return work


def _pools(demo: DemoStack, namespace: str) -> dict[str, str]:
    """The pool of each Job's running pod."""
    return {
        pod["metadata"]["labels"]["work"]: demo.pool_of(pod)
        for pod in demo.pods(namespace)
        if pod["status"].get("phase") == "Running" and "deletionTimestamp" not in pod["metadata"]
    }


def _left_alone(script: HandlerProcess) -> list[str]:
    return [line for line in script.lines if "its work was moved before" in line]


def test_sold_out_spot_moves_nothing(played: Played) -> None:
    assert played.before == {"saves": "cpuod", "keeps": "cpuod"}
    requested = played.placeholder["spec"]
    assert requested["nodeSelector"]["kubernetes.azure.com/scalesetpriority"] == "spot"
    assert requested["containers"][0]["resources"] == {"requests": {"cpu": "1"}}


def test_work_that_agrees_returns_and_other_work_stays(played: Played) -> None:
    assert played.returned == {"saves": "cpuspot", "keeps": "cpuod"}


def test_work_that_fell_back_once_more_is_left_alone(played: Played) -> None:
    assert played.again == {"saves": "cpuod", "keeps": "cpuod"}
    assert sum("evicted from" in line for line in played.log) == 1
    assert 'kubeflow_aks_returned_pods_total{result="evicted"} 1' in played.metrics.splitlines()


def test_the_log_has_the_saving_and_what_it_costs(played: Played) -> None:
    [line] = [line for line in played.log if "evicted from" in line]
    assert line.endswith(
        "evicted from cpuod, as cpuspot has room; a node costs 0.114 USD an hour there, 0.544 here, so about 16 min of "
        "work are lost and paid for after 4 min"
    )


def test_spot_was_requested_for_the_placeholder_alone(played: Played) -> None:
    fell_back = played.play.journal(Kind.FALLBACK)[0]
    later = [line for line in played.play.journal(Kind.SCALE_UP) if line["time"] > fell_back["time"]]
    assert later
    assert {line["pool"] for line in later[:1]} == {"cpuspot"}


def test_no_placeholder_and_no_failure_stay_behind(demo: DemoStack, played: Played) -> None:
    assert demo.api.list(ObjectKind("", "v1", "Pod"), TRIES) == []
    assert not [line for line in played.log if line.startswith("look: ")]


def test_it_may_do_what_it_does_and_nothing_else(demo: DemoStack) -> None:
    user = f"--as=system:serviceaccount:{OURS}:{NAME}"

    def rights(namespace: str) -> dict[str, str]:
        lines = demo.kubectl.run(
            "auth", "can-i", "--list", "--no-headers", user, "--namespace", namespace
        ).splitlines()
        return {line.split()[0]: line[line.rindex("[") :] for line in lines if "selfsubject" not in line}

    everywhere = {"nodes": "[get]", "pods": "[list]", "pods/eviction": "[create]"}
    verbs = rights("default")
    assert {key: verbs[key] for key in everywhere} == everywhere
    assert not verbs.keys() & {"*.*", "secrets", "configmaps"}
    inside = rights(TRIES)
    assert sorted(inside["pods"].strip("[]").split()) == ["create", "delete", "get", "list"]
    assert sorted(inside["configmaps"].strip("[]").split()) == ["create", "get", "update"]
    assert "secrets" not in inside
