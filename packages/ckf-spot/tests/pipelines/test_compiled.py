"""A compiled pipeline goes in and comes out placed; whatever else goes in is refused in words."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from typing import Any

import compiling
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded import COMPILED

from ckf_spot import PlacementError, Pools
from ckf_spot.pipelines import compiled

POOLS = Pools.load(compiling.DEMO)
WHOLE: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "02-spot-workload": [("cpu", {"require": "spot", "retries": 0})],
    "03-spot-retries-workload": [("cpu", {})],
    "04-gpu-spot-workload": [("gpu", {}), ("cpu", {})],
    "a1-prefer": [("cpu", {})],
    "a2-require-spot": [("cpu", {"require": "spot"})],
    "a3-on-demand": [("cpu", {"require": "on-demand"})],
    "a4-gpu-prefer": [("gpu", {})],
    "c1-parallelfor": [("cpu", {})],
    "c4-exit-handler": [("cpu", {})],
    "c5-nested": [("gpu", {"require": "spot", "retries": 2}), ("cpu", {})],
    "c7-nested-in-loop": [("gpu", {"require": "spot", "retries": 2}), ("cpu", {})],
    "d1-importer": [("cpu", {})],
    "e1-25-selector": [("cpu", {"by": "node-selector"})],
}
"""Recorded pipelines, and how each is placed as a whole to be what was recorded."""


def bare(documents: list[Any]) -> list[Any]:
    """The pipeline before anything was placed; what asks for a GPU does so still."""
    spec = deepcopy(documents[0])
    for component in [spec["root"], *spec["components"].values()]:
        for task in component.get("dag", {}).get("tasks", {}).values():
            task.pop("retryPolicy", None)
    return [spec]


@pytest.mark.parametrize("name", WHOLE)
def test_a_compiled_pipeline_becomes_what_its_tasks_placed_in_python_were_recorded_as(name: str) -> None:
    recorded = COMPILED[name]
    placed = bare(recorded)
    for workload, options in WHOLE[name]:
        placed, _ = compiled.place(placed, POOLS[workload], **options)
    assert placed == recorded


def manifests(documents: list[Any]) -> list[Any]:
    """A compiled pipeline as objects of Kubernetes."""
    spec = dict(zip(("pipelineSpec", "platformSpec"), documents, strict=False))
    head = {"apiVersion": "pipelines.kubeflow.org/v2beta1", "metadata": {"name": "training"}}
    return [{**head, "kind": "Pipeline"}, {**head, "kind": "PipelineVersion", "spec": spec}]


@pytest.mark.parametrize("name", WHOLE)
def test_in_manifests_it_becomes_the_same(name: str) -> None:
    documents = bare(COMPILED[name])
    workload, options = WHOLE[name][0]
    placed, report = compiled.place(documents, POOLS[workload], **options)
    in_manifests, same = compiled.place(manifests(documents), POOLS[workload], **options)
    assert (in_manifests, same) == (manifests(placed), report)
    again, _ = compiled.place(in_manifests, POOLS[workload], **options)
    assert again == in_manifests


def test_the_manifests_that_kfp_compiles_are_placed_as_its_tasks_are_in_python() -> None:
    in_python = compiling.made()
    POOLS["cpu"].place_pipeline(in_python)
    placed, _ = compiled.place(compiling.manifests(compiling.made()), POOLS["cpu"])
    assert placed == compiling.manifests(in_python)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ([{"kind": "Job"}], "there are more documents than of one; expected one compiled pipeline in a file"),
        (manifests([{}]), "there are more documents than of one; expected one compiled pipeline in a file"),
        ([], "spec.pipelineSpec, spec.platformSpec: a document is no map; expected a compiled pipeline"),
    ],
)
def test_manifests_of_more_or_less_than_a_pipeline_are_refused(more: list[Any], message: str) -> None:
    documents = manifests(bare(COMPILED["a1-prefer"]) if more else [])
    with pytest.raises(PlacementError) as error:
        compiled.place([*documents, *more], POOLS["cpu"])
    assert str(error.value) == message


def test_what_goes_in_stays_as_it_is() -> None:
    documents = bare(COMPILED["c5-nested"])
    before = deepcopy(documents)
    placed, _ = compiled.place(documents, POOLS["cpu"])
    assert documents == before != placed


def test_kfp_is_not_needed(tmp_path: Path) -> None:
    (tmp_path / "documents.json").write_text(json.dumps(bare(COMPILED["a1-prefer"])), encoding="utf-8")
    code = """
import json, sys
for name in ("kfp", "google", "kubernetes"):
    sys.modules[name] = None  # importing it fails
