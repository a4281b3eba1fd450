"""What `ckf-spot doctor -f` says of the file's namespace: quotas, limits and what its annotations refuse."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ready_cluster import CLAIMS, LIMITS, POD_DEFAULTS, QUOTAS, TEAM, Api, Doctor, quota

QUOTA = "quota of team-a: kf-resource-quota"
WHITELIST = "scheduler.alpha.kubernetes.io/tolerationsWhitelist"
SPOT = {"key": "kubernetes.azure.com/scalesetpriority", "operator": "Exists"}
FALLBACK = {"key": "kubeflow-aks/fallback", "operator": "Exists", "effect": "NoSchedule"}


def job(*containers: dict[str, Any], init: Any = (), **spec: Any) -> str:
    """A file with a Job of containers that have these resources."""
    pod = {
        "containers": [
            {"name": f"main-{n}", "image": "i", "resources": resources}
            for n, resources in enumerate(containers)
        ],
        "initContainers": list(init),
    }
    document = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "train"},
        "spec": {"template": {"spec": pod}, **spec},
    }
    Path("job.json").write_text(json.dumps(document), encoding="utf-8")
    return "job.json"


def limits(**what: Any) -> dict[str, Any]:
    """A LimitRange for containers."""
    return {"metadata": {"name": "l"}, "spec": {"limits": [{"type": "Container", **what}]}}


def asks(cpu: str, memory: str = "1Gi", **more: str) -> dict[str, Any]:
    return {"requests": {"cpu": cpu, "memory": memory}, "limits": more}


def test_no_quota_is_right(doctor: Doctor, api: Api) -> None:
    assert doctor("-f", job({}))["quota of team-a"] == "✔ quota of team-a: there is none"
    assert api.requests


KEPT_OFF = "kubeflow-aks-keep-profiles-off-spot"
ADMISSION = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolic"


def bound(action: str, policy: str = KEPT_OFF) -> dict[str, Any]:
    """A binding."""
    return {"metadata": {}, "spec": {"policyName": policy, "validationActions": [action]}}


@pytest.mark.parametrize(
    ("value", "bindings", "line"),
    [
        (
            "warn",
            {"-warn": bound("Warn")},
            "✔ warn: the cluster has the policy and the binding that warn of",
        ),
        ("deny", {"": bound("Deny")}, "✔ deny: the cluster has the policy and the binding that refuse"),
        ("Warn", {"": bound("Deny")}, "✔ Warn: the cluster has the policy and the binding that refuse"),
        ("warn", {"": bound("Deny")}, "! warn: it does nothing: no policy"),
        ("deny", {"-warn": bound("Warn")}, "! deny: it does nothing: no policy"),
        ("deny", {"": bound("Audit")}, "! deny: it does nothing: no policy"),
        ("deny", {"": bound("Deny", "another")}, "! deny: it does nothing: no policy"),
    ],
)
def test_what_becomes_of_the_label_that_keeps_work_off_spot(
    doctor: Doctor, api: Api, value: str, bindings: dict[str, Any], line: str
) -> None:
    label = "kubeflow-aks/keep-off-spot"
    what, policy = f"label {label}={value} of team-a", f"{ADMISSION}ies/{KEPT_OFF}"
    api.objects[TEAM] = {"metadata": {"name": "team-a", "labels": {label: value}}}
    api.objects |= {f"{ADMISSION}ybindings/{KEPT_OFF}{end}": binding for end, binding in bindings.items()}
    assert doctor("-f", job({}))[what].startswith(f"! {what}: it does nothing: no policy")
    api.objects[policy] = {"metadata": {}, "spec": {}}
    report = doctor("-f", job({}))
    assert report[what].startswith(line.replace(value, what, 1))
    assert report.code == 0
    api.refused[policy] = 403
    assert doctor("-f", job({}))[what].startswith(
        f"? {what}: not checked, because ValidatingAdmissionPolicy "
    )


@pytest.mark.parametrize(
    ("file", "limited", "line"),
    [
        ([asks("1")], ({"requests.cpu": "4"}, "3"), f"✔ {QUOTA}: requests.cpu: 1 of 4 free"),
        ([asks("1500m")], ({"requests.cpu": "4"}, "3"), f"✘ {QUOTA}: requests.cpu: 1.5 needed at once, 1 of 4 free; "),
        ([asks("500m"), asks("1")], ({"cpu": "4"}, "3"), f"✘ {QUOTA}: cpu: 1.5 needed at once, 1 of 4 free; "),
        ([asks("1", "3Gi")], ({"requests.memory": "4Gi"}, "2Gi"),
         f"✘ {QUOTA}: requests.memory: 3.0Gi needed at once, 2.0Gi of 4Gi free; "),
        ([asks("1", **{"nvidia.com/gpu": "2"})], ({"requests.nvidia.com/gpu": "1"}, "0"),
         f"✘ {QUOTA}: requests.nvidia.com/gpu: 2 needed at once, 1 of 1 free; "),
        ([{}], ({"requests.nvidia.com/gpu": "1"}, "1"), f"✔ {QUOTA}: requests.nvidia.com/gpu: 0 of 1 free"),
        ([{}], ({"requests.cpu": "9"}, "0"), f"✘ {QUOTA}: pods are refused: main-0 names no requests.cpu; "),
        ([{"limits": {"cpu": "1"}}], ({"requests.cpu": "9"}, "0"), f"✔ {QUOTA}: requests.cpu: 9 of 9 free"),
        ([asks("1")], ({"limits.cpu": "9"}, "0"), f"✘ {QUOTA}: pods are refused: main-0 names no limits.cpu; "),
        ([asks("1")], ({"pods": "3"}, "3"), f"✘ {QUOTA}: pods: 1 needed at once, 0 of 3 free; "),
        ([asks("1")], ({"requests.storage": "1Gi", "count/jobs.batch": "1"}, "0"),
         f"? {QUOTA}: not checked, because only what containers ask for is compared, not requests.storage, "),
        ([asks("${{trialParameters.cpu}}")], ({"requests.cpu": "4"}, "0"), f"? {QUOTA}: requests.cpu: not checked"),
    ],
)  # fmt: skip
def test_a_quota_is_held_against_what_the_pods_ask_for(
    doctor: Doctor, api: Api, file: Any, limited: tuple[dict[str, str], str], line: str
) -> None:
    hard, used = limited
    api.objects[QUOTAS] = [quota(hard, {next(iter(hard)): used})]
    report = doctor("-f", job(*file))
    assert [finding for finding in report.lines if finding.startswith(line)], report.lines
    assert report.code == (1 if line.startswith("✘") else 0)


@pytest.mark.parametrize(
    ("spec", "needed"),
    [
        ({}, "2"),
        ({"parallelism": 8, "completions": 20}, "16"),
        ({"parallelism": 8, "completions": 3}, "6"),
        ({"parallelism": 1, "completions": 20}, "2"),
    ],
)
def test_all_pods_that_run_at_a_time_count(
    doctor: Doctor, api: Api, spec: dict[str, int], needed: str
) -> None:
    api.objects[QUOTAS] = [quota({"requests.cpu": "1"})]
    report = doctor("-f", job(asks("2"), **spec))
    assert report[QUOTA].startswith(f"✘ {QUOTA}: requests.cpu: {needed} needed at once")


def test_containers_that_end_before_the_others_begin_count_only_where_they_ask_for_more(
    doctor: Doctor, api: Api
) -> None:
    api.objects[QUOTAS] = [quota({"requests.cpu": "1"})]
    first = {"name": "init", "resources": asks("3")}
    assert "requests.cpu: 3 needed" in doctor("-f", job(asks("2"), init=[first]))[QUOTA]
    assert "requests.cpu: 5 needed" in doctor("-f", job(asks("5"), init=[first]))[QUOTA]
    beside = {**first, "restartPolicy": "Always"}
    assert "requests.cpu: 8 needed" in doctor("-f", job(asks("5"), init=[beside]))[QUOTA]


def test_what_a_limit_range_fills_in_need_not_be_stated(doctor: Doctor, api: Api) -> None:
    api.objects[QUOTAS] = [quota({"requests.cpu": "4", "limits.cpu": "4"})]
    api.objects[LIMITS] = [
        {"metadata": {"name": "l"}, "spec": {"limits": [{"type": "Container", "default": {"cpu": "1"}}]}}
    ]
    assert "pods are refused" not in " ".join(doctor("-f", job({})).lines)
    api.objects[LIMITS] = [
        {
            "metadata": {"name": "l"},
            "spec": {"limits": [{"type": "Container", "defaultRequest": {"cpu": "1"}}]},
        }
    ]
    assert "names no limits.cpu" in " ".join(doctor("-f", job({})).lines)


def test_what_a_limit_range_fills_in_counts(doctor: Doctor, api: Api) -> None:
    api.objects[QUOTAS] = [quota({"requests.cpu": "4", "limits.cpu": "4"}, {"requests.cpu": "3"})]
    api.objects[LIMITS] = [limits(default={"cpu": "2"}, defaultRequest={"cpu": "500m"})]
    assert doctor("-f", job({}, {}))[QUOTA].startswith(f"✔ {QUOTA}: requests.cpu: 1 of 4 free")
    lines = " ".join(doctor("-f", job({}, {}, {})).lines)
    assert "requests.cpu: 1.5 needed at once, 1 of 4 free" in lines
    assert "limits.cpu: 6 needed at once, 4 of 4 free" in lines


def test_without_a_pods_template_nobody_knows_what_is_needed(doctor: Doctor, api: Api) -> None:
    api.objects[QUOTAS] = [quota({"requests.cpu": "4"})]
    line = f"? {QUOTA}: not checked, because no pod template states what is needed; requests.cpu: 4 of 4 free"
    assert doctor("-n", "team-a")[QUOTA] == line


def test_a_quota_for_some_pods_only_is_not_judged(doctor: Doctor, api: Api) -> None:
    api.objects[QUOTAS] = [quota({"requests.cpu": "0"}, scopes=["BestEffort"])]
    assert doctor("-f", job(asks("1")))[QUOTA].startswith("? ")


@pytest.mark.parametrize("path", [TEAM, QUOTAS, LIMITS])
def test_what_may_not_be_read_is_not_reported_as_right(doctor: Doctor, api: Api, path: str) -> None:
    api.refused[path] = 403
    report = doctor("-f", job(asks("1")))
    assert report.code == 0
    assert [line for line in report.lines if f"403: {path}" in line and line.startswith("? ")]


@pytest.mark.parametrize(
    ("allowed", "line"),
    [
        (None, "✔ tolerations in team-a: placed pods are let in"),
        ([], "✔ tolerations in team-a: placed pods are let in"),
        ([SPOT, FALLBACK], "✔ tolerations in team-a: placed pods are let in"),
        ([{"operator": "Exists"}], "✔ tolerations in team-a: placed pods are let in"),
        ([SPOT], "✘ tolerations in team-a: placed pods are refused: "),
        ([FALLBACK | {"effect": "NoExecute"}], "✘ tolerations in team-a: placed pods are refused: "),
        ("spot", f"✘ tolerations in team-a: annotation {WHITELIST} is no list of tolerations"),
    ],
)  # fmt: skip
def test_a_whitelist_that_refuses_placed_pods_is_reported(
    doctor: Doctor, api: Api, allowed: Any, line: str
) -> None:
    noted = {} if allowed is None else {WHITELIST: json.dumps(allowed)}
    api.objects[TEAM] = {"metadata": {"name": "team-a", "annotations": noted}}
    assert doctor("-f", job({}), "--pool", "cpu")["tolerations in team-a"].startswith(line)


def test_a_namespace_of_the_platform_is_reported(doctor: Doctor, api: Api) -> None:
    api.objects["/api/v1/namespaces/kubeflow/resourcequotas"] = []
    api.objects["/api/v1/namespaces/kubeflow/limitranges"] = []
    report = doctor("-n", "kubeflow")
    assert report.code == 1
    assert report["namespace kubeflow"].startswith("✘ namespace kubeflow: the cluster's guard refuses pods")


@pytest.mark.parametrize(
    ("most", "line"),
    [
        ({"cpu": "2"}, ""),
        (
            {"cpu": "1"},
            "✘ limits of team-a: l: pods are refused: main-0 asks for cpu: 1500m, 1 is the most; ",
        ),
        (
            {"nvidia.com/gpu": "1"},
            "✘ limits of team-a: l: pods are refused: main-0 asks for nvidia.com/gpu: 2, 1 is ",
        ),
        ({"memory": "1Gi"}, ""),
    ],
)
def test_a_container_that_is_too_large_for_the_namespace_is_reported(
    doctor: Doctor, api: Api, most: dict[str, str], line: str
) -> None:
    api.objects[LIMITS] = [limits(max=most)]
    findings = [
        finding
        for finding in doctor("-f", job(asks("1500m", "1Gi", **{"nvidia.com/gpu": "2"}))).lines
        if finding[2:].startswith("limits of team-a")
    ]
    assert [finding.startswith(line) for finding in findings] == [True] * bool(line)


@pytest.mark.parametrize(
    ("label", "effect", "refused"),
    [("true", "NoSchedule", False), ("true", "NoExecute", True), ("false", "NoExecute", False)],
)
def test_a_pod_default_that_the_webhook_could_not_merge_is_reported(
    doctor: Doctor, api: Api, label: str, effect: str, *, refused: bool
) -> None:
    selector = {"matchLabels": {"allow-spot": "true"}}
    tolerations = [{**SPOT, "effect": effect}]
    spec = {"selector": selector, "tolerations": tolerations}
    api.objects[POD_DEFAULTS] = [{"metadata": {"name": "allow-spot"}, "spec": spec}]
    file = Path(job({}))
    labelled = json.loads(file.read_text(encoding="utf-8"))
    labelled["spec"]["template"]["metadata"] = {"labels": {"allow-spot": label}}
    file.write_text(json.dumps(labelled), encoding="utf-8")
    lines = [
        line for line in doctor("-f", "job.json", "--pool", "cpu").lines if "PodDefaults of team-a" in line
    ]
    assert [
        line.startswith("✘ PodDefaults of team-a: placed pods are refused: allow-spot has") for line in lines
    ] == ([True] * refused)


@pytest.mark.parametrize(
    "limit", [{"type": "Pod", "max": {"cpu": "1"}}, {"type": "Container", "min": {"cpu": "9"}}]
)
def test_a_limit_that_is_not_judged_is_named(doctor: Doctor, api: Api, limit: Any) -> None:
    api.objects[LIMITS] = [{"metadata": {"name": "l"}, "spec": {"limits": [limit]}}]
    field = "type" if limit["type"] == "Pod" else "min"
    line = doctor("-f", job(asks("2")))["limits of team-a: l"]
    assert line.startswith(f"? limits of team-a: l: spec.limits[0].{field} is not judged: ")


@pytest.mark.parametrize(
    "work",
    [
        {"kind": "TrainJob", "spec": {"runtimeRef": {"name": "torch-distributed"}}},
        {
            "kind": "Workflow",
            "spec": {"templates": [{"name": "a", "container": {"name": "main", "image": "i"}}]},
        },
    ],
)
def test_pods_that_nobody_can_count_leave_a_quota_open(doctor: Doctor, api: Api, work: Any) -> None:
    api.objects[QUOTAS] = [quota({"requests.nvidia.com/gpu": "4"})]
    file = job(asks("1"))
    documents = [json.loads(Path(file).read_text(encoding="utf-8")), {**work, "metadata": {"name": "w"}}]
    Path(file).write_text(json.dumps({"kind": "List", "items": documents}), encoding="utf-8")
    assert doctor("-f", file)[QUOTA].startswith(
        f"? {QUOTA}: not checked, because how many pods {work['kind']}/w has at a time is not in the file; "
    )


def test_a_pods_own_toleration_that_the_whitelist_refuses_is_reported(doctor: Doctor, api: Api) -> None:
    noted = {WHITELIST: json.dumps([SPOT])}
    api.objects[TEAM] = {"metadata": {"name": "team-a", "annotations": noted}}
    file = Path(job({}))
    document = json.loads(file.read_text(encoding="utf-8"))
    for tolerations, sign in (([SPOT], "✔"), ([SPOT, FALLBACK], "✘")):
        document["spec"]["template"]["spec"]["tolerations"] = tolerations
        file.write_text(json.dumps(document), encoding="utf-8")
        line = doctor("-f", str(file))["Job/train: spec.template.spec"]
        assert line.startswith(sign)
        assert ("the pod is refused" in line) == (sign == "✘")


@pytest.mark.parametrize(
    ("claim", "line"),
    [
        ("there", "✔ claims of team-a: there is there, or in the files"),
        ("made", "✔ claims of team-a: made is there, or in the files"),
        (
            "other",
            "✘ claims of team-a: other is mounted, and neither there nor in the files: its pods wait for it; ",
        ),
        (
            "{{workflow.name}}",
            "? claims of team-a: not checked, because {{workflow.name}} is known at run time only",
        ),
    ],
)
def test_a_claim_that_is_not_there_is_reported(doctor: Doctor, api: Api, claim: str, line: str) -> None:
    api.objects[CLAIMS] = [{"metadata": {"name": "there"}}]
    file = Path(job({}))
    document = json.loads(file.read_text(encoding="utf-8"))
    volume = {"name": "data", "persistentVolumeClaim": {"claimName": claim}}
    document["spec"]["template"]["spec"]["volumes"] = [volume]
    made = {"kind": "PersistentVolumeClaim", "metadata": {"name": "made"}}
    file.write_text(json.dumps({"kind": "List", "items": [document, made]}), encoding="utf-8")
    report = doctor("-f", str(file))
    assert report["claims of team-a"].startswith(line)
    assert report.code == (1 if line.startswith("✘") else 0)


@pytest.mark.parametrize(
    ("mode", "pods", "sign"),
    [("ReadWriteOnce", 2, "!"), ("ReadWriteOnce", 1, "✔"), ("ReadWriteMany", 2, "✔")],
)
def test_a_claim_of_the_cluster_that_several_pods_cannot_share_is_noted(
    doctor: Doctor, api: Api, mode: str, pods: int, sign: str
) -> None:
    api.objects[CLAIMS] = [{"metadata": {"name": "data"}, "spec": {"accessModes": [mode]}}]
    file = Path(job({}, parallelism=pods, completions=pods))
    document = json.loads(file.read_text(encoding="utf-8"))
    volume = {"name": "data", "persistentVolumeClaim": {"claimName": "data"}}
    document["spec"]["template"]["spec"]["volumes"] = [volume]
    file.write_text(json.dumps(document), encoding="utf-8")
    line = doctor("-f", str(file))["claims of team-a"]
    assert line[0] == sign
    assert ("on a second node wait for it (Multi-Attach)" in line) == (sign == "!")
