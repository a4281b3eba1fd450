"""Placed JobSets as JobSet's own webhook completes and checks them, and their Jobs on the real API server."""

from __future__ import annotations

import copy
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from ckf_spot import Pools
from tests.local.custom_resources import CustomResources
from tests.local.required import required_only

Object = dict[str, Any]
EXAMPLE: Final = Path(__file__).parents[5] / "packages/ckf-spot/examples/training/jobset.yaml"
TOOL: Final = "trainer-runtime"
POOLS: Final = Pools.sample()
ON_DISRUPTION: Final = [{"type": "DisruptionTarget", "status": "True"}]


def example() -> Object:
    """The example's JobSet."""
    return yaml.safe_load(EXAMPLE.read_text(encoding="utf-8"))


def starting_over() -> Object:
    """One that starts over for each eviction and counts none: the pattern of JobSet's documentation."""
    job_set = example()
    job_set["spec"]["failurePolicy"] = {
        "maxRestarts": 3,
        "rules": [
            {
                "name": "evicted",
                "action": "RestartJobSetAndIgnoreMaxRestarts",
                "onJobFailureReasons": ["PodFailurePolicy"],
                "targetReplicatedJobs": ["worker"],
            }
        ],
    }
    job = job_set["spec"]["replicatedJobs"][0]["template"]["spec"]
    job["podFailurePolicy"] = {"rules": [{"action": "FailJob", "onPodConditions": ON_DISRUPTION}]}
    job["template"]["spec"]["restartPolicy"] = "Never"
    return job_set


def without_completion_mode() -> Object:
    """One whose Jobs are Indexed by the webhook's default alone."""
    job_set = example()
    del job_set["spec"]["replicatedJobs"][0]["template"]["spec"]["completionMode"]
    return job_set


def coupled() -> Object:
    """Workers that find the first one by its address, and a leader of their own."""
    job_set = example()
    worker = job_set["spec"]["replicatedJobs"][0]
    leader = copy.deepcopy(worker) | {"name": "leader", "replicas": 1}
    leader["template"]["spec"] |= {"parallelism": 1, "completions": 1}
    job_set["spec"]["replicatedJobs"].insert(0, leader)
    worker["dependsOn"] = [{"name": "leader", "status": "Ready"}]
    return job_set


def judged(crds: CustomResources, *job_sets: Object) -> list[Object]:
    """What the webhook answers for each: why it is refused, or itself with all defaults.

    The API server sets those of the custom resource before.
    """
    crds.install("jobset")
    request = json.dumps({"runtimes": [], "jobs": [], "jobSets": crds.accept(*job_sets)})
    ran = subprocess.run(
        [required_only(TOOL)[TOOL]], input=request, capture_output=True, text=True, check=True, timeout=60
    )
    return json.loads(ran.stdout)


@pytest.mark.parametrize("made", [example, starting_over, without_completion_mode, coupled])
def test_a_placed_set_is_admitted_and_each_of_its_jobs_can_be_made(
    made: Callable[[], Object], crds: CustomResources
) -> None:
    placed = POOLS["cpu"].place(made())
    [answer] = judged(crds, placed)
    assert answer["refused"] is None
    [completed] = answer["objects"]
    jobs = [
        {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {"name": f"shards-{job['name']}-0", "namespace": "default"},
            "spec": job["template"]["spec"],
        }
        for job in completed["spec"]["replicatedJobs"]
    ]
    for job in crds.accept(*jobs):
        assert job["spec"]["completionMode"] == "Indexed"
        assert job["spec"]["podFailurePolicy"]["rules"]


def test_what_jobset_does_not_know_is_refused(crds: CustomResources) -> None:
    """What placed sets would get away with if nobody were strict."""
    first_depends = example()
    first_depends["spec"]["replicatedJobs"][0]["dependsOn"] = [{"name": "other", "status": "Ready"}]
    unknown_target = example()
    unknown_target["spec"]["successPolicy"] = {"operator": "All", "targetReplicatedJobs": ["other"]}
    answers = judged(crds, POOLS["cpu"].place(first_depends), POOLS["cpu"].place(unknown_target))
    assert "DependsOn can't be set for the first ReplicatedJob" in answers[0]["refused"][0]
    assert "invalid replicatedJob name 'other'" in answers[1]["refused"][0]
