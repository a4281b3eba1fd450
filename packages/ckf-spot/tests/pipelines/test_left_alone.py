"""Tasks that are left alone since what they are is known at run time only, or since too much is lost with them."""

from typing import Any

import pytest
from compiling import Compiled, component, report, work
from compiling import pipeline as as_pipeline
from kfp import compiler, dsl, kubernetes

from ckf_spot import EvictionWarning, PlacementError, Pools, yaml_text
from ckf_spot.pipelines import compiled

POOLS = Pools.sample()
SPARK = "k8s://https://kubernetes.default.svc"


@component
def session() -> None:
    from pyspark.sql import SparkSession  # noqa: PLC0415  # pyright: ignore

    SparkSession.builder.master("k8s://https://kubernetes.default.svc").getOrCreate()


@dsl.container_component
def client_mode() -> dsl.ContainerSpec:
    return dsl.ContainerSpec(image="spark", command=["spark-submit"], args=["--master", SPARK, "app.py"])


@dsl.container_component
def cluster_mode() -> dsl.ContainerSpec:
    arguments: list[Any] = ["--master", SPARK, "--deploy-mode", "cluster", "app.py"]
    return dsl.ContainerSpec(image="spark", command=["spark-submit"], args=arguments)


@dsl.container_component
def local_mode() -> dsl.ContainerSpec:
    return dsl.ContainerSpec(image="spark", command=["spark-submit"], args=["--master", "local[4]", "app.py"])


def tasks(kind: str, amount: int) -> None:
    """What both pipelines do."""
    session()
    client_mode()
    cluster_mode()
    local_mode()
    work().set_accelerator_type(kind).set_accelerator_limit(1)
    work().set_accelerator_type("nvidia.com/gpu").set_accelerator_limit(amount)


@as_pipeline(name="p")
def pipeline(kind: str = "nvidia.com/gpu", amount: int = 1) -> None:
    tasks(kind, amount)


EXPECTED = {
    "session": "it is a driver of Spark",
    "client-mode": "it is a driver of Spark",
    "work": "its accelerator is known at run time only",
    "work-2": "its accelerator is known at run time only",
}


def outcomes(report: Any) -> dict[str, str]:
    """Why tasks are left alone; those that are placed are not in it."""
    assert {row.task for row in report.rows if row.outcome == "placed"} == {"cluster-mode", "local-mode"}
    return {row.task: row.note for row in report.rows if row.outcome == "left alone"}


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> Any:
    path = tmp_path_factory.mktemp("p") / "p.yaml"
    compiler.Compiler().compile(pipeline, str(path))
    return yaml_text.load(path.read_text(encoding="utf-8"), "p").documents


def test_in_a_compiled_file(documents: Any) -> None:
    _, report = compiled.place(documents, POOLS["cpu"])
    notes = outcomes(report)
    assert notes.keys() == EXPECTED.keys()
    assert all(notes[task].startswith(why) for task, why in EXPECTED.items())


def test_in_python() -> None:
    reports: list[Any] = []

    @as_pipeline(name="q")
    def placed(kind: str = "nvidia.com/gpu", amount: int = 1) -> None:
        tasks(kind, amount)
        reports.append(POOLS["cpu"].place_pipeline())

    Compiled.from_pipeline(placed)
    notes = outcomes(reports[0])
    assert notes.keys() == EXPECTED.keys()
    assert all(notes[task].startswith(why) for task, why in EXPECTED.items())


def test_a_driver_of_spark_goes_if_it_is_placed_by_itself() -> None:
    @as_pipeline(name="r")
    def one() -> None:
        POOLS["cpu"].place(client_mode())

    assert Compiled.from_pipeline(one).placement("client-mode")["tolerations"]


def test_where_all_of_them_stay_it_is_refused() -> None:
    def all_stay() -> None:
        client_mode()
        POOLS["cpu"].place_pipeline()

    with pytest.raises(
        PlacementError, match=r"none of the tasks can be placed on 'cpu': client-mode .it is a driver"
    ):
        as_pipeline(name="s")(all_stay)  # which calls it


def tolerating(task: Any) -> Any:
    """The task with the toleration of Charmed Kubeflow's page, which puts it everywhere."""
    key = "kubernetes.azure.com/scalesetpriority"
    return kubernetes.add_toleration(task, key=key, operator="Equal", value="spot", effect="NoSchedule")


def test_one_that_stays_but_may_be_on_spot_is_a_line() -> None:
    @as_pipeline(name="t")
    def made() -> None:
        with dsl.ExitHandler(tolerating(report())):
            work()
            tolerating(session())

    line = "task {!r}: stays, but tolerates spot nodes and may run on cpuspot; leave out its toleration"
    doubts = POOLS["cpu"].place_pipeline(made).doubts
    assert [*doubts] == [line.format(task) for task in ("exit-handler-1/session", "report")]


def test_alone_it_is_a_warning() -> None:
    def made() -> None:
        with dsl.ExitHandler(POOLS["cpu"].place(tolerating(report()))):
            work()

    with pytest.warns(
        EvictionWarning, match="^task 'report': stays, but tolerates spot nodes and may run on"
    ):
        as_pipeline(name="u")(made)  # which calls it
