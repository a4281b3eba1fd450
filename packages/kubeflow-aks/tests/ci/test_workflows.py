"""What every workflow keeps to, read from its YAML."""

from __future__ import annotations

import csv
import os
import re
import subprocess
from importlib import metadata
from pathlib import Path
from typing import Any, Final

import pytest

from kubeflow_aks.project import PROJECT_ROOT
from tests.ci.workflows import ACTIONS, WORKFLOWS, Step, jobs, parsed, steps, workflow

HERE: Final = Path(__file__).parent
PINNED: Final = re.compile(r"uses: (?P<action>[^@\s]+)@(?P<commit>[0-9a-f]{40}) # (?P<tag>v\d+\.\d+\.\d+)")
MAY_WRITE: Final = {
    ("comment.yml", "pull-requests"),
    ("currency.yml", "issues"),
    ("drift.yml", "id-token"),
    ("drift.yml", "issues"),
    ("up.yml", "id-token"),
    ("demo.yml", "id-token"),
    ("proof.yml", "id-token"),
    ("reaper.yml", "id-token"),
    ("office-hours.yml", "id-token"),
    ("release.yml", "contents"),
}
"""Every permission beyond reading, and nothing else."""
HOSTILE: Final = {"check.yml", "preview.yml"}
"""Workflows that run the code of a pull request."""
EVERY: Final = steps()


def name(step: Step) -> str:
    return f"{step.file.parent.name}/{step.file.name} {step.job} {step.step.get('name')}"


def test_there_are_the_eleven() -> None:
    expected = [
        "check",
        "comment",
        "currency",
        "demo",
        "drift",
        "office-hours",
        "preview",
        "proof",
        "reaper",
        "release",
        "up",
    ]
    assert [file.stem for file in WORKFLOWS] == expected
    assert [parsed(file)["name"] for file in WORKFLOWS] == expected


