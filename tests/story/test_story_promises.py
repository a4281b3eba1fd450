"""Each promise is judged by what was observed, and each can fail."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from story.observations import from_json, to_json
from story.promises import Verdict, judge, summary
from tests.story.recorded import FILE, Raw, pods, recorded, without

Change = Callable[[Raw], object]


def _verdict(promise: str, *changes: Change) -> Verdict:
    [found] = [verdict for verdict in judge(recorded(*changes)) if promise in verdict.promise]
    return found


def test_the_recorded_demo_kept_every_promise() -> None:
    verdicts = judge(recorded())
    assert [verdict.promise for verdict in verdicts if not verdict.kept] == []
    assert len(verdicts) == 14


def test_observations_survive_json() -> None:
    text = FILE.read_text(encoding="utf-8")
    assert to_json(from_json(text)) == text


def _set(path: str, value: Any) -> Change:
    return lambda raw: raw.update({path: value})


def _each_pod(part: str, **values: Any) -> Change:
    return lambda raw: [pod.update(values) for pod in pods(raw, part)]


def _last_pod(part: str, **values: Any) -> Change:
    return lambda raw: pods(raw, part)[-1].update(values)


def _stranger(raw: Raw, **values: Any) -> None:
    raw["pods"].append({**pods(raw, "batch")[0], "part": "", "owner": "ReplicaSet", **values})


def _node_before(pool: str) -> Change:
    def change(raw: Raw) -> None:
        node = next(node for node in raw["nodes"] if node["pool"] == pool)
        raw["nodes"].append({**node, "name": "earlier", "seen": 0.0, "ready": 0.0})

    return change


def _node_stays(pool: str) -> Change:
    return lambda raw: next(node for node in raw["nodes"] if node["pool"] == pool).update(gone=None)


def _slow_fallback(raw: Raw) -> None:
    for pod in pods(raw, "fallback"):
        pod["running"] = pod["created"] + raw["provision_limit"] + 1


def _before_spot_was_back(raw: Raw) -> None:
    back = max(line["time"] for line in raw["journal"] if line.get("supply") == "available")
    for pod in pods(raw, "again"):
        pod["created"] = back - 1


BROKEN: dict[str, tuple[str, Change]] = {
    "the engine made less than planned": ("what the plan showed", lambda raw: raw["made"].pop()),
    "the engine made more than planned": ("what the plan showed", lambda raw: raw["planned"].pop()),
    "the second up updated something": ("changes nothing", _set("second_up", {"same": 34, "update": 1})),
    "the second up replaced something": ("changes nothing", _set("second_up", {"same": 34, "replace": 1})),
    "a charm ran on spot": ("the platform", _last_pod("platform", pool="cpuspot")),
    "a charm ran on the fallback": ("the platform", _last_pod("platform", pool="cpuod")),
    "a charm never ran": ("the platform", _last_pod("platform", running=None)),
    "the notebook ran on GPU nodes": ("the platform", _last_pod("notebook", pool="gpuspot")),
    "the stray pod was let in": ("refused", _set("refusal", {"status": 201, "message": ""})),
    "something else refused the stray pod": (
        "refused",
        _set("refusal", {"status": 403, "message": "quota"}),
    ),
    "the guard was not tried": ("refused", _set("refusal", None)),
    "batch ran on demand at first": ("CPU spot, from zero", _each_pod("batch", pool="cpuod")),
    "batch found a node": ("CPU spot, from zero", _node_before("cpuspot")),
    "GPU work ran on demand": ("GPU spot, from zero", _each_pod("gpu", pool="gpuod")),
    "GPU work never ran": ("GPU spot, from zero", _each_pod("gpu", running=None)),
    "GPU work found a node": ("GPU spot, from zero", _node_before("gpuspot")),
    "a stranger ran on spot": ("nothing else", _stranger),
    "a stranger ran on an on-demand GPU node": ("nothing else", lambda raw: _stranger(raw, pool="gpuod")),
    "the platform ran on GPU nodes": ("nothing else", _last_pod("platform", pool="gpuspot")),
    "a failure was counted": ("no failure was counted", lambda raw: raw["jobs"][0].update(failed=1)),
    "an evicted task did not run again": ("no failure was counted", _last_pod("batch", running=None)),
    "nothing was evicted": ("no failure was counted", without("eviction")),
    "work that came during the shortage ran on spot": ("fell back", _each_pod("fallback", pool="cpuspot")),
    "the fallback took too long": ("fell back", _slow_fallback),
    "the fallback never ran": ("fell back", _last_pod("fallback", running=None)),
    "spot was not sold out": ("fell back", without("sold-out")),
    "later work stayed on demand": ("spot again", _last_pod("again", pool="cpuod")),
    "spot did not return": ("spot again", without("supply")),
    "work came before spot was back": ("spot again", _before_spot_was_back),
    "a task was not done": ("every task", lambda raw: raw["jobs"][0].update(succeeded=3)),
    "a Job is not complete": ("every task", lambda raw: raw["jobs"][-1].update(complete=False)),
    "a spot node stays": ("at their minimum", _node_stays("cpuspot")),
    "a GPU node stays": ("at their minimum", _node_stays("gpuspot")),
    "a fallback node stays": ("at their minimum", _node_stays("cpuod")),
}


@pytest.mark.parametrize(("promise", "change"), BROKEN.values(), ids=BROKEN)
def test_a_promise_is_broken_when(promise: str, change: Change) -> None:
    assert _verdict(promise).kept
    assert not _verdict(promise, change).kept


def test_no_promise_is_kept_by_a_demo_that_saw_nothing() -> None:
    empty: list[Any] = []
    seen = recorded(
        *(_set(name, empty) for name in ("pods", "nodes", "jobs", "journal", "made", "scenes")),
        _set("second_up", {}),
        _set("refusal", None),
    )
    assert [verdict.promise for verdict in judge(seen) if verdict.kept] == []


def test_a_daemon_may_run_on_spot() -> None:
    assert _verdict("nothing else", lambda raw: _stranger(raw, owner="DaemonSet")).kept


def test_a_pool_with_a_minimum_may_keep_it() -> None:
    def minimum(raw: Raw) -> None:
        next(pool for pool in raw["pools"] if pool["name"] == "cpuspot").update(min_count=1)

    assert _verdict("at their minimum", minimum, _node_stays("cpuspot")).kept


def _run(part: str, state: str) -> Change:
    return lambda raw: next(run for run in raw["runs"] if run["part"] == part).update(state=state)


def _without_retries(part: str) -> Change:
    """As if nobody had tried again: only the first pod of each task is left."""

    def change(raw: Raw) -> None:
        first = {pod["task"]: pod for pod in reversed(pods(raw, part))}
        raw["pods"] = [pod for pod in raw["pods"] if pod["part"] != part or first[pod["task"]] is pod]

    return change


def _master_on(pool: str) -> Change:
    def change(raw: Raw) -> None:
        next(pod for pod in pods(raw, "training") if ", master " in pod["task"])["pool"] = pool

    return change


@pytest.mark.parametrize(
    ("promise", "change"),
    [
        ("pipelines whose spot", _run("pipelines", "Error")),
        ("pipelines whose spot", _without_retries("pipelines")),
        ("pipelines whose spot", _set("runs", [])),
        ("pipelines whose spot", without("eviction")),
        ("a training whose", _run("training", "Failed")),
        ("a training whose", _set("runs", [])),
        ("a training whose", without("eviction")),
        ("a training whose", _master_on("cpuspot")),
    ],
)
def test_pipelines_and_training_must_survive_an_eviction(promise: str, change: Change) -> None:
    assert not _verdict(promise, change).kept


def _no_twins(raw: Raw) -> None:
    raw["pools"] = [pool for pool in raw["pools"] if not pool["twin_of"]]


def _no_guard(raw: Raw) -> None:
    raw["planned"] = [urn for urn in raw["planned"] if "ValidatingAdmissionPolicy" not in urn]


@pytest.mark.parametrize(
    ("change", "promises"),
    [
        (_set("gpu", ""), {"GPU spot, from zero"}),
        (_no_twins, {"fell back", "spot again"}),
        (_no_guard, {"refused"}),
    ],
    ids=["no GPU pool", "no fallback", "no guard"],
)
def test_a_stack_is_not_held_to_what_it_does_not_promise(change: Change, promises: set[str]) -> None:
    made = [verdict.promise for verdict in judge(recorded(change))]
    assert len(made) == 14 - len(promises)
    assert not [promise for promise in made if any(part in promise for part in promises)]


@pytest.mark.parametrize("key", ["survives", "evicted-again"])
def test_what_was_left_out_is_neither_kept_nor_broken(key: str) -> None:
    seen = recorded(_set("left_out", {key: "nobody may evict"}), without("eviction"))
    verdict = next(verdict for verdict in judge(seen) if "no failure was counted" in verdict.promise)
    assert (verdict.kept, verdict.mark, verdict.seen) == (None, "–", "nobody may evict")
    others = [each for each in judge(seen) if each.kept]
    assert len(others) >= 14 - 5


def test_the_summary_counts_what_could_be_seen() -> None:
    seen = recorded(_set("left_out", {"sold-out": "why"}), _node_stays("cpuspot"))
    assert summary(judge(recorded())) == "14 of 14 promises kept"
    assert summary(judge(seen)) == "12 of 13 promises kept, 1 not to be seen here"
