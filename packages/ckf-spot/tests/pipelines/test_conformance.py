"""What `place` promises is what Kubeflow's own compiler and driver make of it, for every task that was recorded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from recorded import BUILDS, COMPILED, RECORDED, RELEASES, Made, make, without_pins

from ckf_spot import Pools
from ckf_spot.pool_group import PoolGroup

GPU = "nvidia.com/gpu"
_PREFER = {"prefer": "spot"}
EXAMPLES: dict[str, dict[str, tuple[str, dict[str, Any]]]] = {
    "01-base-workload": {},
    "02-spot-workload": dict.fromkeys(
        ("root--web-downloader", "root--merge-csv"), ("cpu", {"require": "spot", "retries": 0})
    ),
    "03-spot-retries-workload": dict.fromkeys(("root--web-downloader", "root--merge-csv"), ("cpu", _PREFER)),
    "04-gpu-spot-workload": {
        **dict.fromkeys(("root--web-downloader", "root--merge-csv"), ("cpu", _PREFER)),
        "root--train": ("gpu", _PREFER),
    },
}
"""What the examples ask for each of their tasks: the pools' workload, and arguments of `place`."""


@pytest.fixture(scope="module", params=list(BUILDS))
def name(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(params=RELEASES)
def release(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module")
def made(name: str, pools: Pools) -> Made:
    return make(name, pools)


def test_a_pipeline_compiles_to_what_was_recorded(name: str, made: Made) -> None:
    documents = [document for document in (made.compiled.pipeline, made.compiled.platform) if document]
    assert without_pins(documents) == without_pins(COMPILED[name])


def test_the_driver_placed_each_task_as_promised(name: str, made: Made, release: str) -> None:
    assert _placed(name, release) == {task: _promise(*request) for task, request in made.requests.items()}


def test_the_compiler_retries_each_task_as_promised(name: str, made: Made, release: str) -> None:
    promised = {task: _retries(how) for task, (_, how) in made.requests.items()}
    more = {"root--work": _policy("3", "60", "1.5", "3600")} if name == "t5-factor-1.5" else {}
    expected = {task: policy for task, policy in promised.items() if policy} | more
    assert RECORDED[release][name].retries == expected


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_examples_steps_were_placed_and_retried_as_promised(
    name: str, pools: Pools, release: str
) -> None:
    requests = EXAMPLES[name]
    assert _placed(name, release) == {
        task: _promise(pools[workload], how) for task, (workload, how) in requests.items()
    }
    retries = {task: _retries(how) for task, (_, how) in requests.items()}
    assert RECORDED[release][name].retries == {task: policy for task, policy in retries.items() if policy}


def test_every_recorded_pipeline_is_held_against_today_s(release: str) -> None:
    assert {*BUILDS, *EXAMPLES} == set(RECORDED[release])
    assert sum(len(_placed(name, release)) for name in RECORDED[release]) == 24


def _placed(name: str, release: str) -> dict[str, dict[str, Any]]:
    """What the driver returned for each placed task's pod; a task that is not placed has nothing but its container."""
    return {
        task.removesuffix("-driver"): {
            "limits": patch["containers"][0]["resources"].get("limits", {}),
            **{key: value for key, value in patch.items() if key != "containers"},
        }
        for task, patch in RECORDED[release][name].patches.items()
        if len(patch) > 1
    }


def _promise(group: PoolGroup, how: Mapping[str, Any]) -> dict[str, Any]:
    """The same as `place` promises it."""
    placement = group.placement(prefer=how.get("prefer"), require=how.get("require"))
    nodes: dict[str, Any] = (
        {"nodeSelector": placement.node_selector}
        if how.get("by") == "node-selector"
        else {"affinity": {"nodeAffinity": placement.node_affinity}}
    )
    gpus = min(pool.gpus for pool in placement.pools)
    return {"limits": {GPU: str(gpus)} if gpus else {}, "tolerations": placement.tolerations, **nodes}


def _retries(how: Mapping[str, Any]) -> dict[str, str]:
    count = how.get("retries", 5)
    return _policy(str(count), "300", "1", "604800") if count else {}


def _policy(count: str, backoff: str, factor: str, give_up: str) -> dict[str, str]:
    """As Argo gets it: the documented defaults are 5 minutes each, and 7 days in all."""
    return {
        "max-count": count,
        "backoff-duration": backoff,
        "backoff-factor": factor,
        "backoff-max-duration": give_up,
    }
