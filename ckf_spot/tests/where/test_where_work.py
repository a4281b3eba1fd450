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
            ("StatefulSet", "nb", "0"),
            "notebook",
        ),
        (
            pod("iris-x", owner=("ReplicaSet", "i"), labels={"serving.kserve.io/inferenceservice": "iris"}),
            ("ReplicaSet", "i", ""),
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
    found = parsed(raw)
    assert (found.work, found.role) == (Work(raw["metadata"]["namespace"], *work), role)


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
