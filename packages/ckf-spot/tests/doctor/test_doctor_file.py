"""What `ckf-spot doctor -f` says of a file: whether its pods find a pool, and what placing would change."""

from __future__ import annotations

import copy
import io
import shlex
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import pytest
from ready_cluster import CONTRACT, QUOTAS, TEAM, Api, Doctor, Report, quota

from ckf_spot import Pools, cli, yaml_text
from ckf_spot.doctor import file, namespace
from ckf_spot.doctor.reader import Reader
from ckf_spot.doctor.work import work
from ckf_spot.kinds import placing
from ckf_spot.kinds.kind import PlacingRequest
from ckf_spot.pipelines import compiled

JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {name: train}
spec:
  template:
    spec:
      containers:
        - name: main
          image: i
"""
WHERE = "Job/train: spec.template.spec"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
TERMS = "[{matchExpressions: [{key: agentpool}]}]"
SPOT = '{"key": "kubernetes.azure.com/scalesetpriority", "operator": "Exists"}'
FULL: Any = {
    "apiVersion": "batch/v1",
    "kind": "Job",
    "metadata": {"name": "train", "namespace": "team-a"},
    "spec": {
        "parallelism": 2,
        "completions": 3,
        "template": {
            "spec": {
                "tolerations": [{"key": "a", "operator": "Exists"}],
                "nodeSelector": {"a": "b"},
                "affinity": {
                    "nodeAffinity": {
                        REQUIRED: {
                            "nodeSelectorTerms": [
                                {
                                    "matchExpressions": [
                                        {"key": "agentpool", "operator": "In", "values": ["a"]}
                                    ]
                                }
                            ]
                        }
                    }
                },
                "initContainers": [{"name": "i", "resources": {"limits": {"cpu": "1"}}}],
                "containers": [
                    {"name": "m", "resources": {"requests": {"cpu": "1"}, "limits": {"nvidia.com/gpu": 1}}}
                ],
            }
        },
    },
}

PIPELINE: Any = {
    "pipelineInfo": {"name": "training"},
    "root": {"dag": {"tasks": {"train": {"componentRef": {"name": "comp"}, "taskInfo": {"name": "train"}}}}},
    "components": {"comp": {"executorLabel": "exec"}},
    "deploymentSpec": {"executors": {"exec": {"container": {"image": "python", "command": ["true"]}}}},
    "schemaVersion": "2.1.0",
    "sdkVersion": "kfp-2.17.0",
}
"""As the compiler of Kubeflow Pipelines writes one."""


@pytest.fixture(autouse=True)
def cluster(api: Api) -> Api:
    """One that is ready."""
    return api


def write(text: str, name: str = "job.yaml") -> str:
    Path(name).write_text(text, encoding="utf-8")
    return name


def spec(text: str) -> str:
    """The Job with more in its pods' spec."""
    return JOB.replace("    spec:\n      containers", f"    spec:\n{text}      containers")


def test_a_file_that_is_not_placed_gets_what_placing_would_set(doctor: Doctor) -> None:
    report = doctor("-f", write(JOB), "--pool", "cpu")
    assert report.code == 1
    assert report[WHERE] == f"✔ {WHERE}: can run on general"
    line = report["Job/train on cpu"]
    assert line.startswith("✘ Job/train on cpu: placed differently: placing would set spec.template.")
    assert "spec.template.spec.tolerations" in line
    assert line.endswith("; ckf-spot place -f job.yaml --pool cpu")


@pytest.mark.parametrize("placing", [[], ["--require", "spot"], ["--require", "on-demand"]])
def test_a_placed_file_is_right_for_that_wish_alone(doctor: Doctor, placing: list[str]) -> None:
    placed = ["place", "-f", write(JOB), "--pool", "cpu", *placing, "-o", "placed.yaml"]
    assert cli.main(placed) == 0
    report = doctor("-f", "placed.yaml", "--pool", "cpu", *placing)
    assert report.code == 0
    assert report["placed.yaml on cpu"] == "✔ placed.yaml on cpu: placed already"
    other = ["--require", "on-demand"] if placing != ["--require", "on-demand"] else []
    assert doctor("-f", "placed.yaml", "--pool", "cpu", *other).code == 1


