"""`ckf-spot where` against an API server: its requests, its output, and every error in one line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from made import assigned, event, node, node_name, pod

HERE, LOST = node_name("cpuspot", 1), node_name("cpuspot", 0)
TEAM = "/api/v1/namespaces/team-a"
WORKFLOWS = "/apis/argoproj.io/v1alpha1"


@pytest.fixture(autouse=True)
def work(api: Any) -> None:
    """A Job that was evicted once, and a database on spot."""
    api.objects[f"{TEAM}/pods"] = [
        pod("train-new", HERE, created=4),
        pod("db-0", HERE, owner=("StatefulSet", "db")),
    ]
    api.objects["/api/v1/nodes"] = [node("cpuspot", 1)]
    api.objects[f"{TEAM}/events"] = [
        assigned("train-old", LOST, ago=9),
        event("SuccessfulCreate", "Created pod: train-old", "Job", "train", ago=9),
    ]


def row(output: str, name: str) -> list[str]:
    """The cells of a pod's row."""
    [line] = [line for line in output.splitlines() if name in line and not line.startswith("✘")]
    return line.split()


def test_the_contexts_namespace_is_reported_where_none_is_named(where: Any) -> None:
    ran = where()
    assert (ran.code, ran.errors) == (0, [])
    assert row(ran.output, "train-new")[:5] == ["Job/train", "train-new", "cpuspot", "spot", "running"]
    assert row(ran.output, "train-new")[-3:] == ["1", "from", "cpuspot"]
    assert "✘ stateful-on-spot: team-a/db-0: " in ran.output


def test_it_only_reads(where: Any, api: Any) -> None:
    where()
    assert {method for method, _ in api.requests} == {"GET"}
    assert {path for _, path in api.requests} == {
        f"{TEAM}/pods",
        f"{TEAM}/events",
        "/api/v1/nodes",
        f"{WORKFLOWS}/namespaces/team-a/workflows",
        "/apis/batch/v1/namespaces/team-a/jobs",
    }


def test_all_namespaces_are_reported_on_request(where: Any, api: Any) -> None:
    api.objects |= {
        "/api/v1/pods": api.objects[f"{TEAM}/pods"],
        "/api/v1/events": api.objects[f"{TEAM}/events"],
        f"{WORKFLOWS}/workflows": [],
    }
    ran = where("-A", "-o", "json")
    assert json.loads(ran.output)["namespace"] is None
    assert [work["evictions"] for work in json.loads(ran.output)["work"]] == [1, 0]


def test_more_pods_than_a_page_are_all_reported(where: Any, api: Any) -> None:
    api.objects[f"{TEAM}/pods"] = [pod(f"train-{number}", HERE) for number in range(1201)]
    [work] = json.loads(where("-o", "json").output)["work"]
    assert len([entry for entry in work["pods"] if entry["source"] == "pod"]) == 1201


@pytest.mark.parametrize(
    ("path", "note"),
    [
        (
            "/api/v1/nodes",
            "nodes may not be read: pools are recognised by the nodes' names, and by the pool contract",
        ),
        (f"{TEAM}/events", "events may not be read: evictions of pods that are gone are not known"),
        (
            f"{WORKFLOWS}/namespaces/team-a/workflows",
            "workflows may not be read: earlier attempts of their steps, and lost steps, are not known",
        ),
    ],
)
def test_what_the_user_may_not_read_is_left_out_with_a_note(
    where: Any, api: Any, path: str, note: str
) -> None:
    api.refused[path] = 403
    ran = where("-o", "json")
    assert (ran.code, ran.errors) == (0, [])
    assert note in json.loads(ran.output)["notes"]
    names = {entry["name"]: entry for work in json.loads(ran.output)["work"] for entry in work["pods"]}
    assert (names["train-new"]["pool"], names["train-new"]["capacity"]) == ("cpuspot", "spot")


def test_how_far_back_the_cluster_remembers_is_shown(where: Any) -> None:
    assert (
        "(pods that are gone are known by events, since 07:51 UTC; --record FILE remembers for longer)"
        in (where().output)
    )


