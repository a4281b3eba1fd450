"""Spark: executors may vanish, the driver stays."""

from typing import Any

import pytest
from samples import GPU, KEPT, OFF_SPOT, POOL, REQUIRED, SPOT, Json, container, example, expressions, place

from ckf_spot import EvictionWarning, PlacementError, Pools
from ckf_spot.kinds import placing, spark
from ckf_spot.kinds.kind import PlacingRequest

pytestmark = pytest.mark.filterwarnings("error::ckf_spot.errors.EvictionWarning")

RESOURCE = "spark.executor.resource.gpu"
SELECTOR = "spark.kubernetes.executor.node.selector."
QUIET = {
    "spark.decommission.enabled": "true",
    "spark.storage.decommission.enabled": "true",
    "spark.executor.maxNumFailures": "1000",
}


def application(**spec: Any) -> Json:
    made: Json = {"sparkVersion": "3.5.1", "sparkConf": QUIET, "driver": {}, "executor": {}, **spec}
    return {"apiVersion": "sparkoperator.k8s.io/v1beta2", "kind": "SparkApplication", "spec": made}


def executor(document: Json, pools: Pools, workload: str = "cpu", **request: Any) -> Json:
    return place(document, pools[workload], **request)["spec"]["executor"]


def test_executors_go_and_the_driver_stays(pools: Pools) -> None:
    placed = place(example("sparkapplication"), pools["cpu"])["spec"]
    assert placed["driver"] == {**example("sparkapplication")["spec"]["driver"], **KEPT}
    assert placed["executor"].keys() - example("sparkapplication")["spec"]["executor"].keys() == {
        "affinity", "annotations", "terminationGracePeriodSeconds", "tolerations",
    }  # fmt: skip


def test_a_scheduled_application_is_placed_as_an_application(pools: Pools) -> None:
    spec = {"schedule": "@daily", "template": application()["spec"]}
    scheduled = application() | {"kind": "ScheduledSparkApplication", "spec": spec}
    assert place(scheduled, pools["cpu"])["spec"]["template"] == place(application(), pools["cpu"])["spec"]


def test_own_fields_are_merged(pools: Pools) -> None:
    fields: Json = {
        "annotations": {"a": "b"},
        "tolerations": [{"key": "team", "operator": "Exists"}],
        "terminationGracePeriodSeconds": 10,
        "affinity": {"podAntiAffinity": {REQUIRED: []}},
    }
    placed = executor(application(executor=fields), pools)
    assert placed["annotations"]["a"] == "b"
    assert placed["tolerations"][0] == fields["tolerations"][0]
    assert placed["terminationGracePeriodSeconds"] == 10
    assert placed["affinity"].keys() == {"podAntiAffinity", "nodeAffinity"}


def test_a_template_gets_the_placement_and_nothing_else(pools: Pools) -> None:
    template: Json = {
        "metadata": {"labels": {"a": "b"}},
        "spec": {"nodeSelector": {"kubernetes.io/arch": "amd64"}},
    }
    fields = {"template": template, "gpu": {"name": GPU, "quantity": 1}}
    placed = executor(application(executor=fields, nodeSelector={"kubernetes.io/os": "linux"}), pools, "gpu")
    assert placed.keys() == fields.keys()
    spec = placed["template"]["spec"]
    assert spec["nodeSelector"] == template["spec"]["nodeSelector"], (
        "what stands elsewhere is not written again"
    )
    assert spec.keys() == {"affinity", "nodeSelector", "terminationGracePeriodSeconds", "tolerations"}
    assert placed["template"]["metadata"]["labels"] == {"a": "b"}


@pytest.mark.parametrize("key", ["affinity", "tolerations", "terminationGracePeriodSeconds"])
def test_what_the_webhook_would_put_over_the_template_is_refused(pools: Pools, key: str) -> None:
    value: Any = {"affinity": {"podAffinity": {}}, "tolerations": [{"key": "a"}]}.get(key, 5)
    with pytest.raises(
        PlacementError, match=rf"spec.executor.{key}: .* stands beside a template; expected it under"
    ):
        place(application(executor={key: value, "template": {"spec": {}}}), pools["cpu"])


@pytest.mark.parametrize(
    "gpus",
    [
        {"executor": {"gpu": {"name": GPU, "quantity": 1}}},
        {"executor": {"template": {"spec": {"containers": [container(gpus=1)]}}}},
        {"sparkConf": {**QUIET, f"{RESOURCE}.amount": "1", f"{RESOURCE}.vendor": "nvidia.com"}},
    ],
)  # fmt: skip
def test_gpus_are_found_wherever_they_stand(pools: Pools, gpus: Json) -> None:
    assert place(application(**gpus), pools["gpu"])
    with pytest.raises(PlacementError, match=r"^spec.executor.*: 'executor|^spec.executor.*: 'main'"):
        place(application(**gpus), pools["cpu"])


def test_gpu_nodes_without_gpu_work_are_refused(pools: Pools) -> None:
    with pytest.raises(PlacementError, match=r"^spec.executor: 'executor' asks for no nvidia.com/gpu"):
        place(application(), pools["gpu"])