def test_a_role_that_is_kept_on_demand_is_compared_as_such(doctor: Doctor) -> None:
    example = Path(__file__).parents[2] / "examples/operators/rayjob-floor.yaml"
    placing = ["--pool", "cpu", "--on-demand", "floor"]
    assert cli.main(["place", "-f", str(example), *placing, "-o", "placed.yaml"]) == 0
    assert doctor("-f", "placed.yaml", *placing).code == 0
    assert doctor("-f", "placed.yaml", "--pool", "cpu").code == 1


EXAMPLES = Path(__file__).parents[2] / "examples"
RAY_JOB = (EXAMPLES / "operators/rayjob-floor.yaml").read_text(encoding="utf-8")
EXECUTOR = (EXAMPLES / "operators/executor.yaml").read_text(encoding="utf-8")
TRAIN_JOB = (EXAMPLES / "training/trainjob.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (JOB, ["--pool", "cpu", "--require", "spot"]),
        (JOB, ["--pool", "cpu", "--require", "on-demand", "--pools", str(CONTRACT)]),
        (RAY_JOB, ["--pool", "cpu", "--on-demand", "floor"]),
        (RAY_JOB, ["--pool", "cpu", "--also", "head", "--on-demand", "floor"]),
        (TRAIN_JOB, ["--pool", "gpu", "--trainer-api", "2.2"]),
        (EXECUTOR, ["--pool", "cpu", "--pod-template"]),
        (yaml_text.dump([PIPELINE]), ["--pool", "cpu", "--require", "spot", "--backend", "2.15"]),
        (yaml_text.dump([PIPELINE]), ["--pool", "cpu", "--backend", "2.14"]),
    ],
)
def test_the_command_that_is_advised_gives_what_the_file_was_compared_with(
    doctor: Doctor, text: str, options: list[str]
) -> None:
    written = write(text, "the work.yaml")
    assert advised(doctor("-f", written, *options)) == {
        f"ckf-spot place -f 'the work.yaml' {' '.join(options)}"
    }
    place_as_advised(doctor("-f", written, *options), written)
    what = f"{written} on {options[1]}"
    assert doctor("-f", written, *options)[what] == f"✔ {what}: placed already"


def test_the_command_that_is_advised_names_roles_for_the_files_that_have_roles(doctor: Doctor) -> None:
    options = ["--pool", "cpu", "--on-demand", "floor", "--trainer-api", "2.2"]
    names = [write(JOB), write(RAY_JOB, "ray.yaml"), write(yaml_text.dump([PIPELINE]), "p.yaml")]
    named = [part for name in names for part in ("-f", name)]
    findings = doctor(*named, *options)
    assert advised(findings) == {
        "ckf-spot place -f job.yaml --pool cpu --trainer-api 2.2",
        "ckf-spot place -f ray.yaml --pool cpu --on-demand floor --trainer-api 2.2",
        "ckf-spot place -f p.yaml --pool cpu --backend 2.15",
    }
    for name in names:
        place_as_advised(findings, name)
    assert doctor(*named, *options).code == 0


def test_the_command_that_is_advised_reads_standard_input(
    doctor: Doctor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(JOB.encode())))
    assert advised(doctor("-f", "-", "--pool", "cpu")) == {"ckf-spot place -f - --pool cpu"}


def advised(findings: Report) -> set[str]:
    """The commands in the lines."""
    return {line.rpartition("; ")[2] for line in findings.lines if "placed differently" in line}


