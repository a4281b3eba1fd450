"""Whose piece of work a pod does, and in which role."""

from typing import Any

import pytest
from made import pod

from ckf_spot.where.parse import pod as parsed
from ckf_spot.where.work import Work

TRAINING = {"training.kubeflow.org/replica-type": "worker", "training.kubeflow.org/replica-index": "2"}


@pytest.mark.parametrize(
    ("raw", "work", "role"),
    [
        (pod("train-x"), ("Job", "train", ""), "batch"),
        (pod("train-3-x", labels={"batch.kubernetes.io/job-completion-index": "3"}), ("Job", "train", "3"), "batch"),
        (pod("p-worker-2", owner=("PyTorchJob", "p"), labels=TRAINING), ("PyTorchJob", "p", "worker-2"), "batch"),
        (pod("db-0", owner=("StatefulSet", "db")), ("StatefulSet", "db", "0"), "stateful"),
        (
            pod("web-6f-x", owner=("ReplicaSet", "web-6f"), labels={"pod-template-hash": "6f"}),
            ("Deployment", "web", ""),
            "other",
        ),
        (pod("alone", owner=None), ("Pod", "alone", ""), "other"),
        (pod("cni-x", owner=("DaemonSet", "cni")), ("DaemonSet", "cni", ""), "daemon"),
        (pod("minio-x", owner=("ReplicaSet", "m"), claim={"claimName": "m"}), ("ReplicaSet", "m", ""), "stateful"),
        (pod("train-x", claim={"claimName": "data"}), ("Job", "train", ""), "batch"),
        (
            pod("web-x", owner=("ReplicaSet", "w"), claim={"claimName": "m", "readOnly": True}),
            ("ReplicaSet", "w", ""),
            "other",
        ),
        (
            pod("nb-0", owner=("StatefulSet", "nb"), labels={"notebook-name": "nb"}),
            ("Notebook", "nb", ""),
            "notebook",
        ),
        (
            pod("iris-x", owner=("ReplicaSet", "i"), labels={"serving.kserve.io/inferenceservice": "iris"}),
            ("InferenceService", "iris", ""),
            "serving",
        ),
        (
            pod("iris-x", owner=("ReplicaSet", "i"), labels={"serving.knative.dev/revision": "iris-1"}),
            ("ReplicaSet", "i", ""),
            "serving",
        ),
        (pod("mlmd-0", owner=("StatefulSet", "mlmd"), namespace="kubeflow"), ("StatefulSet", "mlmd", "0"), "platform"),
    ],
)  # fmt: skip
def test_owner_labels_and_namespace_tell(raw: Any, work: tuple[str, str, str], role: str) -> None:
    seen = parsed(raw)
    assert (seen.work, seen.role) == (Work(raw["metadata"]["namespace"], *work), role)


def of_job_set(owner: str, **labels: str) -> Any:
    """A pod as Kubernetes' JobSet makes it: the labels of a pod that its documentation shows."""
    return pod(
        f"{owner}-0-x2277",
        owner=("Job", owner),
        labels={
            "batch.kubernetes.io/job-completion-index": "0",
            "batch.kubernetes.io/job-name": owner,
            "jobset.sigs.k8s.io/job-index": "0",
            **{f"jobset.sigs.k8s.io/{key.replace('_', '-')}": value for key, value in labels.items()},
        },
    )


def ray(kind: str, group: str) -> dict[str, str]:
    """Labels that KubeRay gives a pod of the cluster `forest-x7k2m` (labelPod of its pod.go)."""
    return {
        "ray.io/is-ray-node": "yes",
        "ray.io/cluster": "forest-x7k2m",
        "ray.io/node-type": kind,
        "ray.io/group": group,
        "ray.io/identifier": f"forest-x7k2m-{kind}",
        "app.kubernetes.io/created-by": "kuberay-operator",
    }


def spark(role: str, **labels: str) -> dict[str, str]:
    """Labels of Spark's driver or of an executor."""
    return {
        "spark-role": role,
        "spark-app-name": "spark-pi",
        "spark-app-selector": "spark-77204fbe",
        **labels,
    }


OPERATED = {
    "sparkoperator.k8s.io/app-name": "etl",
    "sparkoperator.k8s.io/launched-by-spark-operator": "true",
    "sparkoperator.k8s.io/submission-id": "44343f6b-42ca-41d4-b01a-66052cc5c919",
}
TRIAL = {"katib.kubeflow.org/trial": "random-x7k2m", "katib.kubeflow.org/experiment": "random"}
MPI = {
    "training.kubeflow.org/job-name": "pi",
    "training.kubeflow.org/operator-name": "mpi-operator",
    "training.kubeflow.org/job-role": "worker",
    "training.kubeflow.org/replica-index": "1",
}
LAUNCHER = {"training.kubeflow.org/job-role": "launcher"}
RAY_CLUSTER = ("RayCluster", "forest-x7k2m")
SUBMITTER = {"ray.io/originated-from-cr-name": "forest", "ray.io/originated-from-crd": "RayJob"}