def test_without_a_contract_it_tells_what_it_can(where: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CKF_SPOT_POOLS")
    ran = where("-o", "json")
    assert ran.code == 0
    assert json.loads(ran.output)["notes"][0].startswith(
        "the pool contract can't be read: ConfigMap kubeflow-aks/"
    )
    assert json.loads(ran.output)["violations"][0]["rule"] == "stateful-on-spot"


def test_the_picture_comes_as_svg(where: Any) -> None:
    assert where("-o", "svg").output.startswith('<svg xmlns="http://www.w3.org/2000/svg"')


def test_the_table_fits_a_narrow_terminal(where: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert max(map(len, where().output.split("\n\n")[0].splitlines())) <= 80


@pytest.mark.parametrize(("arguments", "code"), [([], 0), (["--check"], 1)])
def test_violations_are_an_exit_code_on_request(where: Any, arguments: list[str], code: int) -> None:
    assert where(*arguments).code == code


def test_check_is_content_without_violations(where: Any, api: Any) -> None:
    del api.objects[f"{TEAM}/pods"][1]
    assert where("--check").code == 0


def test_a_record_tells_what_happened_while_it_was_made(where: Any, api: Any) -> None:
    ended = pod("train-new", HERE, created=4, disruption="EvictionByEvictionAPI", phase="Failed", ended=1)
    api.changes = [
        {"type": "MODIFIED", "object": ended},
        {"type": "DELETED", "object": ended},
        {"type": "ADDED", "object": pod("train-newer", node_name("cpuspot", 2), created=0)},
        {"type": "BOOKMARK", "object": {"metadata": {"resourceVersion": "9"}}},
    ]
    ran = where("--record", "watched.jsonl", "--for", "1s")
    assert ran.code == 0
    words = [line.split(" ", 1)[1] for line in ran.errors]
    assert f"team-a/train-new is evicted from {HERE} (EvictionByEvictionAPI)" in words
    assert words[-1] == "recorded; ckf-spot where --from watched.jsonl -o svg draws it"
    [train, _] = json.loads(where("--from", "watched.jsonl", "-o", "json").output)["work"][:2]
    states = {entry["name"]: entry["state"] for entry in train["pods"]}
    assert states.items() >= {"train-new": "evicted"}.items()


def test_a_watch_that_came_too_late_begins_anew(where: Any, api: Any) -> None:
    api.changes = [{"type": "ERROR", "object": {"code": 410, "message": "too old"}}]
    assert where("--record", "watched.jsonl", "--for", "1s").code == 0
    assert len([path for _, path in api.requests if path == f"{TEAM}/pods"]) >= 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-n", "team-b"], "--namespace: 'team-b' does not exist; expected default, team-a"),
        (["-A"], "pods of all namespaces can't be read: 403: /api/v1/pods"),
        (["-n", "x", "-A"], "argument -A/--all-namespaces: not allowed with argument -n/--namespace"),
        (["-o", "yaml"], "argument -o/--output: invalid choice: 'yaml' (choose from 'table', 'json', 'svg')"),
        (["--patience", "soon"], "--patience: 'soon' is no duration; expected "),
        (["--for", "1m"], "--for: '1m' needs --record; expected --record FILE --for 10m"),
        (
            ["--record", "r", "-o", "svg"],
            "-o: 'svg' is not allowed with --record; look at the record with --from FILE",
        ),
        (
            ["--record", "r", "--from", "s"],
            "--from: 's' is not allowed with --record; look at the record with --from FILE",
        ),
        (
            ["--record", "r", "--check"],
            "--check: is not allowed with --record; look at the record with --from FILE",
        ),
        (["--record", "r", "--for", "x"], "--for: 'x' is no duration; expected "),
        (["--record", "no/such/folder"], "no/such/folder: can't be written: No such file or directory"),
        (["--record", "r", "-n", "team-b"], "--namespace: 'team-b' does not exist"),
        (["--from", "nothing"], "nothing: can't be read: No such file or directory"),
        (["--from", "kubeconfig"], "kubeconfig, line 1: 'apiVersion: v1' is no line of a record; expected "),
        (["--pools", "nothing"], "nothing: can't be read: No such file or directory"),
    ],
)
def test_a_mistake_is_one_line(where: Any, api: Any, arguments: list[str], message: str) -> None:
    api.objects["/api/v1/namespaces/team-b/pods"] = []
    api.refused["/api/v1/pods"] = 403
    ran = where(*arguments)
    assert (ran.code, ran.output, len(ran.errors)) == (2, "", 1)
    assert message in ran.errors[0]
    assert not Path("r").exists()


def test_all_wrong_options_are_reported_at_once(where: Any) -> None:
    ran = where("--record", "r", "--check", "--patience", "soon", "--for", "x")
    assert [line.removeprefix("ckf-spot: ").split(":")[0] for line in ran.errors] == [
        "--patience",
        "--for",
        "--check",
    ]


def job(name: str, owner: str, of: str) -> dict[str, Any]:
    """A Job that belongs to something."""
    above = [{"kind": owner, "name": of, "controller": True}]
    return {"metadata": {"name": name, "namespace": "team-a", "ownerReferences": above}}


JOBS = "/apis/batch/v1/namespaces/team-a/jobs"
JOB_SETS = "/apis/jobset.x-k8s.io/v1alpha2/namespaces/team-a/jobsets"


