"""Argo: each step goes to the pools and is tried again; what handles the end of a workflow stays."""

from typing import Any

import pytest
from samples import GPU, OFF_SPOT, POOL, SPOT, WORKLOAD, Json, container, example, expressions, place

from ckf_spot import EvictionWarning, PlacementError, Pools
from ckf_spot.kinds import placing
from ckf_spot.kinds.kind import PlacingRequest

pytestmark = pytest.mark.filterwarnings("error::ckf_spot.errors.EvictionWarning")

RETRY: Json = {"limit": "5", "retryPolicy": "Always", "backoff": {"duration": "5m", "factor": "1"}}
PATH = "spec.templates[0]"
TEAM: Json = {"key": "team", "operator": "Exists"}


def step(name: str = "a", **more: Any) -> Json:
    return {"name": name, "container": {"image": "i"}, **more}


def calling(name: str, *steps: Json | str, **more: Any) -> Json:
    rows = [
        [called if isinstance(called, dict) else {"name": called, "template": called}] for called in steps
    ]
    return {"name": name, "steps": rows, **more}


def workflow(*templates: Json, **spec: Any) -> Json:
    made = {"templates": list(templates or [step()]), **spec}
    return {"apiVersion": "argoproj.io/v1alpha1", "kind": "Workflow", "spec": made}


def placed(pools: Pools, document: Json, workload: str = "cpu", **request: Any) -> list[Json]:
    return place(document, pools[workload], **request)["spec"]["templates"]


def moved(templates: list[Json]) -> list[str]:
    return [template["name"] for template in templates if "affinity" in template]


def test_the_steps_go_and_the_exit_handler_stays(pools: Pools) -> None:
    templates = placed(pools, example("workflow"))
    assert moved(templates) == ["prepare", "train"]
    assert [template["name"] for template in templates if "metadata" in template][2:] == ["report"]
    before = {template["name"]: template for template in example("workflow")["spec"]["templates"]}
    for template in templates:
        new = (
            {"affinity", "tolerations", "metadata", "retryStrategy"}
            if template["name"] in {"prepare", "train"}
            else {"metadata"} & template.keys()
        )
        assert template.keys() - before[template["name"]].keys() == new


@pytest.mark.parametrize(
    ("kind", "path"),
    [("CronWorkflow", "workflowSpec"), ("WorkflowTemplate", None), ("ClusterWorkflowTemplate", None)],
)
def test_the_other_kinds_are_placed_as_workflows(pools: Pools, kind: str, path: str | None) -> None:
    spec = example("workflow")["spec"]
    document = example("workflow") | {
        "kind": kind,
        "spec": {"schedule": "@daily", path: spec} if path else spec,
    }
    placed_spec = place(document, pools["cpu"])["spec"]
    assert (placed_spec[path] if path else placed_spec) == place(example("workflow"), pools["cpu"])["spec"]


@pytest.mark.parametrize(
    "made",
    [
        {"container": {"image": "i"}},
        {"script": {"image": "i", "source": "print()"}},
        {"containerSet": {"containers": [container("x"), {**container("y"), "dependencies": ["x"]}]}},
        {"data": {"source": {"artifactPaths": {"name": "a"}}, "transformation": [{"expression": "data"}]}},
    ],
)
def test_each_template_that_makes_a_pod_is_placed_and_tried_again(pools: Pools, made: Json) -> None:
    [template] = placed(pools, workflow({"name": "a", **made}))
    assert expressions(template) == [[{"key": WORKLOAD, "operator": "In", "values": ["cpu"]}]]
    assert template["retryStrategy"] == RETRY
    assert template["metadata"]["annotations"] == {"cluster-autoscaler.kubernetes.io/safe-to-evict": "false"}


def test_steps_written_inline_are_placed(pools: Pools) -> None:
    inline = {"name": "x", "inline": {"container": {"image": "i"}}}
    dag = {"name": "d", "dag": {"tasks": [inline]}}
    steps, tasks = placed(pools, workflow(calling("s", inline), dag))
    assert steps["steps"][0][0]["inline"]["affinity"]
    assert tasks["dag"]["tasks"][0]["inline"]["retryStrategy"] == RETRY


