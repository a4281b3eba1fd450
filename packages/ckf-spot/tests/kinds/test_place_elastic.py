"""PyTorchJobs and Spark applications that can go on with fewer pods, and what can't."""

from typing import Any

import pytest
from samples import EXAMPLES, Json, container, example, place, training_job

from ckf_spot import PlacementError, Pools
from ckf_spot.kinds import placing
from ckf_spot.kinds.kind import PlacingRequest

TORCHRUN = container("pytorch") | {"command": ["torchrun", "train.py"]}
SET = {
    "rdzvBackend": "c10d",
    "rdzvHost": "t-master-0",
    "minReplicas": 1,
    "maxReplicas": 4,
    "maxRestarts": 100,
}
"""What a job of a Master and three workers gets."""


def torch_job(*roles: str, pod: Json = TORCHRUN, policy: Json | None = None) -> Json:
    document = training_job(
        "PyTorchJob", "pytorchReplicaSpecs", **dict.fromkeys(roles or ("Master", "Worker"), pod)
    )
    document["spec"]["pytorchReplicaSpecs"]["Worker"]["replicas"] = 3
    document["spec"] |= {} if policy is None else {"elasticPolicy": policy}
    return document


def policy(document: Json, pools: Pools, **request: Any) -> Json | None:
    return place(document, pools["cpu"], **request)["spec"].get("elasticPolicy")


def doubts(document: Json, pools: Pools, **request: Any) -> str:
    return "\n".join(placing.place(document, pools["cpu"], PlacingRequest(**request)).doubts)


def refusal(document: Json, pools: Pools, **request: Any) -> str:
    with pytest.raises(PlacementError) as error:
        place(document, pools["cpu"], **request)
    return str(error.value)


def test_an_elastic_job_meets_at_its_master_which_stays(pools: Pools) -> None:
    placed = place(torch_job(), pools["cpu"], elastic=True)
    assert placed["spec"]["elasticPolicy"] == SET
    assert "tolerations" not in placed["spec"]["pytorchReplicaSpecs"]["Master"]["template"]["spec"]
    assert place(placed, pools["cpu"], elastic=True) == placed == place(placed, pools["cpu"])
    assert doubts(torch_job(), pools, elastic=True) == doubts(placed, pools) == ""


def test_its_pods_have_a_store_for_each_attempt(pools: Pools) -> None:
    env = [{"name": "A", "value": "b"}]
    roles = place(torch_job(pod=TORCHRUN | {"env": env}), pools["cpu"], elastic=True)["spec"][
        "pytorchReplicaSpecs"
    ]
    expected = [*env, {"name": "TORCH_DISABLE_SHARE_RDZV_TCP_STORE", "value": "1"}]
    assert [role["template"]["spec"]["containers"][0]["env"] for role in roles.values()] == [expected] * 2


def test_without_it_a_line_warns(pools: Pools) -> None:
    line = "its pods hang when one of them is made again, unless TORCH_DISABLE_SHARE_RDZV_TCP_STORE is 1"
    assert line in doubts(torch_job(policy=SET), pools)
    assert line not in doubts(torch_job(policy=SET | {"rdzvBackend": "etcd"}), pools)


@pytest.mark.parametrize(
    "written",
    [
        {"minReplicas": 2},
        {"maxReplicas": 3},
        {"maxRestarts": 7},
        {"rdzvHost": "there"},
        {"rdzvId": "x", "metrics": []},
    ],
)
def test_what_the_user_has_written_stays(pools: Pools, written: Json) -> None:
    assert policy(torch_job(policy=written), pools, elastic=True) == SET | written


def test_another_rendezvous_than_the_masters_is_not_touched(pools: Pools) -> None:
    made = policy(torch_job(policy={"rdzvBackend": "etcd-v2"}), pools, elastic=True)
    assert made == {
        **{key: value for key, value in SET.items() if key != "rdzvHost"},
        "rdzvBackend": "etcd-v2",
    }


@pytest.mark.parametrize("request_", [{}, {"elastic": True, "require": "on-demand"}])
def test_otherwise_nothing_is_set(pools: Pools, request_: Json) -> None:
    assert policy(torch_job(), pools, **request_) is None
    assert policy(torch_job(policy={"minReplicas": 1}), pools, **request_) == {"minReplicas": 1}