def place_as_advised(findings: Report, name: str) -> None:
    """Runs what is advised for a file; the result takes its place."""
    [arguments] = [command for command in map(shlex.split, advised(findings)) if name in command]
    assert cli.main([*arguments[1:], "-o", name]) == 0


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"      tolerations: [{SPOT}]\n", "✔ {}: can run on general, cpuspot"),
        ("      nodeSelector: {agentpool: cpuspot}\n", "✘ {}: no pool takes it: general: the pod requires agentpool"),
        ("      nodeSelector: {agentpool: other}\n", "✘ {}: no pool takes it: general: the pod requires agentpool=o"),
        ("      nodeSelector: [a]\n", "✘ {}: spec.template.spec.nodeSelector: ['a'] is not "),
        (f"      affinity: {{nodeAffinity: {{{REQUIRED}: {{nodeSelectorTerms: {TERMS}}}}}}}\n", "✘ {}: no pool "),
        ("      initContainers: [1]\n", "✘ {}: spec.template.spec.initContainers: [1] is not allowed"),
    ],
)  # fmt: skip
def test_whether_the_pods_find_a_pool_is_reported(doctor: Doctor, text: str, line: str) -> None:
    report = doctor("-f", write(spec(text)))
    assert report[WHERE].startswith(line.format(WHERE))
    assert report.code == (1 if line.startswith("✘") else 0)


def test_more_gpus_than_any_node_has_are_reported(doctor: Doctor) -> None:
    text = JOB + "          resources: {limits: {nvidia.com/gpu: 8}}\n"
    report = doctor("-f", write(text), "--pool", "gpu")
    assert "gpuod: the pod does not tolerate kubeflow-aks/fallback" in report[WHERE]
    assert report["can't be placed"].endswith(
        "asks for nvidia.com/gpu: 8, and a node of gpuspot, gpuod has 1; expected 1"
    )


def test_a_gpu_pod_need_not_tolerate_the_taint_that_aks_lets_it_tolerate(doctor: Doctor) -> None:
    text = spec(f"      tolerations: [{SPOT}]\n") + "          resources: {limits: {nvidia.com/gpu: 1}}\n"
    assert doctor("-f", write(text))[WHERE] == f"✔ {WHERE}: can run on gpuspot"


def test_every_pod_of_every_kind_is_looked_at(doctor: Doctor) -> None:
    report = doctor(
        "-f",
        write(
            f"{JOB}---\napiVersion: v1\nkind: List\nitems:\n  - {JOB.replace(chr(10), chr(10) + '    ')}\n"
            "---\napiVersion: ray.io/v1\nkind: RayCluster\nmetadata: {name: ray}\nspec:\n  workerGroupSpecs:\n"
            "    - replicas: 3\n      template: {spec: {containers: [{name: w}]}}\n"
            "---\nkind: ConfigMap\nmetadata: {name: c}\n"
        ),
    )
    assert [line for line in report.lines if "can run on" in line] == [
        f"✔ {WHERE}: can run on general",
        f"✔ {WHERE}: can run on general",
        "✔ RayCluster/ray: spec.workerGroupSpecs[0].template.spec: can run on general",
    ]


def test_a_file_without_pods_is_not_reported_as_right(doctor: Doctor) -> None:
    report = doctor("-f", write("kind: ConfigMap\nmetadata: {name: c}"))
    assert report["job.yaml"] == (
        "? job.yaml: not checked, because no pod's template is in it; --pool NAME looks at tasks and trials"
    )


def test_what_place_would_note_is_reported_and_is_no_mistake(doctor: Doctor) -> None:
    beside = f"{JOB}---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web}}\n"
    cli.main(["place", "-f", write(beside), "--pool", "cpu", "-o", "placed.yaml"])
    report = doctor("-f", "placed.yaml", "--pool", "cpu")
    assert report.code == 0
    assert report["note"].startswith("! note: placed.yaml: Deployment/web: left as it is: it holds state")