from ckf_spot import Pools
from ckf_spot.pipelines import compiled
_, report = compiled.place(json.load(open(sys.argv[1])), Pools.load(sys.argv[2])["cpu"])
print(report.rows[0].outcome)
"""
    arguments = [sys.executable, "-c", code, str(tmp_path / "documents.json"), str(compiling.DEMO)]
    ran = subprocess.run(arguments, capture_output=True, text=True, check=True, timeout=60)
    assert ran.stdout == "placed\n"


def sharing() -> list[Any]:
    """Two tasks, and two nested pipelines, of which both share all that they refer to."""

    def task(name: str) -> dict[str, Any]:
        return {"componentRef": {"name": name}}

    components = {
        "comp-work": {"executorLabel": "exec-work"},
        "comp-work-2": {"executorLabel": "exec-work"},
        "comp-inner": {"dag": {"tasks": {"work": task("comp-work")}}},
    }
    kinds = ("work", "work-2", "inner", "inner")
    tasks = {name: task(f"comp-{kind}") for name, kind in zip("abcd", kinds, strict=True)}
    settings = {"exec-work": {"nodeSelector": {"labels": {"disk": "fast"}}}}
    return [
        {
            "pipelineInfo": {"name": "sharing"},
            "components": components,
            "deploymentSpec": {"executors": {"exec-work": {"container": {"image": "i"}}}},
            "root": {"dag": {"tasks": tasks}},
        },
        {"platforms": {"kubernetes": {"deploymentSpec": {"executors": settings}}}},
    ]


def test_tasks_that_share_an_executor_are_placed_apart() -> None:
    (spec, platform), report = compiled.place(sharing(), POOLS["cpu"], except_=["a", "d"])
    assert [row.outcome for row in report.rows] == ["left alone", "placed", "placed", "left alone"]
    executors = platform["platforms"]["kubernetes"]["deploymentSpec"]["executors"]

    def placed(dag: dict[str, Any], name: str) -> bool:
        task = dag["tasks"][name]
        component = spec["components"][task["componentRef"]["name"]]
        if "dag" in component:
            return placed(component["dag"], "work")
        assert component["executorLabel"] in spec["deploymentSpec"]["executors"]
        settings = executors[component["executorLabel"]]
        assert settings["nodeSelector"]["labels"] == {"disk": "fast"}
        assert ("retryPolicy" in task) == ("nodeAffinity" in settings)
        return "nodeAffinity" in settings

    assert [placed(spec["root"]["dag"], name) for name in "abcd"] == [False, True, True, False]


def test_a_runtime_gpu_limit_and_an_accelerator_in_the_form_of_old_sdks() -> None:
    def asking(accelerator: dict[str, Any]) -> list[Any]:
        documents = sharing()[:1]
        container = documents[0]["deploymentSpec"]["executors"]["exec-work"]["container"]
        container["resources"] = {"accelerator": accelerator}
        return documents

    (spec, _), report = compiled.place(
        asking({"count": "1", "type": "nvidia.com/gpu"}), POOLS["gpu"], except_="b"
    )
    assert {row.note for row in report.rows} == {"5 retries, 1 GPU", "named in except_"}
    assert spec["deploymentSpec"]["executors"]["exec-work"]["container"]["resources"]["accelerator"] == {
        "count": "1", "resourceCount": "1", "resourceType": "nvidia.com/gpu", "type": "nvidia.com/gpu",
    }  # fmt: skip
    channel = {
        "resourceCount": "{{$.inputs.parameters['pipelinechannel--gpus']}}",
        "resourceType": "nvidia.com/gpu",
    }
    with pytest.raises(PlacementError, match="known at run time only"):
        compiled.place(asking(channel), POOLS["gpu"])


@pytest.mark.parametrize(
    "resources",
    [
        {"resourceMemoryRequest": "64G"},
        {"resourceMemoryLimit": "60Gi"},
        {"memoryLimit": 64.0},
        {"cpuRequest": 9.0},
        {"resourceCpuLimit": "9"},
    ],
)
def test_more_than_a_node_has_in_the_form_of_new_and_old_sdks(resources: dict[str, Any]) -> None:
    documents = bare(COMPILED["a1-prefer"])
    [executor] = documents[0]["deploymentSpec"]["executors"].values()
    executor["container"]["resources"] = resources
    group = Pools.sample()["cpu"]
    with pytest.raises(
        PlacementError, match=r"^task '.*': (memory|cpu): \S+ contradicts the pools cpuspot, cpuod"
    ):
        compiled.place(documents, group)
    executor["container"]["resources"] = {"cpuRequest": 2.0, "memoryLimit": 16.0, "resourceCpuLimit": "{{x}}"}
    _, report = compiled.place(documents, group)
    assert not report.doubts


def broken(change: Callable[[list[Any]], object]) -> str:
    """The error of a pipeline after a change."""
    documents = deepcopy(sharing())
    change(documents)
    with pytest.raises(PlacementError) as error:
        compiled.place(documents, POOLS["cpu"])
    return str(error.value).splitlines()[0]


def loop(documents: list[Any]) -> None:
    documents[0]["components"]["comp-inner"]["dag"]["tasks"]["work"]["componentRef"]["name"] = "comp-inner"


def deep(documents: list[Any]) -> None:
    for number in range(100):
        inner = {"tasks": {"t": {"componentRef": {"name": f"d{number + 1}"}}}}
        documents[0]["components"][f"d{number}"] = {"dag": inner}
    documents[0]["components"]["d100"] = {"executorLabel": "exec-work"}
    documents[0]["root"]["dag"]["tasks"]["a"]["componentRef"]["name"] = "d0"


def many(documents: list[Any]) -> None:
    for number in range(40):
        inner = {name: {"componentRef": {"name": f"d{number + 1}"}} for name in "ab"}
        documents[0]["components"][f"d{number}"] = {"dag": {"tasks": inner}}
    documents[0]["components"]["d40"] = {"dag": {"tasks": {}}}
    documents[0]["root"]["dag"]["tasks"]["a"]["componentRef"]["name"] = "d0"


BROKEN: list[tuple[Callable[[list[Any]], object], str]] = [
    (loop, "c/work: it is in itself, or too deep; expected at most 50 pipelines in each other"),
    (deep, f"a{'/t' * 50}: it is in itself, or too deep; expected at most 50 pipelines in each other"),
    (many, "there are too many tasks; expected at most 5000"),
    (
        lambda documents: documents.append({}),
        "there are more documents than of one; expected one compiled pipeline in a file",
    ),
    (
        lambda documents: documents[0].update(root=5),
        "root.dag.tasks: None is not allowed; expected a map of tasks",
    ),
    (lambda documents: documents[0].update(components=[]), "components: [] is not allowed; expected a map"),
    (
        lambda documents: documents[0].update(deploymentSpec=0),
        "deploymentSpec: 0 is not allowed; expected a map",
    ),
    (lambda documents: documents[1].update(platforms="k"), "platforms: 'k' is not allowed; expected a map"),
    (
        lambda documents: documents[0]["components"].pop("comp-work"),
        "task 'a'.componentRef.name: 'comp-work' is not allowed; expected the name of a component",
    ),
    (
        lambda documents: documents[0]["components"].update({"comp-work": {}}),
        "task 'a'.executorLabel: None is not allowed; expected the name of an executor",
    ),
    (
        lambda documents: documents[0]["components"]["comp-work"].update(taskConfigPassthroughs=[1]),
        "task 'a'.taskConfigPassthroughs: [1] is not allowed; expected a list of maps",
    ),
]


@pytest.mark.parametrize(("change", "message"), BROKEN)
def test_a_file_that_no_compiler_writes(change: Any, message: str) -> None:
    assert broken(change) == message


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"nodeAffinity": 5}, "task 'a'.nodeAffinity: 5 is not allowed; expected a list of maps"),
        ({"nodeAffinity": [{"weight": "x"}]}, "task 'a'.nodeAffinity.weight: 'x' is not allowed"),
        ({"nodeAffinity": [{"matchExpressions": 5}]}, "task 'a'.affinity.nodeAffinity.requiredDuringScheduling"),
        ({"nodeSelector": 5}, "task 'a'.nodeSelector: 5 is not allowed; expected a map"),
        ({"nodeSelector": {"labels": {"a": 1}}}, "task 'a'.nodeSelector: {'a': 1} is not allowed; expected a map of"),
        ({"tolerations": {}}, ""),
        ({"tolerations": "all"}, "task 'a'.tolerations: 'all' is not allowed; expected a list of maps"),
    ],
)  # fmt: skip
def test_settings_that_kubernetes_does_not_know(settings: Any, message: str) -> None:
    documents = sharing()
    documents[1]["platforms"]["kubernetes"]["deploymentSpec"]["executors"]["exec-work"] = settings
    if message:
        assert broken(lambda changed: changed.__setitem__(1, documents[1])).startswith(message)
    else:
        compiled.place(documents, POOLS["cpu"])


JUNK = st.sampled_from([None, 5, "x", [], {}, [1], {"a": 1}, True, 1.5, ["b"], [{}], {"name": 5}])


@settings(max_examples=60)
@given(st.data())
def test_whatever_is_in_a_file_is_placed_or_reported(data: st.DataObject) -> None:
    documents = deepcopy(COMPILED[data.draw(st.sampled_from(sorted(COMPILED)))])
    for _ in range(data.draw(st.integers(1, 3))):
        where: Any = documents
        while True:
            keys = list(where) if isinstance(where, dict) else list(range(len(where)))
            key = data.draw(st.sampled_from(keys))
            if not (isinstance(where[key], dict | list) and where[key]) or data.draw(st.integers(0, 4)) == 0:
                break
            where = where[key]
        where[key] = deepcopy(data.draw(JUNK))
    with suppress(PlacementError):
        compiled.place(manifests(documents) if data.draw(st.booleans()) else documents, POOLS["cpu"])
