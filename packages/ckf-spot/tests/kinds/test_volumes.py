"""Claims for one node at a time: a line where pods on several nodes mount them, or one that moves."""

from typing import Any

import pytest
from samples import Json, container, example, job, training_job

from ckf_spot import Pools
from ckf_spot.fields import at
from ckf_spot.kinds import manifests
from ckf_spot.kinds.kind import PlacingRequest
from ckf_spot.kinds.manifests import File

VOLUMES: list[Json] = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]
MOUNTS: list[Json] = [{"name": "data", "mountPath": "/data"}]
MOVES = "claim 'data' is for one node at a time: after an eviction the next pod of {} waits until the lost node has let"
SEVERAL = "claim 'data' is for one node at a time: the pods of {} on a second node wait for it (Multi-Attach); take the"


def claim(mode: str = "ReadWriteOnce", storage: str | None = None) -> Json:
    spec = {"accessModes": [mode], "resources": {"requests": {"storage": "1Gi"}}}
    named = {"storageClassName": storage} if storage else {}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "data"},
        "spec": spec | named,
    }


def lines(pools: Pools, *documents: Json, **request: Any) -> list[str]:
    placed = manifests.place([File("f", [*documents])], pools["cpu"], PlacingRequest(**request))
    return [note.split(": ", 2)[2] for note in placed.notes if "Multi-Attach" in note]


def training(**replicas: int) -> Json:
    document = training_job(
        "PyTorchJob", "pytorchReplicaSpecs", **dict.fromkeys(replicas, container("pytorch"))
    )
    for role, number in replicas.items():
        replica = document["spec"]["pytorchReplicaSpecs"][role]
        replica["replicas"] = number
        replica["template"]["spec"]["volumes"] = VOLUMES
    return document


def of_jobs(**spec: Any) -> Json:
    document = job(volumes=VOLUMES)
    document["spec"].update(spec)
    return document


def experiment(trials: int) -> Json:
    document = example("experiment")
    document["spec"]["parallelTrialCount"] = trials
    trial = document["spec"]["trialTemplate"]["trialSpec"]["spec"]["template"]["spec"]
    trial["volumes"] = VOLUMES
    return document


def spark(executors: int) -> Json:
    document = example("sparkapplication")
    document["spec"]["volumes"] = VOLUMES
    document["spec"]["executor"] |= {"instances": executors, "volumeMounts": MOUNTS}
    return document


def ray(workers: int) -> Json:
    document = example("rayjob")
    [group] = document["spec"]["rayClusterSpec"]["workerGroupSpecs"]
    group |= {"replicas": workers, "minReplicas": workers, "maxReplicas": workers}
    group["template"]["spec"]["volumes"] = VOLUMES
    return document


INDEXED = {"completionMode": "Indexed", "completions": 4, "parallelism": 4}
CASES: list[tuple[Json, str]] = [
    (of_jobs(**INDEXED), SEVERAL.format("the Job")),
    (of_jobs(), MOVES.format("the Job")),
    (of_jobs(parallelism=4, completions=1), MOVES.format("the Job")),
    (training(Master=1, Worker=1), SEVERAL.format("Master, Worker")),
    (training(Worker=1), MOVES.format("Worker")),
    (experiment(3), SEVERAL.format("the Job")),
    (experiment(1), MOVES.format("the Job")),
    (spark(2), SEVERAL.format("executor")),
    (ray(2), SEVERAL.format("workers")),
]


@pytest.mark.parametrize(("document", "line"), CASES)
def test_a_claim_for_one_node_is_one_line(pools: Pools, document: Json, line: str) -> None:
    [reported] = lines(pools, document, claim())
    assert reported.startswith(line)
    assert reported.endswith(
        "storage class checkpoints with ReadWriteMany, whose volumes any number of nodes mount"
    )


@pytest.mark.parametrize(
    ("mode", "storage"),
    [
        ("ReadWriteMany", None),
        ("ReadOnlyMany", None),
        ("ReadWriteOnce", "checkpoints"),
        ("ReadWriteOnce", "azurefile-csi"),
        ("ReadWriteOnce", "azureblob-fuse-premium"),
    ],
)
def test_a_claim_that_many_nodes_mount_is_none(pools: Pools, mode: str, storage: str | None) -> None:
    assert lines(pools, of_jobs(**INDEXED), claim(mode, storage)) == []


def test_a_disk_is_one_wherever_its_class_is_named(pools: Pools) -> None:
    assert lines(pools, claim(storage="managed-csi"), of_jobs()) == lines(pools, of_jobs(), claim())


def test_a_claim_that_no_pod_mounts_and_one_that_is_not_there_are_none(pools: Pools) -> None:
    assert lines(pools, job(), claim()) == []
    assert lines(pools, of_jobs(**INDEXED)) == []


def test_on_demand_no_eviction_moves_a_pod(pools: Pools) -> None:
    assert lines(pools, of_jobs(), claim(), require="on-demand") == []


def workflow(*templates: Json, **spec: Any) -> Json:
    made = {"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": claim()["spec"]}], **spec}
    steps = [{"name": name, "container": {"image": "i", "volumeMounts": MOUNTS}} for name in ("a", "b")]
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Workflow",
        "metadata": {"name": "w"},
        "spec": {"entrypoint": "m", "templates": [*templates, *steps], **made},
    }


def calls(*rows: list[Json]) -> Json:
    return {"name": "m", "steps": [*rows]}


A: Json = {"name": "a", "template": "a"}
B: Json = {"name": "b", "template": "b"}
IN_TURN = calls([A], [B])
DAG: Json = {"name": "m", "dag": {"tasks": [A, {**B, "depends": "a"}, {**B, "name": "c", "depends": "a"}]}}
NESTED: Json = {"name": "n", "steps": [[A]]}


@pytest.mark.parametrize(
    ("templates", "line"),
    [
        ([IN_TURN], MOVES.format("a, b")),
        ([calls([A, B])], SEVERAL.format("a, b")),
        ([calls([A], [{**B, "withItems": [1, 2]}])], SEVERAL.format("a, b")),
        ([DAG], SEVERAL.format("a, b")),
        ([{"name": "m", "dag": {"tasks": [A, {**B, "dependencies": ["a"]}]}}], MOVES.format("a, b")),
        ([calls([{"name": "n", "template": "n", "withParam": "{{x}}"}]), NESTED], SEVERAL.format("a, b")),
    ],
)
def test_steps_in_turn_move_their_claim_and_steps_side_by_side_wait_for_it(
    pools: Pools, templates: list[Json], line: str
) -> None:
    [reported] = lines(pools, workflow(*templates))
    assert reported.startswith(line)


def test_a_workflow_that_mounts_a_claim_beside_it_is_looked_at_too(pools: Pools) -> None:
    document = workflow(IN_TURN, volumeClaimTemplates=[], volumes=VOLUMES)
    [reported] = lines(pools, document, claim())
    assert reported.startswith(MOVES.format("a, b"))
    for step in at(document, "spec", "templates")[1:]:
        del step["container"]["volumeMounts"]
    assert lines(pools, document, claim()) == []