@pytest.mark.parametrize(
    ("noted", "line"),
    [
        ({"scheduler.alpha.kubernetes.io/node-selector": "agentpool=cpuspot"},
         "✘ {}: no pool takes it: general: the pod requires agentpool=cpuspot; "),
        ({"scheduler.alpha.kubernetes.io/defaultTolerations": f"[{SPOT}]"}, "✔ {}: can run on general, cpuspot"),
        ({"scheduler.alpha.kubernetes.io/defaultTolerations": "spot"},
         "✘ {}: annotation scheduler.alpha.kubernetes.io/defaultTolerations is no list of tolerations"),
    ],
)  # fmt: skip
def test_what_the_namespace_adds_to_pods_counts(
    doctor: Doctor, cluster: Api, noted: dict[str, str], line: str
) -> None:
    cluster.objects[TEAM] = {"metadata": {"name": "team-a", "annotations": noted}}
    assert doctor("-f", write(JOB))[WHERE].startswith(line.format(WHERE))


def test_a_node_selector_against_that_of_the_namespace_is_reported(doctor: Doctor, cluster: Api) -> None:
    noted = {"scheduler.alpha.kubernetes.io/node-selector": "agentpool=general"}
    cluster.objects[TEAM] = {"metadata": {"name": "team-a", "annotations": noted}}
    assert doctor("-f", write(spec("      nodeSelector: {agentpool: general}\n")))[WHERE].startswith("✔")
    report = doctor("-f", write(spec("      nodeSelector: {agentpool: cpuspot}\n")))
    assert report[WHERE].startswith(
        f"✘ {WHERE}: the pod is refused: its nodeSelector contradicts the namespace's"
    )