@pytest.mark.parametrize("kind", ["resource", "http", "suspend"])
def test_templates_without_a_pod_or_that_make_objects_stay(pools: Pools, kind: str) -> None:
    other = {"name": "b", kind: {}}
    assert placed(pools, workflow(step(), other))[1] == other
    with pytest.raises(PlacementError, match=r"^spec.templates: none of them makes a pod that may vanish"):
        place(workflow(other), pools["cpu"])


@pytest.mark.parametrize("kind", ["SparkApplication", "'PyTorchJob'", "Job"])
def test_work_that_a_step_makes_from_a_manifest_is_not_placed_in_silence(pools: Pools, kind: str) -> None:
    manifest = f"apiVersion: x/v1\nkind: {kind}\nmetadata:\n  name: {{{{workflow.name}}}}\n"
    makes = {"name": "b", "resource": {"action": "create", "manifest": manifest}}
    problem = rf"work made from the manifests of b \({kind.strip(chr(39))}\) is not placed"
    with pytest.warns(EvictionWarning, match=problem):
        assert placed(pools, workflow(step(), makes))[1] == makes
    with pytest.raises(PlacementError, match=rf"^spec.templates: {problem}; place each manifest in a file"):
        place(workflow(makes), pools["cpu"])
    other = {"name": "b", "resource": {"action": "create", "manifest": "kind: ConfigMap\n"}}
    placed(pools, workflow(step(), other))


@pytest.mark.parametrize(
    ("templates", "spec", "moves"),
    [
        ([step("a"), step("e")], {"onExit": "e"}, ["a"]),
        ([step("a"), step("e")], {"entrypoint": "a", "hooks": {"exit": {"template": "e"}}}, ["a"]),
        ([step("a"), calling("e", "f"), step("f")], {"entrypoint": "a", "onExit": "e"}, ["a"]),
        ([step("a"), calling("e", "a"), calling("m", "a")], {"entrypoint": "m", "onExit": "e"}, ["a"]),
        ([calling("m", {"name": "x", "template": "a", "onExit": "e"}), step("a"), step("e")], {}, ["a"]),
        ([step("a"), step("s", daemon=True)], {}, ["a"]),
        ([step("a"), calling("a", "a")], {"onExit": "b"}, ["a"]),
    ],
)  # fmt: skip
def test_what_only_handles_the_end_or_serves_the_others_stays(
    pools: Pools, templates: list[Json], spec: Json, moves: list[str]
) -> None:
    assert moved(placed(pools, workflow(*templates, **spec))) == moves


def test_what_stays_may_be_named_to_go_too(pools: Pools) -> None:
    document = workflow(step("a"), step("e"), onExit="e")
    assert moved(placed(pools, document, also=("e",))) == ["a", "e"]
    with pytest.raises(PlacementError, match=r"^also: 'x' is not allowed; expected a, e$"):
        place(document, pools["cpu"], also=("x",))


def test_steps_with_and_without_gpus_are_placed_one_pool_after_the_other(pools: Pools) -> None:
    train = {"name": "train", "container": container(gpus=1)}
    with pytest.warns(EvictionWarning, match="prepare asks for no nvidia.com/gpu"):
        once = place(workflow(step("prepare"), train), pools["gpu"])
    assert moved(once["spec"]["templates"]) == ["train"]
    with pytest.warns(EvictionWarning, match="train asks for nvidia.com/gpu: 1, and these pools have none"):
        twice = placed(pools, once)
    assert twice[1] == once["spec"]["templates"][1]
    assert twice[0]["retryStrategy"] == RETRY


def test_gpus_of_a_patch_are_seen(pools: Pools) -> None:
    patch = f'{{"containers": [{{"name": "main", "resources": {{"limits": {{"{GPU}": 1}}}}}}]}}'
    assert placed(pools, workflow(step(podSpecPatch=patch)), "gpu")[0]["affinity"]


def test_an_exit_handler_with_a_gpu_goes_to_nodes_that_stay(pools: Pools) -> None:
    gpu = {"container": container(gpus=1)}
    templates = placed(pools, workflow({"name": "a", **gpu}, {"name": "e", **gpu}, onExit="e"), "gpu")
    assert OFF_SPOT in expressions(templates[1])[0]


