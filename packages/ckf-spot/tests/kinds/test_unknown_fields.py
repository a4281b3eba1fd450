"""Fields that are not known here: those that are misspelt are refused, those that a newer release may have are not."""

from collections.abc import Iterator
from typing import Any

import pytest
from samples import Json, container, example, job, place

from ckf_spot import EvictionWarning, PlacementError, PoolGroup, Pools

LEFT = "left as it is; if the release in the cluster does not have it either, it is dropped"
KINDS = ("pytorchjob", "tfjob", "experiment", "jobset", "rayjob", "sparkapplication", "workflow", "trainjob")


def with_fields(name: str, *fields: str) -> Json:
    document = example(name)
    document["spec"] |= dict.fromkeys(fields, 1)
    return document


def _pods(value: Any) -> Iterator[Json]:
    if isinstance(value, dict) and "containers" in value:
        yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _pods(part)


def placed(document: Json, pools: Pools) -> Json:
    group = pools["gpu" if document["kind"] in {"PyTorchJob", "TrainJob"} else "cpu"]
    more: Json = {"trainer_api": "2.3"} if document["kind"] == "TrainJob" else {}
    return place(document, group, **more)


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.filterwarnings("ignore::ckf_spot.errors.EvictionWarning")
def test_a_new_field_of_an_operator_stays_with_a_line(pools: Pools, name: str) -> None:
    with pytest.warns(EvictionWarning, match=rf"spec\.quotaPolicy: unknown field; {LEFT}"):
        made = placed(with_fields(name, "quotaPolicy"), pools)
    assert made["spec"].pop("quotaPolicy") == 1
    assert made == placed(example(name), pools), "it changes nothing else"


@pytest.mark.parametrize(
    ("name", "field", "meant"),
    [
        ("rayjob", "suspended", "suspend"),
        ("jobset", "networks", "network"),
        ("rayjob", "ENTRYPOINT", "entrypoint"),
    ],
)
def test_a_misspelt_field_is_refused(pools: Pools, name: str, field: str, meant: str) -> None:
    with pytest.raises(PlacementError, match=f"^spec.{field}: unknown field; did you mean '{meant}'.$"):
        placed(with_fields(name, field), pools)


@pytest.mark.parametrize("kind", ["job", "pytorchjob", "rayjob"])
@pytest.mark.parametrize(("meant", "where"), [("containers", ()), ("name", ("containers", 0))])
def test_a_required_field_of_a_pod_that_is_misspelt_gets_one_line(
    pools: Pools, kind: str, meant: str, where: tuple[Any, ...]
) -> None:
    document = example(kind)
    part: Any = next(_pods(document))
    for key in where:
        part = part[key]
    part[meant[:-1]] = part.pop(meant)
    with pytest.raises(PlacementError) as refused:
        placed(document, pools)
    assert [mistake.expected for mistake in refused.value.mistakes] == [f"did you mean {meant!r}?"]


def test_roles_in_capitals_get_one_line_each(pools: Pools) -> None:
    """`kubeflow.org/v1` had them in TFJobs of 2019."""
    document = example("tfjob")
    roles = document["spec"]["tfReplicaSpecs"]
    document["spec"]["tfReplicaSpecs"] = {role.upper(): replica for role, replica in roles.items()}
    with pytest.raises(PlacementError) as refused:
        placed(document, pools)
    expected = [f"did you mean {role!r}?" for role in roles if role.upper() != role]
    assert [mistake.expected for mistake in refused.value.mistakes] == expected


@pytest.mark.parametrize(
    ("part", "field"),
    [
        ((), "tlsOptions"),
        ((), "networkPolicy"),
        ((), "historyServerOptions"),
        (("headGroupSpec",), "ingressOptions"),
        (("workerGroupSpecs", 0), "priority"),
    ],
)
@pytest.mark.filterwarnings("error::ckf_spot.errors.EvictionWarning")
def test_fields_of_kuberay_1_7_are_known(pools: Pools, part: tuple[Any, ...], field: str) -> None:
    """`ray-operator/config/crd/bases/ray.io_rayclusters.yaml`."""
    document = example("rayjob")
    part_of_cluster = document["spec"]["rayClusterSpec"]
    for key in part:
        part_of_cluster = part_of_cluster[key]
    part_of_cluster[field] = {}
    place(document, pools["cpu"])


def of_release(release: str | None) -> PoolGroup:
    return Pools(Pools.sample().all, kubernetes=release)["cpu"]


@pytest.mark.parametrize("release", ["1.34", "v1.34.4", "1.36", None])
def test_a_pod_has_the_fields_of_the_clusters_release(release: str | None) -> None:
    """`hostnameOverride` came with Kubernetes 1.34."""
    document = job(hostnameOverride="h")
    assert place(document, of_release(release))["spec"]["template"]["spec"]["hostnameOverride"] == "h"