def test_without_a_cluster_the_file_is_looked_at_by_the_contract(
    doctor: Doctor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBECONFIG", "/nowhere")
    report = doctor("-f", write(JOB), "--pool", "cpu", "--pools", str(CONTRACT))
    assert report.code == 1
    assert report["cluster"].startswith("? cluster: not checked, because ")
    assert report[WHERE].startswith("✔")
    assert report["Job/train on cpu"].startswith("✘")
    guarded = JOB.replace("name: train", "name: train, namespace: kubeflow")
    report = doctor("-f", write(guarded), "--pools", str(CONTRACT))
    assert report["namespace kubeflow"].startswith("✘ namespace kubeflow: the cluster's guard refuses pods")


@pytest.mark.parametrize("name", ["kubeflow", "controller-foobar"])
def test_without_a_cluster_placed_work_in_a_namespace_of_the_platform_is_wrong(
    doctor: Doctor, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("KUBECONFIG", "/nowhere")
    tolerant = f"tolerations: [{SPOT}]\n      containers:"
    text = JOB.replace("{name: train}", f"{{name: train, namespace: {name}}}")
    options = ("--pools", str(CONTRACT))
    assert doctor("-f", write(text), *options)[WHERE].startswith("✔")
    refused = doctor("-f", write(text.replace("containers:", tolerant)), *options)[WHERE]
    assert refused.startswith(
        f"✘ {WHERE}: the pod is refused: the cluster's guard refuses pods that tolerate spot nodes"
    )
    assert refused.endswith(f"and {name} is the platform's")


@pytest.mark.parametrize(
    ("text", "options", "error"),
    [
        ("- 1", [], "job.yaml: document 1: [1] is no Kubernetes object; expected a map"),
        ("a: [1", [], "job.yaml, line 2: malformed YAML"),
        (JOB, ["--pool", "tpu"], "pool: 'tpu' is unknown; expected "),
        (JOB, ["--pool", "cpu", "--require", "cheap"], "require: 'cheap' is not allowed"),
        (JOB.replace("name: train", "name: train, namespace: team-b"), ["-n", "team-a"],
         "--namespace: 'team-a' contradicts the namespace 'team-b' of Job/train; leave it out"),
        (JOB.replace("name: train", "name: train, namespace: team-b"), [], "namespace: 'team-b' does not exist"),
    ],
)  # fmt: skip
def test_a_wrong_file_or_option_is_one_line(doctor: Doctor, text: str, options: Any, error: str) -> None:
    report = doctor("-f", write(text), *options)
    assert (report.code, report.lines, len(report.errors)) == (2, [], 1)
    assert report.errors[0].startswith(f"ckf-spot: {error}")


def test_whatever_stands_in_a_file_is_reported_in_lines(cluster: Api) -> None:
    """Each value of a Job in turn is replaced by anything else; nothing but findings comes of it."""
    cluster.objects[QUOTAS] = [quota({"requests.cpu": "4", "limits.cpu": "4", "pods": "2"})]
    pools, reader = Pools.load(CONTRACT), Reader()
    for path in paths(FULL):
        for anything in (None, 0, True, "x", [], [1], [{}], {}, {"x": 1}, {"x": [None]}):
            document = copy.deepcopy(FULL)
            place: Any = document
            for key in path[:-1]:
                place = place[key]
            place[path[-1]] = anything
            made = work(document)
            assert [
                *file.look([made], pools, "", {}),
                *file.without_pods("job.yaml", [made]),
            ]
            if path[-1] in {"cpu", "resources", "limits", "initContainers", "containers", "parallelism"}:
                assert namespace.look(reader, "team-a", {}, [made], None)


def paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Paths of everything in a value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [below for key, inner in items for below in [(*path, key), *paths(inner, (*path, key))]]


def test_a_compiled_pipeline_is_looked_at_by_its_tasks(doctor: Doctor) -> None:
    report = doctor("-f", write(yaml_text.dump([PIPELINE]), "p.yaml"), "--pool", "cpu")
    assert report.code == 1
    assert report["pipeline/training on cpu"] == (
        "✘ pipeline/training on cpu: placed differently: "
        "placing would set root.dag.tasks.train.retryPolicy, platforms; "
        "ckf-spot place -f p.yaml --pool cpu --backend 2.15"
    )
    placed, _ = compiled.place([PIPELINE], Pools.load(CONTRACT)["cpu"])
    report = doctor("-f", write(yaml_text.dump(placed), "placed.yaml"), "--pool", "cpu")
    assert (report.code, report["placed.yaml on cpu"]) == (0, "✔ placed.yaml on cpu: placed already")


def test_a_pipeline_in_manifests_is_compared_by_its_tasks(doctor: Doctor) -> None:
    """The object before it has a spec too, which must not hide the other's."""
    head = {"apiVersion": "pipelines.kubeflow.org/v2beta1", "metadata": {"name": "v1"}}
    version = {**head, "kind": "PipelineVersion", "spec": {"pipelineSpec": PIPELINE}}
    documents: Any = [{**head, "kind": "Pipeline", "spec": {"displayName": "v1"}}, version]
    findings = doctor("-f", write(yaml_text.dump(documents), "p.yaml"), "--pool", "cpu")
    assert findings["PipelineVersion/v1 on cpu"] == (
        "✘ PipelineVersion/v1 on cpu: placed differently: placing would set "
        "spec.pipelineSpec.root.dag.tasks.train.retryPolicy, spec.platformSpec; ckf-spot place -f p.yaml --pool cpu "
        "--backend 2.15"
    )
    place_as_advised(findings, "p.yaml")
    report = doctor("-f", "p.yaml", "--pool", "cpu")
    assert (report.code, report["p.yaml on cpu"]) == (0, "✔ p.yaml on cpu: placed already")


def test_a_task_that_stays_where_it_is_is_noted(doctor: Doctor) -> None:
    pipeline = copy.deepcopy(PIPELINE)
    load = {"componentRef": {"name": "in"}, "taskInfo": {"name": "load"}}
    pipeline["root"]["dag"]["tasks"]["load"] = load
    pipeline["components"]["in"] = {"executorLabel": "imports"}
    pipeline["deploymentSpec"]["executors"]["imports"] = {"importer": {"artifactUri": {}}}
    report = doctor("-f", write(yaml_text.dump([pipeline]), "p.yaml"), "--pool", "cpu")
    assert report["note"] == "! note: p.yaml: load: left alone: Kubeflow imports it on its own nodes"


def test_a_pipeline_that_can_not_be_placed_is_reported_why(doctor: Doctor) -> None:
    pipeline = {**PIPELINE, "components": []}
    report = doctor("-f", write(yaml_text.dump([pipeline]), "p.yaml"), "--pool", "cpu")
    assert report.code == 1
    assert report["can't be placed"].startswith("✘ can't be placed: p.yaml: components: [] is not allowed")


PLACED_EXAMPLES = {
    "operators/workflow": "cpu",
    "operators/sparkapplication": "cpu",
    "operators/rayjob": "cpu",
    "training/jobset": "cpu",
    "training/cronjob": "cpu",
    "training/experiment": "cpu",
    "training/pytorchjob": "gpu",
    "training/tfjob": "cpu",
}


@pytest.mark.parametrize(("example", "pool"), PLACED_EXAMPLES.items())
def test_pods_are_those_that_place_places(example: str, pool: str) -> None:
    document = yaml_text.load((EXAMPLES / f"{example}.yaml").read_text(encoding="utf-8"), "").documents[0]
    pools = Pools.load(CONTRACT)
    placed = placing.place(document, pools[pool], PlacingRequest(require="spot")).document
    lines = [str(finding) for finding in file.look([work(placed)], pools, "", {})]
    assert [line for line in lines if f"can run on {pool}spot" in line or f", {pool}spot" in line]
    assert not [line for line in lines if line.startswith("✘") or "no pod's template" in line]


CONTAINER_SET = """\
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {name: w}
spec:
  entrypoint: a
  tolerations: [{key: kubernetes.azure.com/scalesetpriority, operator: Exists}]
  nodeSelector: {agentpool: cpuspot}
  templates:
    - name: a
      containerSet: {containers: [{name: main, image: i}]}
    - name: b
      inputs: {}
      script: {image: i, source: x}
      nodeSelector: {agentpool: other}
"""


def test_steps_of_a_workflow_run_where_the_workflow_says(doctor: Doctor) -> None:
    report = doctor("-f", write(CONTAINER_SET))
    assert report["Workflow/w: spec.templates[0]"] == "✔ Workflow/w: spec.templates[0]: can run on cpuspot"
    assert report["Workflow/w: spec.templates[1]"].startswith(
        "✘ Workflow/w: spec.templates[1]: no pool takes it"
    )


def test_a_number_of_gpus_that_is_put_in_at_run_time_is_not_reported_as_right(doctor: Doctor) -> None:
    step = "script: {image: i, source: x, resources: {limits: {nvidia.com/gpu: '{{inputs.parameters.n}}'}}}"
    report = doctor("-f", write(CONTAINER_SET.replace("script: {image: i, source: x}", step)))
    assert report["Workflow/w: spec.templates[1]"] == (
        "? Workflow/w: spec.templates[1]: not checked, because it asks for nvidia.com/gpu: {{inputs.parameters.n}}, "
        "which is known at run time only"
    )


SUSPENDED = JOB.replace("spec:\n  template", "spec:\n  suspend: true\n  template", 1)
NIGHTLY = """\
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {name: nightly}
spec:
  entrypoint: a
  templates: [{name: a, timeout: 1h, container: {image: i}}]
"""


def test_what_is_not_judged_is_named_as_the_page_shows(doctor: Doctor) -> None:
    report = doctor("-f", write(f"{SUSPENDED}---\n{NIGHTLY}"))
    page = (EXAMPLES.parent / "docs/doctor.md").read_text(encoding="utf-8")
    shown = page.rpartition("```text\n")[2].partition("```")[0].splitlines()
    assert report.code == 0
    assert [line for line in report.lines if "is not judged" in line] == shown


def test_every_field_that_can_keep_a_pod_waiting_is_named(doctor: Doctor) -> None:
    gated = SUSPENDED.replace("containers:", "priority: 7\n      containers:")
    line = doctor("-f", write(gated))[WHERE]
    assert line.startswith(f"? {WHERE}: ")
    assert "priority" in line
    assert "spec.suspend" in line


def test_a_field_of_another_pod_is_not_held_against_a_pod(doctor: Doctor) -> None:
    pod = {"containers": [{"name": "tensorflow", "image": "i"}]}
    waiting = {**pod, "priority": 7}
    roles = {"Chief": {"template": {"spec": pod}}, "Worker": {"template": {"spec": waiting}}}
    job = {"kind": "TFJob", "metadata": {"name": "t"}, "spec": {"tfReplicaSpecs": roles}}
    report = doctor("-f", write(yaml_text.dump([job])))
    where = "TFJob/t: spec.tfReplicaSpecs.{}.template.spec"
    assert report[where.format("Chief")][0] == "✔"
    assert report[where.format("Worker")][0] == "?"


def test_a_field_that_place_refuses_is_reported(doctor: Doctor) -> None:
    report = doctor("-f", write(spec("      nodeName: aks-general-12345678-vmss000000\n")))
    assert (report.code, report[WHERE][0]) == (1, "✘")
    assert "bypasses the scheduler" in report[WHERE]


def test_work_whose_pods_are_elsewhere_is_named_beside_others(doctor: Doctor) -> None:
    report = doctor("-f", write(f"{JOB}---\n{TRAIN_JOB}"))
    [line] = [line for line in report.lines if "TrainJob" in line and "no pod's template" in line]
    assert line.startswith("? TrainJob/")
    assert "?" not in [line[0] for line in report.lines if line[2:].startswith("job.yaml")]


@pytest.mark.parametrize(
    "text",
    [
        f"{{}}---\n{JOB}".replace("{}", "kind: ConfigMap\nmetadata: {name: c, namespace: team-b}\n"),
        "kind: List\nitems:\n- kind: ConfigMap\n  metadata: {name: c, namespace: team-b}\n- "
        + JOB.replace("\n", "\n  ").rstrip(),
    ],
)
def test_objects_of_several_namespaces_in_one_file_are_looked_at(
    doctor: Doctor, cluster: Api, text: str
) -> None:
    cluster.objects["/api/v1/namespaces/team-b"] = {"metadata": {"name": "team-b"}}
    cluster.objects |= {f"/api/v1/namespaces/team-b/{kind}": [] for kind in ("resourcequotas", "limitranges")}
    report = doctor("-f", write(text.replace("name: train", "name: train, namespace: team-a")))
    assert report[WHERE] == f"✔ {WHERE}: can run on general"
    assert not [line for line in report.lines if "no pod's template" in line]


@pytest.mark.parametrize(
    ("document", "count"),
    [
        ({"kind": "SparkApplication", "spec": {"driver": {}, "executor": {"instances": 4}}}, 5),
        ({"kind": "RayCluster", "spec": {"workerGroupSpecs": [{"replicas": 3, "numOfHosts": 2, "template": {}}]}}, 6),
        ({"kind": "JobSet", "spec": {"replicatedJobs": [
            {"name": "a", "replicas": 2, "template": {"spec": {"parallelism": 3, "completions": 9, "template": {}}}}
        ]}}, 6),
        ({"kind": "Experiment", "spec": {"parallelTrialCount": 3, "trialTemplate": {"trialSpec": {
            "kind": "Job", "spec": {"template": {}}}}}}, 3),
        ({"kind": "Deployment", "spec": {"replicas": 2, "template": {"spec": {"containers": [{"name": "a"}]}}}}, 2),
    ],
)  # fmt: skip
def test_pods_are_counted_by_what_the_parts_around_them_say(document: Any, count: int) -> None:
    assert sum(pods.count for pods in work(document).pods) == count


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("      nodeSelector: {kubernetes.io/arch: arm64}\n",
         "✘ {}: no pool takes it: general: the pod requires kubernetes.io/arch=arm64"),
        ("      nodeSelector: {topology.kubernetes.io/region: us-east-1}\n",
         "✘ {}: no pool takes it: general: the pod requires topology.kubernetes.io/region=us-east-1"),
        ("      nodeSelector: {gpu.nvidia.com/class: RTX_A5000}\n",
         ("? {}: can run on general, unless this forbids it, which is not judged: "
         "nodeSelector: gpu.nvidia.com/class: 'RTX_A5000' is not known of the nodes of general")),
        ("      schedulerName: volcano\n",
         ("? {}: can run on general, unless this forbids it, which is not judged: "
         "schedulerName: 'volcano' is a scheduler that is not known here")),
        ("      topologySpreadConstraints: [{topologyKey: deploy, maxSkew: 1, whenUnsatisfiable: DoNotSchedule}]\n",
         ("? {}: can run on general, unless this forbids it, which is not judged: "
         "topologySpreadConstraints[0].topologyKey: 'deploy' is not known of the nodes of general")),
        ("      priorityClassName: kubeflow-aks-batch\n", "✔ {}: can run on general"),
    ],
)  # fmt: skip
def test_values_are_compared_and_what_is_not_judged_is_named(doctor: Doctor, text: str, line: str) -> None:
    assert doctor("-f", write(spec(text)))[WHERE].startswith(line.format(WHERE))