ELASTIC_WAY = "torchrun can go on with fewer: --elastic, in Python elastic=True"


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (torch_job(), True),
        (torch_job(pod=container("pytorch") | {"command": ["sh", "-c", "pip install x && torchrun a.py"]}), True),
        (torch_job(pod=container("pytorch") | {"command": ["python", "-m"], "args": ["torch.distributed.run"]}), True),
        (torch_job(pod=container("pytorch") | {"command": ["torchrun", "--nnodes=1:4", "a.py"]}), False),
        (torch_job(pod=container("pytorch")), False),
        (torch_job(pod=container("pytorch") | {"command": ["python", "train.py"]}), False),
    ],
)  # fmt: skip
def test_a_job_that_could_be_elastic_gets_a_line(pools: Pools, document: Json, *, expected: bool) -> None:
    assert (ELASTIC_WAY in doubts(document, pools)) == expected
    assert doubts(document, pools, require="on-demand") == ""


def test_one_pod_is_no_gang(pools: Pools) -> None:
    document = training_job("PyTorchJob", "pytorchReplicaSpecs", Worker=TORCHRUN)
    assert doubts(document, pools) == ""
    assert (
        refusal(document, pools, elastic=True) == "elastic: True contradicts a job of one pod; leave it out"
    )


@pytest.mark.parametrize(
    ("change", "request_", "line"),
    [
        ({"rdzvBackend": "c10d"}, {}, "elasticPolicy fixes the number of pods; set minReplicas below maxReplicas"),
        ({"minReplicas": 4, "maxReplicas": 4}, {"elastic": True}, "elasticPolicy fixes the number of pods"),
        ({"minReplicas": 1, "maxReplicas": 4}, {}, "has no maxRestarts: the other pods end with the evicted one"),
        (
            {"minReplicas": 1, "maxReplicas": 4},
            {},
            "its pods meet at t-worker-0, and all stop when that is evicted; --elastic puts it on the Master",
        ),
        (SET, {"also": ("Master",)}, "its pods meet at t-master-0, and all stop when that is evicted; give the job"),
    ],
)  # fmt: skip
def test_a_policy_with_which_an_eviction_stops_all_gets_a_line(
    pools: Pools, change: Json, request_: Json, line: str
) -> None:
    assert line in doubts(torch_job(policy=change), pools, **request_)


def test_without_a_master_the_pods_meet_at_a_worker(pools: Pools) -> None:
    line = "its pods meet at t-worker-0, and all stop when that is evicted; give the job a Master with replicas: 1"
    assert line in doubts(torch_job("Worker"), pools, elastic=True)
    made = policy(torch_job("Worker"), pools, elastic=True)
    assert made == {"rdzvBackend": "c10d", "minReplicas": 1, "maxReplicas": 3, "maxRestarts": 100}


@pytest.mark.parametrize(
    ("command", "line"),
    [
        (["torchrun", "--nnodes=4", "--max_restarts=3", "a.py"], "--max_restarts, --nnodes in the command counts"),
        (["python", "train.py"], "its command starts python and not torchrun, which alone reads elasticPolicy"),
    ],
)  # fmt: skip
def test_a_command_that_does_not_read_the_policy_gets_a_line(
    pools: Pools, command: list[str], line: str
) -> None:
    document = torch_job(pod=container("pytorch") | {"command": command})
    assert line in doubts(document, pools, elastic=True)


def test_a_job_without_a_name_has_no_address_to_meet_at(pools: Pools) -> None:
    document = torch_job()
    document["metadata"] = {"generateName": "t-"}
    assert refusal(document, pools, elastic=True).startswith("metadata.name is missing; elastic needs it")
    assert policy(document | {"spec": torch_job("Worker")["spec"]}, pools, elastic=True)


def test_replicas_that_are_filled_in_later_can_not_be_elastic(pools: Pools) -> None:
    document = torch_job()
    document["spec"]["pytorchReplicaSpecs"]["Worker"]["replicas"] = "{{n}}"
    assert "Worker.replicas" in refusal(document, pools, elastic=True)
    assert ELASTIC_WAY in doubts(document, pools)


@pytest.mark.parametrize("written", [[], "x", 1])
def test_a_policy_that_is_no_map_is_refused(pools: Pools, written: Any) -> None:
    assert (
        refusal(torch_job(policy=written), pools)
        == f"spec.elasticPolicy: {written!r} is no map; expected a map"
    )


RIGID = {
    "job": "made again one by one",
    "cronjob": "made again one by one",
    "jobset": "made again one by one",
    "experiment": "made again one by one",
    "workflow": "made again one by one",
    "rayjob": "max_retries, max_restarts and max_failures",
    "tfjob": "the training operator 1.9 sets up no elastic launch",
    "trainjob": "Trainer 2.0 to 2.3 sets up no elastic launch",
}


