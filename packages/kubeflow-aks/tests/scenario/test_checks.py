"""Each check is evaluated from the observations, and each can fail."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kubeflow_aks.scenario.checks import CheckResult, check_all, summary
from kubeflow_aks.scenario.observations import from_json, to_json
from tests.scenario.recorded import FILE, Raw, pods, recorded, without

Change = Callable[[Raw], object]


def _result(check: str, *changes: Change) -> CheckResult:
    [result] = [result for result in check_all(recorded(*changes)) if check in result.check]
    return result


def test_the_recorded_demo_passed_every_check() -> None:
    results = check_all(recorded())
    assert [result.check for result in results if not result.passed] == []
    assert len(results) == 14


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
        raw["nodes"].append({**node, "name": "earlier", "appeared": 0.0, "ready": 0.0})

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


@pytest.mark.parametrize(("check", "change"), BROKEN.values(), ids=BROKEN)
def test_a_check_fails_when(check: str, change: Change) -> None:
    assert _result(check).passed
    assert not _result(check, change).passed


def test_no_check_passes_without_observations() -> None:
    empty: list[Any] = []
    observed = recorded(
        *(_set(name, empty) for name in ("pods", "nodes", "jobs", "journal", "made", "steps")),
        _set("second_up", {}),
        _set("refusal", None),
    )
    assert [result.check for result in check_all(observed) if result.passed] == []


def test_a_daemon_may_run_on_spot() -> None:
    assert _result("nothing else", lambda raw: _stranger(raw, owner="DaemonSet")).passed


def test_a_pool_with_a_minimum_may_keep_it() -> None:
    def minimum(raw: Raw) -> None:
        next(pool for pool in raw["pools"] if pool["name"] == "cpuspot").update(min_count=1)

    assert _result("at their minimum", minimum, _node_stays("cpuspot")).passed


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
    ("check", "change"),
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
def test_pipelines_and_training_must_survive_an_eviction(check: str, change: Change) -> None:
    assert not _result(check, change).passed


def _no_fallbacks(raw: Raw) -> None:
    raw["pools"] = [pool for pool in raw["pools"] if not pool["fallback_for"]]


def _no_guard(raw: Raw) -> None:
    raw["planned"] = [urn for urn in raw["planned"] if "ValidatingAdmissionPolicy" not in urn]


@pytest.mark.parametrize(
    ("change", "checks"),
    [
        (_set("gpu", ""), {"GPU spot, from zero"}),
        (_no_fallbacks, {"fell back", "spot again"}),
        (_no_guard, {"refused"}),
    ],
    ids=["no GPU pool", "no fallback", "no guard"],
)
def test_checks_that_do_not_apply_to_a_stack_are_not_made(change: Change, checks: set[str]) -> None:
    made = [result.check for result in check_all(recorded(change))]
    assert len(made) == 14 - len(checks)
    assert not [check for check in made if any(part in check for part in checks)]


@pytest.mark.parametrize("key", ["survives", "evicted-again"])
def test_what_was_left_out_neither_passes_nor_fails(key: str) -> None:
    observed = recorded(_set("left_out", {key: "nobody may evict"}), without("eviction"))
    result = next(result for result in check_all(observed) if "no failure was counted" in result.check)
    assert (result.passed, result.mark, result.observed) == (None, "–", "nobody may evict")
    others = [result for result in check_all(observed) if result.passed]
    assert len(others) >= 14 - 5


def test_the_summary_counts_the_checks_that_could_be_made() -> None:
    observed = recorded(_set("left_out", {"sold-out": "why"}), _node_stays("cpuspot"))
    assert summary(check_all(recorded())) == "14 of 14 checks passed"
    assert summary(check_all(observed)) == "12 of 13 checks passed, 1 could not be made here"


def _on_azure(raw: Raw) -> None:
    raw["where"] = "azure"


def _acted(*, but: int = 0) -> Change:
    """The handler acted two seconds after each notice, on all nodes but some."""

    def change(raw: Raw) -> None:
        notices = {line["node"]: line["time"] for line in raw["journal"] if line["kind"] == "eviction-notice"}
        noticed = [node for node in raw["nodes"] if node["name"] in notices]
        for node in noticed[but:]:
            node["handled"] = notices[node["name"]] + 2

    return change


def test_the_eviction_handler_acts_on_each_notice_of_azure() -> None:
    result = _result("eviction handler", _on_azure, _acted())
    assert result.passed
    assert result.observed.endswith("at most 2 s after the notice")
    assert not _result("eviction handler", _on_azure, _acted(but=1)).passed
    assert not _result("eviction handler", _on_azure).passed


@pytest.mark.parametrize("changes", [(_acted(),), (_on_azure, _acted(), without("eviction"))])
def test_without_a_notice_of_azure_nothing_is_checked_of_the_handler(changes: tuple[Change, ...]) -> None:
    assert not [result for result in check_all(recorded(*changes)) if "eviction handler" in result.check]