@pytest.mark.parametrize(
    ("raw", "owners", "work"),
    [
        (pod("f-head-x", owner=RAY_CLUSTER, labels=ray("head", "headgroup")), [], (*RAY_CLUSTER, "head")),
        (pod("f-workers-worker-x", owner=RAY_CLUSTER, labels=ray("worker", "workers")), [], (*RAY_CLUSTER, "workers")),
        (
            pod("f-workers-worker-x", owner=RAY_CLUSTER, labels=ray("worker", "workers")),
            [("RayJob", "forest")],
            ("RayJob", "forest", "workers"),
        ),
        (
            pod("forest-x", owner=("Job", "forest"), labels=SUBMITTER),
            [("RayJob", "forest")],
            ("RayJob", "forest", "submitter"),
        ),
        (
            pod("etl-driver", owner=("SparkApplication", "etl"), labels=spark("driver", **OPERATED)),
            [],
            ("SparkApplication", "etl", "driver"),
        ),
        (
            pod("spark-pi-7204-exec-1", owner=("Pod", "etl-driver"), labels=spark("executor", **OPERATED)),
            [],
            ("SparkApplication", "etl", "executor"),
        ),
        (pod("spark-pi-f444-driver", owner=None, labels=spark("driver")), [], ("Spark", "spark-pi", "driver")),
        (
            pod("spark-pi-7204-exec-1", owner=("Pod", "spark-pi-f444-driver"), labels=spark("executor")),
            [],
            ("Spark", "spark-pi", "executor"),
        ),
        (
            of_job_set("example-jobset-rs-a-0", jobset_name="example-jobset", replicatedjob_name="rs-a"),
            [],
            ("JobSet", "example-jobset", "rs-a-0-0"),
        ),
        (
            of_job_set("mnist-node-0", jobset_name="mnist", replicatedjob_name="node"),
            [("JobSet", "mnist"), ("TrainJob", "mnist")],
            ("TrainJob", "mnist", "node-0-0"),
        ),
        (pod("nightly-29921760-x"), [("CronJob", "train")], ("CronJob", "train", "")),
        (
            pod("nightly-29921760-x", owner=("Job", "nightly-29921760")),
            [("CronJob", "nightly")],
            ("CronJob", "nightly", "2026-11-22 00:00"),
        ),
        (
            pod("nightly-by-hand-x", owner=("Job", "nightly-by-hand")),
            [("CronJob", "nightly")],
            ("CronJob", "nightly", "by-hand"),
        ),
        (
            pod("nightly-99999999999-x", owner=("Job", "nightly-99999999999")),
            [("CronJob", "nightly")],
            ("CronJob", "nightly", "99999999999"),
        ),
        (
            pod("random-x7k2m-8xl2p", owner=("Job", "random-x7k2m"), labels=TRIAL),
            [("Trial", "random-x7k2m")],
            ("Experiment", "random", "x7k2m"),
        ),
        (
            pod("random-x7k2m-worker-2", owner=("PyTorchJob", "random-x7k2m"), labels={**TRIAL, **TRAINING}),
            [],
            ("Experiment", "random", "x7k2m-worker-2"),
        ),
        (pod("pi-worker-1", owner=("MPIJob", "pi"), labels=MPI), [], ("MPIJob", "pi", "worker-1")),
        (
            pod("pi-launcher-tntsp", owner=("Job", "pi-launcher"), labels=MPI | LAUNCHER),
            [("MPIJob", "pi")],
            ("MPIJob", "pi", "launcher"),
        ),
    ],
)  # fmt: skip
def test_work_is_named_after_what_people_made(
    raw: Any, owners: list[tuple[str, str]], work: tuple[str, str, str]
) -> None:
    raw["owners"] = [{"kind": kind, "name": name} for kind, name in owners]
    seen = parsed(raw)
    assert (seen.work, seen.role) == (Work("team-a", *work), "batch")


def test_a_ray_service_serves() -> None:
    raw = pod("f-head-x", owner=RAY_CLUSTER, labels=ray("head", "headgroup"))
    assert parsed({**raw, "owners": [{"kind": "RayService", "name": "forest"}]}).role == "serving"


@pytest.mark.parametrize(
    ("node", "step"),
    [
        ("iris-abc", ""),
        ("iris-abc.root.train(0)", "root.train"),
        ("iris-abc.root(1).train(4)", "root.train"),
        ("iris-abc.root.loop(0:a)(2)", "root.loop(0:a)"),
    ],
)
def test_all_attempts_of_a_step_are_the_same_work(node: str, step: str) -> None:
    raw = pod(
        "iris-abc-123",
        owner=("Workflow", "iris-abc"),
        labels={"workflows.argoproj.io/workflow": "iris-abc"},
        annotations={"workflows.argoproj.io/node-name": node},
    )
    assert (parsed(raw).work, parsed(raw).role) == (Work("team-a", "Workflow", "iris-abc", step), "batch")