def test_a_pod_that_is_larger_than_any_node_is_reported(doctor: Doctor) -> None:
    report = doctor("-f", write(JOB + "          resources: {requests: {cpu: 10}}\n"))
    assert report[WHERE].startswith(
        f"✘ {WHERE}: no pool takes it: general: the pod asks for cpu: 10, a node has 7820m; "
    )


def test_copies_that_wait_for_each_other_are_noted(doctor: Doctor) -> None:
    text = JOB.replace("spec:\n  template", "spec:\n  parallelism: 9\n  template", 1)
    report = doctor("-f", write(text + "          ports: [{containerPort: 80, hostPort: 80}]\n"))
    assert report[WHERE] == (
        f"! {WHERE}: can run on general, 3 of 9 at a time because of its containers[0].ports"
    )


CLASSES: Final = {
    "priorityClassName": "/apis/scheduling.k8s.io/v1/priorityclasses/high",
    "runtimeClassName": "/apis/node.k8s.io/v1/runtimeclasses/high",
}


@pytest.mark.parametrize("field", CLASSES)
@pytest.mark.parametrize(("there", "sign"), [(True, "✔"), (False, "✘"), (None, "?")])
def test_a_class_is_looked_up_in_the_cluster(
    doctor: Doctor, cluster: Api, field: str, sign: str, *, there: bool | None
) -> None:
    if there is None:
        cluster.refused[CLASSES[field]] = 403
    elif there:
        cluster.objects[CLASSES[field]] = {"metadata": {"name": "high"}}
    line = doctor("-f", write(spec(f"      {field}: high\n")))[WHERE]
    assert line.startswith(f"{sign} {WHERE}: ")
    assert sign != "✘" or line.endswith(f"it is refused: the cluster does not have its {field} 'high'")


def test_work_in_a_queue_is_not_reported_as_right(doctor: Doctor) -> None:
    labelled = JOB.replace("name: train", "name: train, labels: {kueue.x-k8s.io/queue-name: batch}")
    line = doctor("-f", write(labelled))[WHERE]
    assert line.startswith(f"? {WHERE}: can run on general, unless this forbids it, ")
    assert line.endswith("metadata.labels.kueue.x-k8s.io/queue-name")


def test_a_field_that_is_not_known_is_named(doctor: Doctor) -> None:
    line = doctor("-f", write(spec("      quantum: 1\n")))[WHERE]
    assert line == f"? {WHERE}: can run on general, unless this forbids it, which is not judged: quantum"