@pytest.mark.parametrize("where", ["tolerations", "templateDefaults"])
def test_what_a_step_would_take_from_the_workflow_is_kept(pools: Pools, where: str) -> None:
    spec: Json = {"tolerations": [TEAM]}
    document = workflow(**(spec if where == "tolerations" else {"templateDefaults": spec}))
    [template] = placed(pools, document)
    assert TEAM in template["tolerations"]
    assert SPOT in [toleration["key"] for toleration in template["tolerations"]]


def test_a_steps_own_tolerations_hide_the_workflows(pools: Pools) -> None:
    [template] = placed(pools, workflow(step(tolerations=[{"key": "b"}]), tolerations=[TEAM]))
    assert TEAM not in template["tolerations"]


def test_what_is_written_of_the_autoscaler_for_all_pods_stays(pools: Pools) -> None:
    metadata = {"annotations": {"cluster-autoscaler.kubernetes.io/safe-to-evict": "true"}}
    assert placed(pools, workflow(podMetadata=metadata))[0]["metadata"] == metadata


@pytest.mark.parametrize(
    "where",
    [
        {"nodeSelector": {POOL: "general"}},
        {"templateDefaults": {"nodeSelector": {POOL: "general"}}},
        {"podSpecPatch": f"nodeSelector: {{{POOL}: general}}"},
    ],
)
def test_a_choice_of_nodes_for_the_whole_workflow_is_held_against_each_step(
    pools: Pools, where: Json
) -> None:
    with pytest.raises(
        PlacementError,
        match=rf"^{PATH}.nodeSelector.*'general' contradicts the pools".replace("[0]", r"\[0]"),
    ):
        place(workflow(**where), pools["cpu"])


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (workflow(step(nodeSelector={POOL: "general"})), f"{PATH}.nodeSelector: kubernetes.azure.com/agentpool: 'gen"),
        (workflow(step(affinity=[])), None),
        (workflow(step(affinity=[1])), f"{PATH}.affinity: [1] is not allowed; expected a map"),
        (workflow(step(toleration=[])), f"{PATH}.toleration: unknown field; did you mean 'tolerations'?"),
        (workflow({"name": "a", "container": {"imag": "i"}}), f"{PATH}.container.imag: unknown field; did you mean"),
        (workflow({"name": "a", "script": {"tty": 1}}), f"{PATH}.script.tty: 1 is not allowed"),
        (workflow(step(sidecars=[{"name": "s", "imag": 1}])), f"{PATH}.sidecars[0].imag: unknown field"),
        (workflow({"name": "a", "container": container(gpus=2)}), "nothing fits 'cpu': a asks for nvidia.com/gpu: 2"),
        (workflow(calling("s", "a", nodeSelector={"a": "b"}), step()), f"{PATH}.nodeSelector: {{'a': 'b'}} of a tem"),
        (workflow(step(podSpecPatch="tolerations: []")), f"{PATH}.podSpecPatch: its tolerations undoes the placement"),
        (workflow(podSpecPatch="{{= x}} nodeName"), "spec.podSpecPatch: its nodeName undoes the placement"),
        (workflow(template=[]), "spec.template: unknown field; did you mean 'templates'?"),
        (workflow(templates=[]), "spec.templates: [] is not allowed; expected a list of maps"),
        (workflow(step(retryStrategy=3)), f"{PATH}.retryStrategy: 3 is no map; expected a map"),
        (workflow(templates=None, workflowTemplateRef={"name": "w"}), "spec.workflowTemplateRef: its templates are"),
        (workflow() | {"metadata": {"annotations": {"pipelines.kubeflow.org/x": ""}}}, "kind: 'Workflow' is what"),
        (workflow() | {"metadata": {"annotations": {"pipelines.kubeflow.org/kfp_sdk_version": "1.8.22"}}},
         "kind: 'Workflow' is what kfp 1.8.22 compiled, and pipelines of kfp v1 can't be placed; port "),
        (workflow() | {"kind": "CronWorkflow"}, "spec.templates: unknown field; a workflow's fields belong under"),
    ],
)  # fmt: skip
def test_error_names_the_field(pools: Pools, document: Json, message: str | None) -> None:
    if message is None:
        assert place(document, pools["cpu"]), "as good as nothing"
        return
    with pytest.raises(PlacementError) as error:
        place(document, pools["cpu"])
    assert str(error.value).startswith(message)


