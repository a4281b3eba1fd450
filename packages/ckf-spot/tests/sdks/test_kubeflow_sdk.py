"""The Kubeflow SDK's own clients make what placing has made of it, and send it to the API server as it is.

Spark's package, of half a gigabyte, is not needed for that: only its name is imported.
"""

import inspect
import json
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from ckf_spot import EvictionWarning, PlacementError, Pools, SparkOption, TrainOption
from ckf_spot.kinds.trainer import MANAGER

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
        def get(*_: object) -> Json:
            return body

        sent.append(body)
        return SimpleNamespace(get=get)

    def configured(*_: object, **__: object) -> None:
        """Nothing is read."""

    monkeypatch.setattr(config, "load_kube_config", configured)
    monkeypatch.setattr(config, "load_incluster_config", configured)
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


def test_the_driver_of_a_spark_job_goes_to_on_demand_nodes(spark: Any) -> None:
    sent = submitted(spark, SparkOption(Pools.sample()["cpu"], on_demand="driver"))["spec"]
    assert "DoesNotExist" in str(sent["driver"]["affinity"])
    assert "DoesNotExist" not in str(sent["executor"]["affinity"])


def test_it_is_refused_before_anything_is_sent(spark: Any) -> None:
    with pytest.raises(PlacementError, match="asks for no nvidia"):
        submitted(spark, SparkOption(Pools.sample()["gpu"]))
    assert spark.sent == []


RUNTIME: Json = {
    "apiVersion": "trainer.kubeflow.org/v1alpha1",
    "kind": "ClusterTrainingRuntime",
    "metadata": {"name": "torch-distributed", "labels": {"trainer.kubeflow.org/framework": "torch"}},
    "spec": {
        "mlPolicy": {"numNodes": 1, "torch": {}},
        "template": {
            "spec": {
                "replicatedJobs": [
                    {
                        "name": "node",
                        "template": {
                            "metadata": {
                                "labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}
                            },
                            "spec": {"template": {"spec": {"containers": [{"name": "node", "image": "i"}]}}},
                        },
                    }
                ]
            }
        },
    },
}


@pytest.fixture
def api_server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[list[Json]]:
    """An API server with one training runtime; what the SDK creates there."""
    created: list[Json] = []

    class Handler(BaseHTTPRequestHandler):
        def answer(self, status: int, content: Json) -> None:
            body = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self) -> None:
            there = self.path.endswith("/clustertrainingruntimes/torch-distributed")
            self.answer(200 if there else 404, RUNTIME if there else {"kind": "Status", "code": 404})

        def do_POST(self) -> None:
            created.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.answer(201, created[-1])

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
            """Keeps quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        address = f"http://127.0.0.1:{server.server_port}"
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "c", "cluster": {"server": address}}],
            "users": [{"name": "u", "user": {}}],
            "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u", "namespace": "team-a"}}],
            "current-context": "x",
        }
        path = tmp_path / "kubeconfig"
        path.write_text(json.dumps(config), encoding="utf-8")
        # Kept by the client when it was imported.
        monkeypatch.setattr("kubernetes.config.kube_config.KUBE_CONFIG_DEFAULT_LOCATION", str(path))
        monkeypatch.setenv("KUBECONFIG", str(path))
        yield created
        server.shutdown()
        thread.join()


def train_function() -> None:
    """What a data scientist trains with."""


def test_train_sends_the_placement(api_server: list[Json]) -> None:
    from kubeflow.trainer import CustomTrainer, TrainerClient  # noqa: PLC0415

    trainer = CustomTrainer(func=train_function, num_nodes=2, resources_per_node={"gpu": 1})
    gpu = Pools.sample()["gpu"]
    TrainerClient().train(runtime="torch-distributed", trainer=trainer, options=[TrainOption(gpu)])
    [sent] = api_server
    unplaced = {
        **sent,
        "spec": {key: value for key, value in sent["spec"].items() if key != "runtimePatches"},
    }
    assert sent["spec"]["trainer"]["numNodes"] == 2
    assert "runtimePatches" in sent["spec"]
    assert sent["spec"]["runtimePatches"] == gpu.place(unplaced, trainer_api="2.2")["spec"]["runtimePatches"]


def patch(**pod: Any) -> Any:
    """The SDK's option that patches the pods of the runtime's job `node`."""
    from kubeflow.trainer import options  # noqa: PLC0415

    template = options.PodTemplatePatch(spec=options.PodSpecPatch(**pod))
    job = options.JobTemplatePatch(spec=options.JobSpecPatch(template=template))
    jobs = options.JobSetSpecPatch(replicated_jobs=[options.ReplicatedJobPatch(name="node", template=job)])
    spec = options.TrainingRuntimeSpecPatch(template=options.JobSetTemplatePatch(spec=jobs))
    return options.RuntimePatch(training_runtime_spec=spec)


SELECTING: Json = {"tolerations": [{"key": "team", "operator": "Exists"}]}


def test_a_patch_that_takes_the_placement_back_is_refused_before_anything_is_sent(
    api_server: list[Json],
) -> None:
    from kubeflow.trainer import CustomTrainer, TrainerClient  # noqa: PLC0415

    trainer = CustomTrainer(func=train_function, num_nodes=2)
    ours = TrainOption(Pools.sample()["cpu"])
    with pytest.raises(PlacementError) as error:
        TrainerClient().train(
            runtime="torch-distributed", trainer=trainer, options=[ours, patch(**SELECTING)]
        )
    assert str(error.value) == (
        "options: RuntimePatch: tolerations: [{'key': 'team', 'operator': 'Exists'}] overrides the placement of the "
        "TrainOption before it; put the TrainOption last"
    )
    assert api_server == []
    TrainerClient().train(runtime="torch-distributed", trainer=trainer, options=[patch(**SELECTING), ours])
    TrainerClient().train(
        runtime="torch-distributed", trainer=trainer, options=[ours, patch(service_account_name="trainer")]
    )
    before, behind = (sent["spec"]["runtimePatches"] for sent in api_server)
    assert (before[-1]["manager"], behind[0]["manager"]) == (MANAGER, MANAGER)


def test_what_optimize_sends_is_placed_as_yaml(api_server: list[Json]) -> None:
    """What it creates is an Experiment whose trials are TrainJobs."""
    from kubeflow.optimizer import OptimizerClient, Search, TrialConfig  # noqa: PLC0415
    from kubeflow.trainer import CustomTrainer, TrainJobTemplate  # noqa: PLC0415

    trainer = CustomTrainer(func=train_function, num_nodes=2, resources_per_node={"gpu": 1})
    OptimizerClient().optimize(
        trial_template=TrainJobTemplate(runtime="torch-distributed", trainer=trainer),
        trial_config=TrialConfig(num_trials=2),
        search_space={"rate": Search.loguniform(0.001, 0.1)},
    )
    [sent] = api_server
    placed = Pools.sample()["gpu"].place(sent, trainer_api="2.3")
    trial = placed["spec"]["trialTemplate"]["trialSpec"]
    assert trial["kind"] == "TrainJob"
    assert trial["spec"]["runtimePatches"][-1]["manager"] == MANAGER


def test_the_sdk_0_5_takes_no_option_for_the_trials_of_an_optimisation() -> None:
    """The page says so; as soon as this fails, the trials can be placed as other TrainJobs are."""
    from kubeflow.optimizer import OptimizerClient  # noqa: PLC0415
    from kubeflow.trainer import TrainJobTemplate  # noqa: PLC0415

    assert "options" not in inspect.signature(OptimizerClient.optimize).parameters
    assert "options" not in inspect.signature(TrainJobTemplate).parameters
