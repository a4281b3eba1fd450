"""The package's placed examples, against the real custom resources of the operators and Kubernetes' own schemas."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any, Final, cast

import pytest
import yaml

from ckf_spot import Pools
from kubeflow_aks.clients.kubernetes.errors import ApiError
from kubeflow_aks.project import PROJECT_ROOT
from tests.local.custom_resources import CustomResources

EXAMPLES: Final[Path] = PROJECT_ROOT / "packages/ckf-spot" / "examples"
FOLDERS: Final = ("operators", "training")
PLACED: Final = {
    "rayjob": "ray",
    "rayjob-floor": "ray",
    "sparkapplication": "spark",
    "workflow": "argo",
    "jobset": "jobset",
    "cronjob": None,
    "job": None,
}
REQUESTS: Final[dict[str, Any]] = {"rayjob-floor": {"on_demand": ("floor",)}}


@pytest.fixture(scope="module")
def pools() -> Pools:
    return Pools.sample()


def example(name: str) -> dict[str, Any]:
    [path] = (file for folder in FOLDERS for file in EXAMPLES.glob(f"{folder}/{name}.yaml"))
    document = yaml.safe_load(path.read_text(encoding="utf-8"))
    document["metadata"].pop("namespace", None)
    return document


def parts(value: Any, path: str = "") -> set[str]:
    """The path of every field, whatever the numbers in lists."""
    kind = cast("type[Any]", type(value))
    if not value or kind not in (dict, list):
        return {path}
    items = value.items() if kind is dict else [("[]", item) for item in value]
    return set[str]().union(*(parts(item, f"{path}.{key}") for key, item in items))


@pytest.mark.parametrize("name", PLACED)
def test_the_api_server_keeps_every_field_of_a_placed_example(
    crds: CustomResources, pools: Pools, name: str
) -> None:
    if (resources := PLACED[name]) is not None:
        crds.install(resources)
    placed = pools["cpu"].place(example(name), **REQUESTS.get(name, {}))
    [stored] = crds.accept(placed)
    assert parts(placed) <= parts(stored)


@pytest.mark.parametrize(
    ("kind", "spec"),
    [
        ("CronWorkflow", {"schedules": ["@daily"]}),
        ("WorkflowTemplate", None),
        ("ClusterWorkflowTemplate", None),
        ("RayCluster", None),
        ("RayCronJob", {"schedule": "@daily"}),
        ("ScheduledSparkApplication", {"schedule": "@daily"}),
    ],
)
def test_the_other_kinds_are_taken_too(
    crds: CustomResources, pools: Pools, kind: str, spec: dict[str, Any] | None
) -> None:
    name = next(listed for listed in PLACED if PLACED[listed] and listed.removesuffix("job") in kind.lower())
    crds.install(str(PLACED[name]))
    document: dict[str, Any] = example(name) | {"kind": kind}
    inner: Any = document["spec"]
    if kind == "RayCluster":
        document["spec"] = inner["rayClusterSpec"]
    elif spec is not None:
        inside = {"CronWorkflow": "workflowSpec", "RayCronJob": "jobTemplate"}.get(kind, "template")
        document["spec"] = {**spec, inside: inner}
    placed = pools["cpu"].place(document)
    assert placed != document
    assert [item["kind"] for item in crds.accept(placed)] == [kind]


def test_a_template_of_an_executor_is_taken(crds: CustomResources, pools: Pools) -> None:
    crds.install("spark")
    document = example("sparkapplication")
    pod = example("executor")
    document["spec"]["executor"]["template"] = {"metadata": pod["metadata"], "spec": pod["spec"]}
    crds.accept(pools["cpu"].place(document))


def test_a_pod_template_of_kubernetes_is_taken(crds: CustomResources, pools: Pools) -> None:
    template = example("job")["spec"]["template"]
    document = {"apiVersion": "v1", "kind": "PodTemplate", "metadata": {"name": "t"}, "template": template}
    crds.accept(pools["cpu"].place(document))


@pytest.mark.parametrize("name", ["rayjob", "sparkapplication", "workflow", "jobset"])
def test_a_field_that_nobody_knows_is_refused(crds: CustomResources, pools: Pools, name: str) -> None:
    """What the examples would get away with if nobody were strict."""
    crds.install(str(PLACED[name]))
    placed = copy.deepcopy(pools["cpu"].place(example(name)))
    placed["spec"]["tolerationz"] = []
    with pytest.raises(ApiError, match="unknown field"):
        crds.accept(placed)