def test_every_target_of_make_exists() -> None:
    targets = re.findall(
        r"^([a-z-]+):", (PROJECT_ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE
    )
    made = [line.split()[1:] for step in EVERY for line in step.run.splitlines() if line.startswith("make ")]
    assert made
    assert {word for words in made for word in words if "/" not in word} <= {*targets}


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_nothing_is_permitted_unless_a_job_requests_it(file: Path) -> None:
    assert parsed(file)["permissions"] == {}


@pytest.mark.parametrize(("file", "job_name", "job"), list(jobs()), ids=str)
def test_each_job_has_few_permissions_and_a_time_limit(file: str, job_name: str, job: dict[str, Any]) -> None:
    permitted: dict[str, str] = job["permissions"]
    writes = {(file, scope) for scope, level in permitted.items() if level != "read"}
    assert writes <= MAY_WRITE, job_name
    assert 0 < job["timeout-minutes"] <= 120
    assert job["runs-on"] == "ubuntu-24.04"


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_no_workflow_gives_a_pull_request_our_rights(file: Path) -> None:
    events: dict[str, Any] = parsed(file)["on"]
    assert not {"pull_request_target", "issue_comment", "repository_dispatch"} & set(events)
    assert ("pull_request" in events) == (file.name in HOSTILE)
    assert ("workflow_run" in events) == (file.name == "comment.yml")


@pytest.mark.parametrize(
    "file", [file for file in WORKFLOWS if file.name in HOSTILE], ids=lambda file: file.name
)
def test_what_runs_a_pull_requests_code_can_only_read_and_knows_no_secret(file: Path) -> None:
    for job in parsed(file)["jobs"].values():
        assert set(job["permissions"]) <= {"contents"}
        assert "environment" not in job
    text = file.read_text(encoding="utf-8")
    assert not re.search(r"secrets\.|vars\.|github\.token", text)


def test_the_comment_runs_nothing_of_the_pull_request() -> None:
    [checkout] = [
        step.step
        for step in EVERY
        if step.file.name == "comment.yml" and "checkout" in step.step.get("uses", "")
    ]
    assert checkout["with"] == {"persist-credentials": False}
    text = (WORKFLOWS[0].parent / "comment.yml").read_text(encoding="utf-8")
    assert "download-artifact" not in text  # `kubeflow_aks.ci.artifact` reads it without unpacking
    assert set(workflow("comment")["jobs"]["comment"]["permissions"]) == {
        "actions",
        "contents",
        "pull-requests",
    }


@pytest.mark.parametrize("file", [*WORKFLOWS, *ACTIONS], ids=lambda file: f"{file.parent.name}/{file.name}")
def test_every_action_is_pinned_to_the_commit_that_its_tag_pointed_to(file: Path) -> None:
    """The commits are those that each action's own repository had for the tag, read on 2026-11-22."""
    with (HERE / "actions.csv").open(encoding="utf-8") as rows:
        commits = {
            (row["action"], row["commit"], row["tag"])
            for row in csv.DictReader(row for row in rows if not row.startswith("#"))
        }
    for line in file.read_text(encoding="utf-8").splitlines():
        if "uses:" not in line:
            continue
        action = re.search(r"uses: \$/(?P<folder>\.github/actions/[a-z]+)$", line)
        if action:
            assert (file.parents[1].parent / action["folder"] / "action.yml").exists(), line
            continue
        pinned = PINNED.search(line)
        assert pinned, line
        assert (pinned["action"], pinned["commit"], pinned["tag"]) in commits, line


@pytest.mark.parametrize("step", EVERY, ids=name)
def test_no_shell_has_an_expression_in_its_text(step: Step) -> None:
    assert "${{" not in step.run


@pytest.mark.parametrize(
    "step", [step for step in EVERY if "actions/checkout@" in step.step.get("uses", "")], ids=name
)
def test_no_checkout_leaves_the_token_behind(step: Step) -> None:
    assert step.step["with"]["persist-credentials"] is False
    assert "ref" not in step.step["with"]


def test_nothing_that_changes_a_stack_is_cancelled() -> None:
    for name in ("demo", "proof", "reaper", "drift", "office-hours"):
        assert workflow(name)["concurrency"]["cancel-in-progress"] is False
    assert workflow("up")["jobs"]["up"]["concurrency"]["cancel-in-progress"] is False


def test_only_jobs_without_secrets_use_a_cache() -> None:
    using = {step.file.name for step in EVERY if step.step.get("uses") == "$/.github/actions/tools"}
    assert using == HOSTILE


def test_kubelogin_signs_in_with_github_instead_of_the_azure_cli(tmp_path: Path) -> None:
    [step] = [step for step in EVERY if step.step.get("name") == "kubelogin signs in by itself"]
    variables = {"ARM_CLIENT_ID": "client", "ARM_TENANT_ID": "tenant", "GITHUB_ENV": str(tmp_path / "env")}
    subprocess.run(["bash", "-e", "-c", step.run], env={**os.environ, **variables}, check=True)
    assert dict(line.split("=") for line in (tmp_path / "env").read_text().splitlines()) == {
        "AAD_LOGIN_METHOD": "workloadidentity",
        "AAD_SERVICE_PRINCIPAL_CLIENT_ID": "client",
        "AZURE_TENANT_ID": "tenant",
    }
    for name, _, job in jobs():
        if any(one.get("uses") == "$/.github/actions/azure" for one in job["steps"]):
            assert {"ARM_CLIENT_ID", "ARM_TENANT_ID"} <= set(job["env"]), name


def test_up_comes_after_a_preview_of_the_same_commit_and_after_the_reviewers() -> None:
    work = workflow("up")["jobs"]
    assert "preview" in work["up"]["needs"]
    assert work["up"]["environment"] == "${{ matrix.stack }}"
    assert work["preview"]["environment"] == "${{ matrix.stack }}-preview"
    for step in EVERY:
        if step.file.name == "up.yml" and "pulumi " in step.run and "--stack" in step.run:
            assert "--policy-pack" in step.run
    assert all("ref" not in (step.step.get("with") or {}) for step in EVERY if step.file.name == "up.yml")


def test_a_proof_is_off_until_it_has_a_budget_and_ends_whatever_happens() -> None:
    job = workflow("proof")["jobs"]["proof"]
    assert "vars.PROOF_BUDGET != ''" in job["if"]
    named = {step["name"]: step for step in job["steps"]}
    order = list(named)
    assert (
        order.index("Within the budget") < order.index("Azure") < order.index("Up") < order.index("Destroy")
    )
    for name in ("Destroy", "One line of history", "Keep the results"):
        assert named[name]["if"].startswith("always()"), name
    assert f"{job['env']['BUILD']}/{job['env']['STACK']}/" in named["Keep the results"]["with"]["path"]
    assert "$BUILD/$STACK" not in named["Verify"]["run"]  # the drill takes no folder that it has not made


def test_what_a_person_types_reaches_a_shell_by_the_environment_alone() -> None:
    for step in EVERY:
        inputs: dict[str, Any] = step.step.get("with") or {}
        for key, value in inputs.items():
            if step.file.name != "action.yml":  # what a workflow gives an action, a person has not typed
                assert "inputs." not in str(value), (name(step), key)


def test_each_stack_waits_for_its_own_up_alone() -> None:
    assert "concurrency" not in workflow("up")
    assert "${{ matrix.stack }}" in workflow("up")["jobs"]["up"]["concurrency"]["group"]


def test_versions_of_tools_have_one_place(tmp_path: Path) -> None:
    [ask] = [step.run for step in EVERY if step.step.get("id") == "sdk"]
    output = tmp_path / "output"
    environment = {**os.environ, "GITHUB_OUTPUT": str(output)}
    subprocess.run(["bash", "-eo", "pipefail", "-c", ask], cwd=PROJECT_ROOT, env=environment, check=True)
    sdk = metadata.version("pulumi")
    assert output.read_text(encoding="utf-8") == f"version={sdk}\n"
    text = "".join(file.read_text(encoding="utf-8") for file in (*WORKFLOWS, *ACTIONS))
    assert sdk not in text


@pytest.mark.parametrize(("tag", "code"), [("v0.1.0", 0), ("v0.2.0", 1)])
def test_a_release_has_the_wheel_of_its_tag_or_is_not_made(tmp_path: Path, tag: str, code: int) -> None:
    [step] = [step for step in EVERY if (step.file.name, step.step.get("name")) == ("release.yml", "Release")]
    wheel = tmp_path / "dist/ckf_spot-0.1.0-py3-none-any.whl"
    wheel.parent.mkdir()
    wheel.write_text("wheel")
    gh = tmp_path / "gh"
    gh.write_text('#!/bin/sh\nprintf "%s\\n" "$@" > called\n')
    gh.chmod(0o755)
    variables = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "TAG": tag, "GH_TOKEN": "t"}
    ran = subprocess.run(
        ["bash", "-e", "-c", step.run],
        cwd=tmp_path,
        env=variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == code
    called = tmp_path / "called"
    if code:
        assert (
            ran.stderr == f"error: the tag {tag} is not v and the version in components/PulumiPlugin.yaml\n"
        )
        assert not called.exists()
    else:
        *_, sums, file = called.read_text().splitlines()
        assert (sums, file) == ("dist/SHA256SUMS", "dist/ckf_spot-0.1.0-py3-none-any.whl")
        assert wheel.name in (tmp_path / sums).read_text()
