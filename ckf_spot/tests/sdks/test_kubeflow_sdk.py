"""The Kubeflow SDK's own clients make what placing has made of it, and send it to the API server as it is.

Spark's package, of half a gigabyte, is not needed for that: only its name is imported.
"""

import inspect
import sys
from collections.abc import Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from ckf_spot import EvictionWarning, PlacementError, Pools, SparkOption

pytestmark = pytest.mark.filterwarnings("ignore::ckf_spot.errors.EvictionWarning")
Json = dict[str, Any]


@pytest.fixture
def spark(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The module `kubeflow.spark`, without a cluster: what its client would create is in `sent`."""
    sql = ModuleType("pyspark.sql")
    sql.SparkSession = object  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pyspark", ModuleType("pyspark"))
    monkeypatch.setitem(sys.modules, "pyspark.sql", sql)
    from kubernetes import client, config  # noqa: PLC0415

    sent: list[Json] = []

    def create(*_: object, body: Json, **__: object) -> Any:
        sent.append(body)
        return SimpleNamespace(get=lambda *_: body)

    monkeypatch.setattr(config, "load_kube_config", lambda *_, **__: None)
    monkeypatch.setattr(config, "load_incluster_config", lambda *_, **__: None)
    monkeypatch.setattr(client.CustomObjectsApi, "create_namespaced_custom_object", create)
    import kubeflow.spark  # noqa: PLC0415

    yield SimpleNamespace(module=kubeflow.spark, sent=sent)
    for name in [name for name in sys.modules if name.startswith("kubeflow.spark")]:
        del sys.modules[name]


def submitted(spark: Any, *options: Any) -> Json:
    """The application that the SDK sends."""
    client = spark.module.SparkClient(spark.module.KubernetesBackendConfig(namespace="team-a"))
    job = spark.module.FileJob(file_source="local:///app/features.py")
    client.submit_job(job=job, num_executors=3, options=list(options))
    [sent] = spark.sent
    return sent


def test_the_executors_of_a_spark_job_go_and_its_driver_stays(spark: Any) -> None:
    sent = submitted(spark, SparkOption(Pools.sample()["cpu"]))["spec"]
    assert sent["executor"]["instances"] == 3
    assert sent["executor"]["affinity"]["nodeAffinity"]
    assert sent["executor"]["tolerations"]
    assert "affinity" not in sent["driver"]
    assert sent["mainApplicationFile"] == "local:///app/features.py"


def test_what_an_eviction_would_lose_is_a_warning(spark: Any) -> None:
    with pytest.warns(EvictionWarning, match=r"spark\.decommission\.enabled"):
        submitted(spark, SparkOption(Pools.sample()["cpu"], require="spot", also=("driver",)))


def test_it_is_refused_before_anything_is_sent(spark: Any) -> None:
    with pytest.raises(PlacementError, match="asks for no nvidia"):
        submitted(spark, SparkOption(Pools.sample()["gpu"]))
    assert spark.sent == []


def test_the_sdk_0_5_takes_no_option_for_the_trials_of_an_optimisation() -> None:
    """The page says so; as soon as this fails, the trials can be placed as other TrainJobs are."""
    from kubeflow.optimizer import OptimizerClient  # noqa: PLC0415
    from kubeflow.trainer import TrainJobTemplate  # noqa: PLC0415

    assert "options" not in inspect.signature(OptimizerClient.optimize).parameters
    assert "options" not in inspect.signature(TrainJobTemplate).parameters