def test_a_field_that_the_clusters_release_does_not_have_is_refused() -> None:
    with pytest.raises(PlacementError, match=r"hostnameOverride: unknown field"):
        place(job(hostnameOverride="h"), of_release("1.33"))


def test_a_field_of_a_job_that_is_newer_than_our_list_is_known_to_the_schema(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ckf_spot.kinds.jobs._JOB", ("parallelismm", "template"))
    document = job()
    document["spec"] |= {"parallelism": 1, "completions": 1}
    assert place(document, of_release(None))


def test_a_cluster_newer_than_every_schema_may_have_a_field_that_none_has() -> None:
    with pytest.warns(EvictionWarning, match=r"spec\.template\.spec\.quantum: unknown field; left as it is"):
        assert place(job(quantum=1), of_release("1.99"))
    with pytest.raises(PlacementError, match="did you mean 'tolerations'"):
        place(job(tolerationz=[]), of_release("1.99"))


def test_a_template_of_spark_keeps_fields_that_a_pod_does_not_have(pools: Pools) -> None:
    """As in the operator's own example of templates: its schema is open, and Spark skips what it does not know."""
    document = example("sparkapplication")
    security = {"capabilities": {"drop": ["ALL"]}, "runAsUser": 185}
    document["spec"]["executor"]["template"] = {
        "spec": {"containers": [container()], "securityContext": security}
    }
    where = r"executor\.template\.spec\.securityContext\.capabilities"
    with pytest.warns(EvictionWarning, match=f"{where}: unknown field; left as it is"):
        made = place(document, pools["cpu"])
    assert made["spec"]["executor"]["template"]["spec"]["securityContext"] == security


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("job", ("parallelism",)),
        ("pytorchjob", ("pytorchReplicaSpecs", "Worker", "replicas")),
        ("jobset", ("replicatedJobs", 0, "replicas")),
        ("rayjob", ("rayClusterSpec", "workerGroupSpecs", 0, "maxReplicas")),
        ("sparkapplication", ("executor", "instances")),
        ("experiment", ("parallelTrialCount",)),
        ("trainjob", ("trainer", "numNodes")),
        ("workflow", ("parallelism",)),
    ],
)
@pytest.mark.parametrize("value", ["...", -1, 1.5, True])
@pytest.mark.filterwarnings("ignore::ckf_spot.errors.EvictionWarning")
def test_an_amount_is_a_whole_number(pools: Pools, name: str, path: tuple[Any, ...], value: object) -> None:
    document = example(name)
    part = document["spec"]
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    with pytest.raises(PlacementError) as refused:
        placed(document, pools)
    [mistake] = refused.value.mistakes
    assert (mistake.path.rpartition(".")[2], mistake.value) == (path[-1], value)
    assert mistake.expected == "expected a whole number"


def test_an_amount_that_a_trial_fills_in_is_left_alone(pools: Pools) -> None:
    document = example("experiment")
    trial = document["spec"]["trialTemplate"]["trialSpec"]["spec"]
    trial["parallelism"] = "${trialParameters.workers}"
    assert placed(document, pools)


@pytest.mark.parametrize(
    ("name", "version", "path"),
    [
        ("sparkapplication", "spark.apache.org/v1", ("executor",)),
        ("experiment", "kubeflow.org/v1alpha3", ("trialTemplate", "trialSpec")),
        ("pytorchjob", "kubeflow.org/v1beta2", ("pytorchReplicaSpecs",)),
    ],
)
def test_another_version_gets_one_line_whatever_it_lacks(
    pools: Pools, name: str, version: str, path: tuple[str, ...]
) -> None:
    document = example(name) | {"apiVersion": version}
    part: Any = document["spec"]
    for key in path[:-1]:
        part = part[key]
    del part[path[-1]]
    with pytest.raises(PlacementError) as refused:
        placed(document, pools)
    assert [mistake.path for mistake in refused.value.mistakes] == ["apiVersion"]


def test_a_misspelt_version_gets_one_line(pools: Pools) -> None:
    document = job()
    document["apiVersoin"] = document.pop("apiVersion")
    with pytest.raises(PlacementError, match=r"^apiVersoin: unknown field; did you mean 'apiVersion'\?$"):
        placed(document, pools)


def test_a_field_beside_a_templates_spec_gets_one_line(pools: Pools) -> None:
    document = job()
    document["spec"]["template"]["volumes"] = []
    with pytest.raises(PlacementError) as refused:
        placed(document, pools)
    assert [mistake.path for mistake in refused.value.mistakes] == ["spec.template.volumes"]
