"""What is read from the output of `pulumi preview --refresh --json`, and what becomes of the issue."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kubeflow_aks.ci import drift
from kubeflow_aks.ci.drifts import Drift, PreviewError, drifts
from kubeflow_aks.cli.process import main
from tests.ci.github_api import BOT, REPOSITORY, Repository

UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
POOL = "kubeflow-aks:index:AgentPools$azure-native:containerservice:AgentPool"
CLUSTER = "kubeflow-aks:index:AksCluster$azure-native:containerservice:ManagedCluster"
ROLE = "kubeflow-aks:index:AksCluster$azure-native:authorization:RoleAssignment"
MAP = "kubeflow-aks:index:KubeflowPrerequisites$kubernetes:core/v1:ConfigMap"


def step(op: str, kind: str, name: str, *paths: str, **states: Any) -> dict[str, Any]:
    differences = {path: {"kind": "update", "inputDiff": False} for path in paths}
    urn = f"urn:pulumi:dev::kubeflow-aks::{kind}::{name}"
    return {"op": op, "urn": urn, "detailedDiff": differences or None, **states}


def output(*steps: dict[str, Any], diagnostics: list[dict[str, str]] | None = None) -> str:
    document: dict[str, Any] = {"steps": list(steps), "changeSummary": {}}
    return json.dumps({**document, "diagnostics": diagnostics} if diagnostics else document)


def conflict(name: str, owners: str) -> list[dict[str, str]]:
    """As the engine reports it: for the resource, and once more for the whole."""
    message = (
        "error: Preview failed: 1 error occurred:\n\t* the Kubernetes API server reported that "
        '"kubeflow-aks/x" failed to '
        "fully initialize or become live: server-side apply field conflict detected, see https://www.pulumi.com/…\n"
        f"Apply failed with 1 conflict: {owners}\n"
    )
    urn = f"urn:pulumi:dev::kubeflow-aks::{MAP}::{name}"
    after = ("preview failed", "Resource monitor has terminated, shutting down")
    whole = [{"severity": "error", "message": f"error: {text}\n"} for text in after]
    return [{"severity": "error", "urn": urn, "message": message}, *whole]


def listed(*names: str) -> dict[str, Any]:
    return {"inputs": {"agentPoolProfiles": [{"name": name} for name in names]}}


def test_nothing_that_stays_the_same_is_drift() -> None:
    assert (
        drifts(output(step("same", POOL, "cpu"), step("refresh", POOL, "cpu"), step("read", POOL, "x")), "")
        == []
    )
    assert drifts(json.dumps({"changeSummary": {}}), "") == []
    assert drifts(json.dumps({"steps": None}), "") == []


def test_each_resource_is_listed_with_what_differs() -> None:
    listed_drifts = drifts(
        output(step("update", POOL, "gpu", "maxCount"), step("create", MAP, "expander")), ""
    )
    assert listed_drifts == [
        Drift("update", "azure-native:containerservice:AgentPool", "gpu", ("maxCount",)),
        Drift("create", "kubernetes:core/v1:ConfigMap", "expander"),
    ]


def test_a_role_assignment_whose_principal_nobody_knows_only_looks_replaced() -> None:
    unknown, certain = ({"inputs": {"principalId": value}} for value in (UNKNOWN, "1a4bad75"))
    assert drifts(output(step("replace", ROLE, "pull", "principalId", newState=unknown)), "") == []
    assert drifts(output(step("replace", ROLE, "pull", "principalId", newState=certain)), "") != []
    assert drifts(output(step("replace", ROLE, "pull", "principalId", "scope", newState=unknown)), "") != []
    assert drifts(output(step("replace", MAP, "pull", "principalId", newState=unknown)), "") != []


def test_the_pools_that_a_cluster_lists_are_drift_only_where_the_stack_has_none_of_the_name() -> None:
    refreshed = step("refresh", POOL, "general", newState={"inputs": {"agentPoolName": "general"}})
    paths = ("agentPoolProfiles[1]", "agentPoolProfiles[2]")
    state = listed("system", "general", "byhand")
    assert drifts(output(refreshed, step("update", CLUSTER, "c", paths[0], oldState=state)), "") == []
    [drift] = drifts(output(refreshed, step("update", CLUSTER, "c", *paths, oldState=state)), "")
    assert drift.paths == ("agentPoolProfiles[byhand]",)
    [drift] = drifts(
        output(refreshed, step("update", CLUSTER, "c", "agentPoolProfiles[1].count", oldState=state)), ""
    )
    assert drift.paths == ("agentPoolProfiles[1].count",)


@pytest.mark.parametrize(
    ("owners", "expected"),
    [
        ('conflict with "kubectl-edit" using v1: .data.a', ("kubectl-edit",)),
        (
            'conflicts with "lens" using v1:\n- .data.a\n- .data.b\nconflicts with "helm" using v1:\n- .data.c',
            ("helm", "lens"),
        ),
        ("conflict with somebody", ("unknown",)),
    ],
)
def test_a_conflict_is_drift_with_its_owners(owners: str, expected: tuple[str, ...]) -> None:
    steps = [step("update", MAP, "x", 'data["a"]')]
    [drift] = drifts(output(*steps, diagnostics=conflict("x", owners)), "")
    assert (drift.owners, drift.paths) == (expected, ('data["a"]',))
    [alone] = drifts(output(diagnostics=conflict("x", owners)), "")
    assert (alone.owners, alone.paths) == (expected, ())


@pytest.mark.parametrize(
    ("text", "errors", "words"),
    [
        ("", "error: no stack named 'dev' found\n", "no stack named"),
        ("", "", "wrote nothing"),
        ("[1]", "error: odd", "odd"),
        (
            output(diagnostics=[{"severity": "error", "message": "error: preview failed"}]),
            "",
            "without a reason",
        ),
        (
            output(diagnostics=[{"severity": "error", "urn": "u", "message": "cluster unreachable"}]),
            "",
            "unreachable",
        ),
        (
            output(
                diagnostics=[*conflict("x", 'conflict with "lens"'), {"severity": "error", "message": "401"}]
            ),
            "",
            "401",
        ),
    ],
    ids=range(6),
)
def test_what_is_no_drift_is_an_error(text: str, errors: str, words: str) -> None:
    with pytest.raises(PreviewError, match=words):
        drifts(text, errors)


def test_a_warning_is_no_error() -> None:
    assert drifts(output(diagnostics=[{"severity": "warning", "message": "deprecated"}]), "") == []


def tell(tmp_path: Path, text: str, *more: str) -> int:
    (tmp_path / "preview.json").write_text(text, encoding="utf-8")
    (tmp_path / "messages").write_text("", encoding="utf-8")
    files = ["--preview", str(tmp_path / "preview.json"), "--messages", str(tmp_path / "messages")]
    return main(["ci", "drift", "dev", *files, *more])


DRIFTED = output(step("update", POOL, "gpu", "maxCount"))


def test_there_is_one_issue_per_stack(job: str, repository: Repository, tmp_path: Path) -> None:
    assert job
    stranger = {"login": "stranger", "type": "User"}
    forged = repository.issue(f"{drift.marker('dev')}\nforged", stranger)
    other = repository.issue(f"{drift.marker('prod')}\nof another stack")
    for number in range(150):
        repository.issue(f"talk {number}", stranger)
    assert tell(tmp_path, DRIFTED) == 0
    made = repository.issues[-1]
    assert made["title"] == "Drift of stack dev"
    assert "`gpu`" in made["body"]
    assert tell(tmp_path, output(step("update", POOL, "cpu", "maxCount"))) == 0
    assert "`cpu`" in made["body"]
    assert "`gpu`" not in made["body"]
    assert len(repository.issues) == 153
    assert tell(tmp_path, output()) == 0
    assert made["state"] == "closed"
    assert [forged["state"], other["state"]] == ["open", "open"]
    assert tell(tmp_path, output()) == 0
    assert len(repository.comments[made["number"]]) == 1


def test_a_pull_request_with_the_label_is_no_issue(job: str, repository: Repository, tmp_path: Path) -> None:
    assert job
    pull = repository.issue(f"{drift.marker('dev')}\n", BOT, pull_request={"url": "…"})
    assert tell(tmp_path, DRIFTED) == 0
    assert len(repository.issues) == 2
    assert pull["body"] == f"{drift.marker('dev')}\n"


def test_a_label_that_is_there_already_is_fine(job: str, repository: Repository, tmp_path: Path) -> None:
    assert job
    repository.labels.add("drift")
    assert tell(tmp_path, DRIFTED) == 0


def test_a_repository_without_issues_is_one_line(
    job: str, repository: Repository, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert job
    repository.faults = [("GET", "/issues", (410, {}, "Issues has been disabled in this repository."))]
    assert tell(tmp_path, DRIFTED) == 1
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "disabled in this repository" in err


def test_what_a_person_called_things_does_not_come_alive(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_REPOSITORY", REPOSITORY)
    hostile = 'data["`@team/x` <!-- x --> | b"]'
    text = output(step("update", MAP, "x", hostile), diagnostics=conflict("x", 'conflict with "`@me` | <b>"'))
    assert tell(tmp_path, text, "--dry-run") == 0
    shown = capsys.readouterr().out
    rows = [line for line in shown.splitlines() if line.startswith("| `x`")]
    assert [row.count("|") for row in rows] == [4]
    assert all(part.count("@") == 0 for part in rows[0].split("`")[::2])


def test_very_many_are_shortened_and_fit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [f"spec.{'x' * 180}[{number}]" for number in range(30)]
    text = output(*(step("update", MAP, f"object-{number}", *paths) for number in range(500)))
    assert tell(tmp_path, text, "--dry-run") == 0
    shown = capsys.readouterr().out
    assert len(shown) <= 65_536
    assert "more" in shown


@pytest.mark.parametrize("stack", ["--", "a b", "$(id)"])
def test_a_name_that_is_no_stacks_is_a_usage_error(stack: str, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    assert main(["ci", "drift", "--preview", str(file), "--messages", str(file), "--", stack]) == 2


@pytest.mark.parametrize(
    "written",
    [
        "[]",
        "null",
        "1",
        '"x"',
        '{"steps": 1}',
        '{"steps": [1]}',
        '{"steps": [{}]}',
        '{"steps": [{"op": "update"}]}',
        '{"steps": [{"op": "update", "urn": "x"}]}',
        '{"steps": [{"op": "update", "urn": 1}]}',
        '{"steps": {"a": 1}}',
        '{"diagnostics": [1]}',
        '{"diagnostics": {"a": 1}}',
        '{"steps": [{"op": "update", "urn": "a::b::c::d", "detailedDiff": ["x"], "newState": [1]}]}',
    ],
)
def test_another_form_of_the_preview_is_one_line_and_no_drift(written: str) -> None:
    with pytest.raises(PreviewError, match="wrote nothing that can be read"):
        drifts(written, "")


@pytest.mark.parametrize("written", ["", "{", "[" * 100_000, '{"steps": []}\n{"steps": []}', "\x00"])
def test_output_that_is_no_json_is_reported_by_the_errors_of_the_command(written: str) -> None:
    with pytest.raises(PreviewError, match="no such stack"):
        drifts(written, "\nno such stack\n")
