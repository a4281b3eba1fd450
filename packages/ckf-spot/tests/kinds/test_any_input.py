"""Whatever stands in a document: it is placed, or refused with lines; nothing else happens."""

import copy
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from samples import PREFERRED, REQUIRED, example

from ckf_spot import PlacementError, Pools
from ckf_spot.kinds import manifests
from ckf_spot.kinds.kind import PlacingRequest
from ckf_spot.kinds.manifests import File
from ckf_spot.kinds.trainer import MANAGER
from ckf_spot.pods import strict_schema
from ckf_spot.pods.template import SAFE_TO_EVICT

POOLS = Pools.sample()
OPERATORS = (
    "cronjob",
    "jobset",
    "rayjob",
    "sparkapplication",
    "sparkapplication template",
    "workflow",
    "executor",
)
TRAINJOBS = ("trainjob 2.0", "trainjob 2.1", "trainjob 2.2", "trainjob 2.2 placed")
EXAMPLES = {
    **dict.fromkeys(("job", "tfjob", "experiment"), "cpu"),
    "pytorchjob": "gpu",
    **dict.fromkeys(OPERATORS, "cpu"),
    **dict.fromkeys(TRAINJOBS, "gpu"),
}
ANYTHING = st.sampled_from(
    [None, 0, -1, True, "x", "", [], [1], [{}], [None], {}, {"x": 1}, {1: 2}, {"x": [None]}]
)
ZONE = {"key": "agentpool", "operator": "In", "values": ["cpuspot", "cpuod", "gpuspot", "gpuod"]}
MERGED = {
    "affinity": {
        "nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [{"matchExpressions": [ZONE]}]}, PREFERRED: []}
    },
    "tolerations": [{"key": "a", "operator": "Exists"}],
    "nodeSelector": {"a": "b"},
    "terminationGracePeriodSeconds": 30,
}
"""What a placement is merged with."""
OF_A_STEP = {key: value for key, value in MERGED.items() if key != "terminationGracePeriodSeconds"} | {
    "retryStrategy": {"limit": 1, "retryPolicy": "Always"},
    "podSpecPatch": "containers: [{name: main, resources: {limits: {cpu: 1}}}]",
}
"""The same in a template of Argo's."""


def request(name: str) -> PlacingRequest:
    api = name.split(" ")[1] if name.startswith("trainjob") else None
    return PlacingRequest(trainer_api=api, pod_template=name == "executor")


def paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(below for key, inner in items for below in paths(inner, (*path, key)))][:400]


def full(name: str) -> Any:
    """An example in which everything is there that a placement is merged with."""
    document = example(name.partition(" ")[0])
    for path in paths(document):
        part = document
        for key in path:
            part = part[key]
        if isinstance(part, dict) and "containers" in part:
            part |= copy.deepcopy(MERGED)
    if name == "job":
        rule = {"action": "Count", "onPodConditions": [{"type": "x"}]}
        document["spec"]["podFailurePolicy"] = {"rules": [rule]}
    if name.startswith("sparkapplication"):
        executor = document["spec"]["executor"]
        more = {**copy.deepcopy(MERGED), "annotations": {"a": "b"}}
        executor |= {"template": {"spec": copy.deepcopy(MERGED)}} if "template" in name else more
        executor["gpu"] = {"name": "nvidia.com/gpu", "quantity": 0}
        document["spec"]["nodeSelector"] = {"a": "b"}
    if name == "workflow":
        spec = document["spec"]
        spec |= {
            "templateDefaults": copy.deepcopy(OF_A_STEP),
            "podMetadata": {"annotations": {SAFE_TO_EVICT: "true"}},
        }
        spec |= {**copy.deepcopy(OF_A_STEP), "hooks": {"exit": {"template": "tell"}}}
        spec["templates"][1] |= {
            **copy.deepcopy(OF_A_STEP),
            "sidecars": [{"name": "s"}],
            "metadata": {"annotations": {}},
        }
        inline = {"name": "x", "inline": {"containerSet": {"containers": [{"name": "c"}]}}}
        spec["templates"].append(
            {"name": "s", "steps": [[inline, {"name": "y", "onExit": "tell", "templateRef": {"name": "z"}}]]}
        )
    if name.startswith("trainjob"):
        document["spec"] |= overrides(name.removeprefix("trainjob "))
    return document


def overrides(release: str) -> Any:
    """A TrainJob's overrides of the pods that are to be placed."""
    pod = copy.deepcopy(MERGED)
    if release == "2.0":
        del pod["affinity"]
        return {"podSpecOverrides": [{"targetJobs": [{"name": "node"}], **pod}]}
    template = {"metadata": {"annotations": {"a": "b"}}, "spec": pod}
    if release == "2.1":
        return {"podTemplateOverrides": [{"targetJobs": [{"name": "node"}], **template}]}
    if release == "2.2":
        template = {"spec": {"nodeSelector": {"a": "b"}}}
    job = {"name": "node", "template": {"spec": {"template": template}}}
    manager = "m" if release == "2.2" else MANAGER
    return {
        "runtimePatches": [
            {"manager": manager, "trainingRuntimeSpec": {"template": {"spec": {"replicatedJobs": [job]}}}}
        ]
    }


@pytest.mark.parametrize("name", EXAMPLES)
def test_without_a_hole_each_is_placed(name: str) -> None:
    assert manifests.place([File("f", [full(name)])], POOLS[EXAMPLES[name]], request(name))


@pytest.mark.parametrize("checked", [True, False], ids=["schema", "no schema"])
@pytest.mark.parametrize("name", EXAMPLES)
@settings(
    max_examples=150,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_a_document_with_a_hole_is_placed_or_refused(
    monkeypatch: pytest.MonkeyPatch, name: str, *, checked: bool, data: st.DataObject
) -> None:
    monkeypatch.setattr(strict_schema, "available", lambda: checked)
    document = full(name)
    *path, last = data.draw(st.sampled_from(paths(document)[1:]))
    part: Any = document
    for key in path:
        part = part[key]
    part[last] = data.draw(ANYTHING)
    lines: list[str] = []
    try:
        manifests.place([File("f", [document])], POOLS[EXAMPLES[name]], request(name))
    except PlacementError as error:
        lines = str(error).splitlines()
    assert [line for line in lines if not line.startswith("f: ")] == []
