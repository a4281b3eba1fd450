"""A preview's run on GitHub, and what it left."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import Any, Final

import pytest

from kubeflow_aks.ci.provenance import WORKFLOW
from kubeflow_aks.cli.process import main
from kubeflow_aks.pull_request.observed import Change, Observed, Run
from kubeflow_aks.pull_request.report import change_document
from kubeflow_aks.revisions.repository import Revision
from tests.ci.github_api import REPOSITORY, Repository

RUN: Final = 500
NUMBER: Final = 7
SHA: Final = "a" * 40
FORK: Final = "stranger/kubeflow-aks"


def document(stack: str = "dev", **changes: Any) -> dict[str, Any]:
    """The document of a stack in which one pool changes."""
    day = date(2026, 11, 22)
    observed = Observed(
        stack=stack,
        base_revision=Revision("origin/main", "b" * 40, day),
        head_revision=Revision("", SHA, day),
        base=Run(),
        head=Run(),
        changes=(
            Change(
                "urn:pulumi:dev::p::t::cpuspot",
                "azure-native:containerservice:AgentPool",
                "cpuspot",
                "update",
            ),
        ),
    )
    return json.loads(json.dumps(change_document(replace(observed, **changes))))


def archive(files: Mapping[str, str | bytes]) -> bytes:
    """A zip file."""
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in files.items():
            packed.writestr(name, text)
    return sink.getvalue()


def left(stack: str = "dev", number: int = NUMBER, files: Mapping[str, str | bytes] | None = None) -> bytes:
    """What the preview of a stack leaves, with other files in place of its own."""
    default_files: dict[str, str | bytes] = {
        f"{stack}.json": json.dumps(document(stack)),
        "pull-request": f"{number}\n",
    }
    return archive({**default_files, **(files or {})})


def pull(
    number: int = NUMBER, *, sha: str = SHA, fork: str | None = FORK, base: str = REPOSITORY
) -> dict[str, Any]:
    """A pull request from a fork; None for one whose fork is gone."""
    return {
        "number": number,
        "state": "open",
        "head": {
            "sha": sha,
            "ref": "more/pools",
            "user": {"login": "stranger"},
            "repo": {"full_name": fork} if fork else None,
        },
        "base": {"repo": {"full_name": base}},
    }


def job(**changes: Any) -> dict[str, Any]:
    """A job of a run, as GitHub's own runner did it ("List jobs for a workflow run")."""
    hosted = {
        "runner_name": "GitHub Actions 12",
        "runner_group_name": "GitHub Actions",
        "labels": ["ubuntu-24.04"],
    }
    return {"name": "preview of dev", **hosted, **changes}


def previewed(repository: Repository, archives: Mapping[str, bytes], *, fork: str = FORK) -> None:
    """A finished run of the preview for a pull request from a fork, with an artifact per stack."""
    repository.pulls = [pull(fork=fork)]
    repository.runs[RUN] = {
        "id": RUN,
        "event": "pull_request",
        "path": WORKFLOW,
        "head_sha": SHA,
        "head_branch": "more/pools",
        "head_repository": {"full_name": fork, "owner": {"login": "stranger"}},
        "pull_requests": [],
        "html_url": f"https://github.com/{REPOSITORY}/actions/runs/{RUN}",
    }
    repository.artifacts[RUN] = []
    repository.jobs[RUN] = [job(), job(runner_name=None, runner_group_name=None)]  # one was skipped
    for stack, content in archives.items():
        number = repository.next_id()
        repository.archives[number] = content
        repository.artifacts[RUN].append({"id": number, "name": f"preview-{stack}", "expired": False})


def bodies(repository: Repository) -> list[str]:
    """The comments on the pull request."""
    return [one["body"] for one in repository.comments.get(NUMBER, [])]


def run_comment(capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Runs the command; its exit code and stderr."""
    code = main(["ci", "comment"])
    err = capsys.readouterr().err
    assert "Traceback" not in err
    return code, err