def test_a_driver_with_a_gpu_goes_to_nodes_that_stay(pools: Pools) -> None:
    gpu = {"gpu": {"name": GPU, "quantity": 1}}
    placed = place(application(driver=gpu, executor=gpu), pools["gpu"])["spec"]
    assert OFF_SPOT in expressions(placed["driver"])[0]
    assert OFF_SPOT not in expressions(placed["executor"])[0]


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        ({"executor": {"nodeSelector": {POOL: "general"}}}, "spec.executor.nodeSelector: "),
        ({"sparkConf": {**QUIET, f"{SELECTOR}{POOL}": "general"}}, "spec.executor.nodeSelector: "),
        ({"executor": {"template": {"spec": {"nodeSelector": {POOL: "general"}}}}}, "spec.executor.template.spec.node"),
        ({"executor": {"affinity": {"nodeAffinity": []}}}, "spec.executor.affinity.nodeAffinity: [] is not allowed"),
        ({"executor": {"affinity": {"nodeAfinity": {}}}}, "spec.executor.affinity.nodeAfinity: unknown field; did you"),
        ({"executor": {"toleration": []}}, "spec.executor.toleration: unknown field; did you mean 'tolerations'?"),
        ({"executor": {"gpu": 1}}, "spec.executor.gpu: 1 is not allowed; expected a map with name and quantity"),
        ({"executor": None}, "spec.executor is missing"),
        ({"sparkConf": {"a": 1}}, "spec.sparkConf: {'a': 1} is not allowed; expected a map of texts"),
    ],
)  # fmt: skip
def test_error_names_the_field(pools: Pools, spec: Json, path: str) -> None:
    with pytest.raises(PlacementError) as error:
        place(application(**spec), pools["cpu"])
    assert str(error.value).startswith(path)


@pytest.mark.parametrize(
    "spec",
    [{"nodeSelector": {SPOT: "spot"}}, {"sparkConf": {f"spark.kubernetes.node.selector.{SPOT}": "spot"}}],
)
def test_a_selector_that_would_hold_the_driver_up_for_ever_is_refused(pools: Pools, spec: Json) -> None:
    with pytest.raises(PlacementError, match=r"'spot' contradicts the driver, which stays on other nodes"):
        place(application(**spec), pools["cpu"], require="spot")


@pytest.mark.parametrize(
    ("spec", "doubt"),
    [
        ({"sparkConf": {}}, "with sparkConf spark.decommission.enabled: true and spark.storage.decommission.enabled"),
        ({"sparkConf": {}}, "set sparkConf spark.executor.maxNumFailures"),
    ],
)  # fmt: skip
def test_what_an_eviction_costs_is_reported(pools: Pools, spec: Json, doubt: str) -> None:
    with pytest.warns(EvictionWarning) as warned:
        place(application(**spec), pools["cpu"])
    assert doubt in " ".join(str(warning.message) for warning in warned)


def test_failures_are_not_counted_before_3_5(pools: Pools) -> None:
    conf = {key: value for key, value in QUIET.items() if "decommission" in key}
    assert place(application(sparkVersion="3.4.2", sparkConf=conf), pools["cpu"])


def test_a_driver_that_may_vanish_needs_a_restart_policy(pools: Pools) -> None:
    with pytest.warns(EvictionWarning, match="an eviction of the driver fails the application"):
        placed = place(application(), pools["cpu"], also=("driver",))["spec"]
    assert placed["driver"] == placed["executor"]
    place(application(restartPolicy={"type": "OnFailure"}), pools["cpu"], also=("driver",))


def test_a_restart_policy_that_is_none_does_not_help(pools: Pools) -> None:
    with pytest.warns(EvictionWarning, match="an eviction of the driver fails the application"):
        place(application(restartPolicy={"type": {}}), pools["cpu"], also=("driver",))


def test_on_demand_needs_nothing(pools: Pools) -> None:
    placed = executor(application(sparkConf={}), pools, require="on-demand")
    assert "terminationGracePeriodSeconds" not in placed


@pytest.mark.parametrize("fields", [{}, {"template": {"spec": {}}}])
def test_placing_twice_is_placing_once(pools: Pools, fields: Json) -> None:
    once = place(application(executor=fields), pools["cpu"])
    assert place(once, pools["cpu"]) == once


@pytest.mark.parametrize(
    ("executor", "spec", "requests"),
    [
        ({}, {}, ("1", "1408Mi")),
        ({"cores": 4, "memory": "8g"}, {"type": "Scala"}, ("4", "9011Mi")),
        ({"cores": 4, "memory": "8g"}, {"type": "Python"}, ("4", "11468Mi")),
        ({"cores": 4, "coreRequest": "3500m", "memory": "512m"}, {"type": "Java"}, ("3500m", "896Mi")),
        ({"memory": "8G", "memoryOverhead": "1024m"}, {"memoryOverheadFactor": "0.9"}, ("1", "9216Mi")),
        ({"memory": "8g"}, {"type": "Java", "memoryOverheadFactor": "0.5"}, ("1", "12288Mi")),
        ({}, {"sparkConf": {"spark.executor.memory": "2g", "spark.executor.cores": "2"}}, ("2", "2432Mi")),
        ({"memory": "much"}, {}, ("1", "much")),
    ],
)  # fmt: skip
def test_amounts_are_those_that_spark_requests(executor: Json, spec: Json, requests: tuple[str, str]) -> None:
    """`Client.scala` and `BasicExecutorFeatureStep.scala` of Spark 3.5; 1 GiB and 384 MiB are its defaults."""
    document = application(executor=executor, **spec)
    [*_, part] = placing.parts_of(document, spark.KINDS["SparkApplication"])
    [_, (pods, _)] = part.pods(PlacingRequest())
    [container] = pods.template(part.document)["spec"]["containers"]
    made = container["resources"]["requests"]
    assert (str(made["cpu"]), made["memory"]) == requests


@pytest.mark.parametrize(("cores", "memory"), [(64, "1g"), (1, "900g")])
def test_an_executor_that_no_node_can_have_is_refused(pools: Pools, cores: int, memory: str) -> None:
    document = example("sparkapplication")
    document["spec"]["executor"] |= {"cores": cores, "memory": memory}
    with pytest.raises(PlacementError, match=r"^spec\.executor.*contradicts the pools cpuspot, cpuod"):
        place(document, pools["cpu"])
