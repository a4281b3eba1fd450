"""Why `ckf_spot` never sets `enableDynamicWorker`: the TF_CONFIG that TFJobs get with it, as TensorFlow reads it."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from tests.local.demo_stack import DemoStack, Object
from tests.local.kubectl import eventually
from tests.local.training.cluster_spec import answer, recorded
from tests.local.training.jobs import light_work

_NAMESPACE: Final = "tf-config"
_LABELS: Final = "training.kubeflow.org/"
JOBS: Final = recorded()


def _tfjob(name: str, job: dict[str, Any]) -> Object:
    template = {"spec": {"containers": [{"name": "tensorflow", "image": "trainer"}]}}
    roles = {role: {"replicas": replicas, "template": template} for role, replicas in job["roles"].items()}
    return {
        "apiVersion": "kubeflow.org/v1",
        "kind": "TFJob",
        "metadata": {"name": name, "namespace": _NAMESPACE},
        "spec": {"enableDynamicWorker": job["dynamic"], "tfReplicaSpecs": roles},
    }


def _config(pod: Object) -> dict[str, Any] | None:
    [container] = pod["spec"]["containers"]
    values = [variable["value"] for variable in container.get("env", []) if variable["name"] == "TF_CONFIG"]
    return json.loads(values[0]) if values else None


def test_the_operator_writes_what_is_recorded(demo: DemoStack) -> None:
    with light_work(demo, _NAMESPACE):
        demo.apply(*(_tfjob(f"job-{number}", job) for number, job in enumerate(JOBS)))
        expected = sum(len(job["pods"]) for job in JOBS)
        pods = eventually(lambda: len(pods := demo.pods(_NAMESPACE)) == expected and pods)
    assert isinstance(pods, list)
    configs = [
        {
            f"{labels[f'{_LABELS}replica-type']}-{labels[f'{_LABELS}replica-index']}": _config(pod)
            for pod in pods
            if (labels := pod["metadata"]["labels"])[f"{_LABELS}job-name"] == f"job-{number}"
        }
        for number in range(len(JOBS))
    ]
    assert configs == [{name: pod["config"] for name, pod in job["pods"].items()} for job in JOBS]


@pytest.mark.parametrize(
    "job", JOBS, ids=lambda job: f"{job['roles']} {'dynamic' if job['dynamic'] else 'fixed'}"
)
def test_with_dynamic_workers_only_one_ps_alone_finds_its_cluster(job: dict[str, Any]) -> None:
    works = all(isinstance(pod["answer"], dict) for pod in job["pods"].values())
    one_ps = job["roles"].get("PS") == 1 and job["roles"].keys() == {"PS", "Worker"}
    assert works == (not job["dynamic"] or one_ps or job["roles"] == {"Worker": 1})


def test_tensorflow_answers_as_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tensorflow")
    monkeypatch.setenv("TF_CONFIG", "")
    pods = [pod for job in JOBS for pod in job["pods"].values()]
    assert [answer(pod["config"]) for pod in pods] == [pod["answer"] for pod in pods]