@pytest.mark.parametrize(
    ("retries", "why"),
    [
        ({"limit": 3}, "the policy OnFailure"),
        ({}, "the policy OnFailure"),
        ({"limit": 3, "retryPolicy": "OnError"}, "the policy OnError"),
        ({"limit": 0, "retryPolicy": "Always"}, "limit 0"),
        ({"limit": 3, "retryPolicy": "Always"}, None),
        ({"expression": "true"}, None),
    ],
)
@pytest.mark.parametrize("where", ["template", "workflow", "defaults"])
def test_own_retries_stay_and_those_that_no_eviction_is_for_are_reported(
    pools: Pools, where: str, retries: Json, why: str | None
) -> None:
    around = {
        "workflow": {"retryStrategy": retries},
        "defaults": {"templateDefaults": {"retryStrategy": retries}},
    }
    document = workflow(step(retryStrategy=retries)) if where == "template" else workflow(**around[where])
    if why:
        with pytest.warns(
            EvictionWarning, match=rf"a is lost with its node: its retryStrategy has {why}; set retryP"
        ):
            [template] = placed(pools, document)
    else:
        [template] = placed(pools, document)
    assert template.get("retryStrategy") == (retries if where == "template" else None)


VANISHES = "is not tried again when its pod vanishes with its node: the expression of its retryStrategy is false then"
UNJUDGED = "retryStrategy.expression was not judged; an eviction loses the step unless it is true for lastRetry.status"
WINDOW = "retryStrategy.backoff.maxDuration: "


@pytest.mark.parametrize(
    ("retries", "line"),
    [
        ({"expression": "lastRetry.exitCode == '143'"}, f"a {VANISHES} (lastRetry.status 'Error', lastRetry.exitCode"),
        ({"expression": "lastRetry.status == 'Error'"}, "a is not tried again when its pod is drained: the expression"),
        ({"expression": "asInt(retries) < 3"}, f"a: {UNJUDGED} 'Error' with lastRetry.exitCode '-1' and 'Failed' with"),
        ({"expression": "asInt(lastRetry.exitCode) != 2", "limit": 3}, None),
        ({"backoff": {"duration": "5m", "maxDuration": "20m"}}, f"a: {WINDOW}'20m' is over before the last of 5 retri"),
        ({"backoff": {"duration": "5m", "factor": 2, "maxDuration": "2h"}}, "after waits of 155m in all, and Arg"),
        ({"backoff": {"duration": "1m", "maxDuration": "1h"}}, f"a: {WINDOW}'1h' after its first attempt began noth"),
        ({"backoff": {"duration": 1, "maxDuration": "{{inputs.parameters.a}}"}}, "parameters.a}}' was not judged"),
        ({"backoff": {"duration": "5m", "maxDuration": "7d"}}, None),
        ({"backoff": {"maxDuration": "7d"}}, "a: retryStrategy.backoff.duration is missing, and Argo ends the"),
        ({"backoff": {"duration": "5m", "factor": "1.5"}}, "a: retryStrategy.backoff.factor: 1.5 is no whole number"),
    ],
)  # fmt: skip
def test_what_ends_a_steps_own_retries_after_an_eviction_is_reported(
    pools: Pools, retries: Json, line: str | None
) -> None:
    document = workflow(step(retryStrategy={"limit": 5, "retryPolicy": "Always", **retries}))
    doubts = placing.place(document, pools["cpu"], PlacingRequest()).doubts
    assert [str(line) in doubt for doubt in doubts] == ([True] if line else [])


def test_on_demand_needs_no_retries(pools: Pools) -> None:
    assert "retryStrategy" not in placed(pools, workflow(), require="on-demand")[0]


def test_templates_out_of_reach_are_reported(pools: Pools) -> None:
    away = {"name": "x", "templateRef": {"name": "other", "template": "t"}}
    with pytest.warns(
        EvictionWarning, match="the templates of other are out of reach: place them where they are"
    ):
        place(workflow(step(), calling("s", away)), pools["cpu"])


def test_placing_twice_is_placing_once(pools: Pools) -> None:
    once = place(example("workflow"), pools["cpu"])
    assert place(once, pools["cpu"]) == once