@pytest.mark.parametrize(("name", "reason"), RIGID.items())
def test_work_that_can_t_be_elastic_or_is_it_anyhow_is_refused(pools: Pools, name: str, reason: str) -> None:
    assert name in EXAMPLES
    release = {"trainer_api": "2.3"} if name == "trainjob" else {}
    group = "gpu" if name == "trainjob" else "cpu"
    with pytest.raises(PlacementError, match=f"^elastic: True contradicts work .*{reason}.*; leave it out$"):
        place(example(name), pools[group], elastic=True, **release)


def spark(**conf: str) -> Json:
    document = example("sparkapplication")
    document["spec"]["sparkConf"] = conf
    return document


def test_executors_of_an_elastic_application_hand_over_what_they_have(pools: Pools) -> None:
    placed = place(spark(a="b"), pools["cpu"], elastic=True)
    assert placed["spec"]["sparkConf"] == {
        "a": "b",
        "spark.decommission.enabled": "true",
        "spark.storage.decommission.enabled": "true",
        "spark.executor.maxNumFailures": "1000",
    }
    assert doubts(spark(a="b"), pools, elastic=True) == doubts(placed, pools) == ""


def test_what_the_user_has_set_of_spark_stays_and_gets_its_line(pools: Pools) -> None:
    conf = {"spark.decommission.enabled": "false", "spark.executor.maxNumFailures": "3"}
    placed = place(spark(**conf), pools["cpu"], elastic=True)["spec"]["sparkConf"]
    assert placed == {**conf, "spark.storage.decommission.enabled": "true"}
    assert "with sparkConf spark.decommission.enabled: true it hands" in doubts(
        spark(**conf), pools, elastic=True
    )


@pytest.mark.parametrize("request_", [{}, {"elastic": True, "require": "on-demand"}])
def test_otherwise_spark_is_left_as_it_is(pools: Pools, request_: Json) -> None:
    assert place(spark(a="b"), pools["cpu"], **request_)["spec"]["sparkConf"] == {"a": "b"}


@pytest.mark.parametrize(
    ("allocation", "conf", "counts"),
    [
        ({"enabled": True}, {}, False),
        ({}, {"spark.dynamicAllocation.enabled": "true"}, False),
        ({"enabled": True, "minExecutors": 2, "maxExecutors": 8}, {}, True),
        ({}, {"spark.dynamicAllocation.enabled": "true", "spark.dynamicAllocation.maxExecutors": "8"}, True),
        ({"enabled": False}, {"spark.dynamicAllocation.enabled": "false"}, True),
    ],
)  # fmt: skip
def test_dynamic_allocation_stays_and_has_no_limit_of_failures_without_one_of_executors(
    pools: Pools, allocation: Json, conf: dict[str, str], *, counts: bool
) -> None:
    document = spark(**conf)
    document["spec"]["dynamicAllocation"] = allocation
    placed = place(document, pools["cpu"], elastic=True)["spec"]
    assert placed["dynamicAllocation"] == allocation
    assert ("spark.executor.maxNumFailures" in placed["sparkConf"]) == counts
    assert ("maxNumFailures" in doubts(document, pools)) == counts


BLOCKS = {f"spark.storage.decommission.{kind}.enabled": "true" for kind in ("rddBlocks", "shuffleBlocks")}


@pytest.mark.parametrize(
    ("release", "moves"),
    [("3.1.1", True), ("3.3.4", True), ("3.4.0", False), ("3.10.0", False), (None, False)],
)
def test_before_spark_3_4_what_is_handed_over_is_set_too(
    pools: Pools, release: str | None, *, moves: bool
) -> None:
    document = spark(**{"spark.decommission.enabled": "true", "spark.storage.decommission.enabled": "true"})
    document["spec"]["sparkVersion"] = release
    placed = place(document, pools["cpu"], elastic=True)["spec"]["sparkConf"]
    assert (placed.items() >= BLOCKS.items()) == moves
    assert ("shuffleBlocks.enabled: true it hands that over" in doubts(document, pools)) == moves


def test_before_spark_3_1_nothing_is_handed_over(pools: Pools) -> None:
    document = spark()
    document["spec"]["sparkVersion"] = "3.0.0"
    assert "Spark 3.1 and newer can hand that over first" in doubts(document, pools)
    assert place(document, pools["cpu"], elastic=True)["spec"]["sparkConf"] == {}