def test_work_is_named_by_the_owner_of_its_owner(where: Any, api: Any) -> None:
    api.objects[f"{TEAM}/events"] = []
    api.objects[f"{TEAM}/pods"] = [
        pod("nightly-29921760-x", HERE, owner=("Job", "nightly-29921760")),
        pod("mnist-node-0-0-x", HERE, owner=("Job", "mnist-node-0")),
        pod("mnist-node-0-1-x", HERE, owner=("Job", "mnist-node-0")),
    ]
    api.objects[JOBS] = [
        job("nightly-29921760", "CronJob", "nightly"),
        job("mnist-node-0", "JobSet", "mnist"),
    ]
    api.objects[JOB_SETS] = [job("mnist", "TrainJob", "mnist")]
    work = json.loads(where("-o", "json").output)["work"]
    assert [f"{item['kind']}/{item['name']} {item['part']}" for item in work] == [
        "CronJob/nightly 2026-11-22 00:00",
        "TrainJob/mnist node-0",
    ]
    paths = [path for _, path in api.requests]
    assert (paths.count(JOBS), paths.count(JOB_SETS)) == (1, 1)


def test_an_owner_that_may_not_be_read_leaves_the_nearest_one(where: Any, api: Any) -> None:
    api.refused[JOBS] = 403
    api.objects[f"{TEAM}/pods"].append(pod("other-x", HERE, owner=("Job", "other")))
    ran = where("-o", "json")
    assert (ran.code, ran.errors) == (0, [])
    assert [item["kind"] for item in json.loads(ran.output)["work"]] == ["Job", "Job", "StatefulSet"]
    assert [path for _, path in api.requests].count(JOBS) == 1


def test_a_gone_pod_belongs_to_the_work_of_its_siblings(where: Any, api: Any) -> None:
    api.objects[JOBS] = [job("train", "CronJob", "train")]
    work = json.loads(where("-o", "json").output)["work"]
    assert [(item["kind"], item["evictions"]) for item in work] == [("CronJob", 1), ("StatefulSet", 0)]


def test_a_record_knows_the_owners_of_owners(where: Any, api: Any) -> None:
    api.objects[JOBS] = [job("train", "CronJob", "train"), job("other", "CronJob", "other")]
    new = pod("other-x", HERE, owner=("Job", "other"), created=0)
    api.changes = [{"type": "ADDED", "object": new}]
    assert where("--record", "watched.jsonl", "--for", "1s").code == 0
    work = json.loads(where("--from", "watched.jsonl", "-o", "json").output)["work"]
    assert [item["kind"] for item in work] == ["CronJob", "CronJob", "StatefulSet"]


def test_a_namespace_that_may_not_be_looked_up_is_taken_for_empty(where: Any, api: Any) -> None:
    api.objects[f"{TEAM}/pods"] = []
    api.refused[TEAM] = 403
    api.objects[f"{TEAM}/events"] = []
    ran = where()
    assert (ran.code, ran.output.splitlines()[0]) == (0, "There is no pod in namespace team-a.")


@pytest.mark.parametrize(
    ("kubeconfig", "message"),
    [
        (None, "KUBECONFIG: 'mine' configures no cluster: "),
        ("", "KUBECONFIG: 'mine' configures no cluster: "),
        ("a: [", "KUBECONFIG: 'mine' can't be read: "),
        (
            "current-context: x\ncontexts: []\nclusters: []\nusers: []\n",
            "KUBECONFIG: 'mine' configures no cluster: ",
        ),
    ],
)
def test_a_cluster_that_is_not_configured_is_one_line(
    where: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, kubeconfig: str | None, message: str
) -> None:
    if kubeconfig is not None:
        Path("mine").write_text(kubeconfig, encoding="utf-8")
    monkeypatch.setenv("KUBECONFIG", "mine")
    ran = where()
    assert (ran.code, ran.output, len(ran.errors)) == (2, "", 1)
    assert message in ran.errors[0]


def test_a_cluster_that_does_not_answer_is_one_line(where: Any) -> None:
    path = Path("kubeconfig")
    path.write_text(
        path.read_text(encoding="utf-8").replace("server: http", "server: http://127.0.0.1:1/ #"),
        encoding="utf-8",
    )
    ran = where()
    assert (ran.code, ran.output, len(ran.errors)) == (2, "", 1)
    assert ran.errors[0].startswith("ckf-spot: the cluster does not answer: ")


@pytest.mark.parametrize(
    "page", [b"<!DOCTYPE html><html>Sign in</html>", b'{"error": "sign in"}', b"[]", b"\xff\xfe"]
)
def test_what_is_no_api_server_is_one_line(
    serve: Callable[[Callable[[str], tuple[int, bytes]]], None], where: Any, page: bytes
) -> None:
    serve(lambda _: (200, page))
    for arguments in ([], ["-n", "team-a", "--record", "watched.jsonl"]):
        ran = where(*arguments)
        assert (ran.code, ran.output, len(ran.errors)) == (2, "", 1)
        assert (
            "can't be read: the answer is no API server's, but a proxy's or a sign-in page's: "
            in ran.errors[0]
        )
