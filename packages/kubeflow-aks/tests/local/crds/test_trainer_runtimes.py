"""Placed TrainJobs on every runtime that Kubeflow Trainer ships, as Trainer's own code turns them into pods."""

from __future__ import annotations

import json
import subprocess
from typing import Any, Final

import pytest
import yaml

from ckf_spot import Pools
from ckf_spot.pods import fit, gpu_limits
from tests.local.required import required_crds, required_only

Object = dict[str, Any]
TOOL: Final = "trainer-runtime"
POOLS: Final = Pools.sample()


@pytest.fixture(scope="module")
def runtimes() -> dict[str, Object]:
    """The shipped runtimes, by name."""
    files = (yaml.safe_load(file.read_text(encoding="utf-8")) for file in required_crds("trainer-runtimes"))
    runtimes = {
        document["metadata"]["name"]: document
        for document in files
        if document["kind"] == "ClusterTrainingRuntime"
    }
    assert {
        "torch-distributed",
        "deepspeed-distributed",
        "mlx-distributed",
        "jax-distributed",
    } <= runtimes.keys()
    return runtimes


def job(runtime: str) -> Object:
    """A job of two nodes with a GPU each."""
    return {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainJob",
        "metadata": {"name": runtime.replace(".", "-"), "namespace": "team-a", "uid": "1"},
        "spec": {
            "runtimeRef": {
                "name": runtime,
                "kind": "ClusterTrainingRuntime",
                "apiGroup": "trainer.kubeflow.org",
            },
            "trainer": {"numNodes": 2, "resourcesPerNode": {"limits": {"nvidia.com/gpu": 1}}},
        },
    }


def pods(runtimes: dict[str, Object], *jobs: Object) -> dict[str, dict[str, Object]]:
    """The templates that Trainer makes, by job and part of its runtime; a job that it refuses fails the test."""
    request = json.dumps({"runtimes": list(runtimes.values()), "jobs": jobs})
    tool = required_only(TOOL)[TOOL]
    ran = subprocess.run([tool], input=request, capture_output=True, text=True, check=True, timeout=60)
    made: dict[str, dict[str, Object]] = {}
    for answer in json.loads(ran.stdout):
        assert answer["refused"] is None, answer["job"]
        [job_set] = [item for item in answer["objects"] if item["kind"] == "JobSet"]
        made[answer["job"]] = {
            replicated["name"]: replicated["template"]["spec"]["template"]
            for replicated in job_set["spec"]["replicatedJobs"]
        }
    return made


def admitted(template: Object) -> list[str]:
    return [pool.name for pool in POOLS.all if pool.gpus and not fit.obstacles(template["spec"], pool)]


def test_every_pod_with_a_gpu_finds_a_node_and_only_the_launcher_has_to_stay(
    runtimes: dict[str, Object],
) -> None:
    placed = [POOLS["gpu"].place(job(runtime), trainer_api="2.3") for runtime in runtimes]
    made = pods(runtimes, *placed)
    assert len(made) == len(runtimes)
    with_launcher: set[str] = set()
    for name, parts in made.items():
        asking = {part: part_spec for part, part_spec in parts.items() if gpu_limits.needs(part_spec)}
        assert "node" in asking, name
        for part, template in asking.items():
            expected = ["gpuod"] if part == "launcher" else ["gpuspot", "gpuod"]
            assert sorted(admitted(template)) == sorted(expected), f"{name}: {part}"
            with_launcher |= {name} if part == "launcher" else set()
        for part in parts.keys() - asking.keys():
            assert admitted(parts[part]) == [], f"{name}: {part}"
    assert with_launcher == {"deepspeed-distributed", "mlx-distributed"}


def test_without_the_placement_none_of_them_does(runtimes: dict[str, Object]) -> None:
    for name, parts in pods(runtimes, *map(job, runtimes)).items():
        for part, template in parts.items():
            assert admitted(template) == [], f"{name}: {part}"


@pytest.mark.parametrize("also", [(), ("launcher",)])
def test_tolerations_of_an_earlier_patch_hold_beside_the_placements(
    runtimes: dict[str, Object], also: tuple[str, ...]
) -> None:
    """Trainer keeps the last list."""
    theirs = {"key": "team", "operator": "Exists"}
    template = {"spec": {"tolerations": [theirs], "serviceAccountName": "a"}}
    patched = [{"name": "node", "template": {"spec": {"template": template}}}]
    document = job("deepspeed-distributed")
    patch = {"template": {"spec": {"replicatedJobs": patched}}}
    document["spec"]["runtimePatches"] = [{"manager": "example.org/team", "trainingRuntimeSpec": patch}]
    parts = pods(runtimes, POOLS["gpu"].place(document, trainer_api="2.3", also=also))[
        "deepspeed-distributed"
    ]
    assert theirs in parts["node"]["spec"]["tolerations"]
    assert parts["node"]["spec"]["serviceAccountName"] == "a"
    assert sorted(admitted(parts["node"])) == ["gpuod", "gpuspot"]
    assert sorted(admitted(parts["launcher"])) == (["gpuod", "gpuspot"] if also else ["gpuod"])
