"""From a pull request to its comments: the commands of `preview`, then what `comment` makes of their result."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from kubeflow_aks.pull_request.report import MARKER
from kubeflow_aks.tools import Tools
from tests.ci.github_api import REPOSITORY, TOKEN, Repository, github
from tests.ci.previewed import NUMBER, RUN, archive, previewed
from tests.ci.workflows import commands, workflow
from tests.local.commands import PATIENCE_SECONDS
from tests.local.delivery.checkout import copied

STACK: Final = "dev"
WORKFLOW: Final = workflow("preview")["jobs"]


@dataclass(frozen=True)
class PullRequest:
    """A checkout of a pull request, as `actions/checkout` leaves it."""

    tree: Path
    temporary: Path

    def step(self, job: str, name: str, **values: str) -> subprocess.CompletedProcess[str]:
        """One step of the workflow."""
        return self.shell(commands("preview", job, name), STACK=STACK, **values)

    def shell(self, text: str, **values: str) -> subprocess.CompletedProcess[str]:
        """Commands as the runner runs them."""
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))
        }
        outputs = {
            "GITHUB_OUTPUT": str(self.temporary / "output"),
            "GITHUB_STEP_SUMMARY": str(self.temporary / "summary"),
        }
        return subprocess.run(
            ["bash", "-e", "-c", text],
            cwd=self.tree,
            env={**environment, **outputs, **values},
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_SECONDS,
        )

    def artifact(self) -> bytes:
        """What the step that keeps the result would upload."""
        [step] = [step for step in WORKFLOW["preview"]["steps"] if step["name"] == "Keep the result"]
        paths = [
            Path(path.replace("${{ matrix.stack }}", STACK)) for path in step["with"]["path"].splitlines()
        ]
        return archive({path.name: (self.tree / path).read_bytes() for path in paths})


def _git(tree: Path, *words: str) -> str:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "core.hooksPath=/dev/null"]
    return subprocess.run(
        ["git", *identity, *words], cwd=tree, capture_output=True, text=True, check=True
    ).stdout.strip()


@pytest.fixture(scope="module")
def pull_request(tmp_path_factory: pytest.TempPathFactory, tools: Tools) -> PullRequest:
    """Gives a pool of `dev` another size, takes `demo` away, and adds a file with a hostile name.

    Meanwhile somebody else's change of `dev` was merged. GitHub's merge of both is what is checked out.
    """
    assert tools
    folder = tmp_path_factory.mktemp("pull-request")
    tree = copied(folder / "tree")
    _git(tree, "init", "--quiet", "--initial-branch=main")
    _git(tree, "add", ".")
    _git(tree, "commit", "--quiet", "--message=base")
    _git(tree, "checkout", "--quiet", "-b", "larger")
    file = tree / f"Pulumi.{STACK}.yaml"
    text = file.read_text(encoding="utf-8")
    file.write_text(
        f"{text}  kubeflow-aks:pools:\n"
        "    general: {vmSize: Standard_D8s_v5, minCount: 2, maxCount: 3}\n"
        "    cpuspot: {vmSize: Standard_D16ds_v5, priority: Spot, maxCount: 10, fallback: {maxCount: 5}}\n",
        encoding="utf-8",
    )
    (tree / "Pulumi.demo.yaml").unlink()
    (tree / "Pulumi.$(touch pwned).yaml").write_text("config: {}\n", encoding="utf-8")
    _git(tree, "add", "--all")
    _git(tree, "commit", "--quiet", "--message=Larger machines")
    _git(tree, "checkout", "--quiet", "main")
    file.write_text(text.replace("owner: ml-platform", "owner: data-science"), encoding="utf-8")
    _git(tree, "commit", "--quiet", "--all", "--message=Of somebody else")
    _git(tree, "checkout", "--quiet", "--detach")
    _git(tree, "merge", "--quiet", "--no-edit", "larger")
    (folder / "temporary").mkdir()
    return PullRequest(tree, folder / "temporary")


@pytest.fixture
def summary(pull_request: PullRequest) -> str:
    """The job summary of one stack, after all steps of its job."""
    done = pull_request.step("preview", "Preview")
    assert done.returncode == 0, done.stdout + done.stderr
    for step in ("Job summary", "Number of the pull request"):
        assert pull_request.step("preview", step, NUMBER=str(NUMBER)).returncode == 0
    return (pull_request.temporary / "summary").read_text(encoding="utf-8")


def test_the_stacks_of_base_and_head_are_listed_and_a_hostile_name_is_not(pull_request: PullRequest) -> None:
    done = pull_request.step("stacks", "List the stacks")
    assert done.returncode == 0, done.stderr
    [line] = (pull_request.temporary / "output").read_text(encoding="utf-8").splitlines()
    assert json.loads(line.removeprefix("stacks=")) == ["demo", "dev", "prod"]
    assert not (pull_request.tree / "pwned").exists()


def test_the_comment_shows_what_the_preview_found(pull_request: PullRequest, summary: str) -> None:
    assert "cpuspot" in summary
    assert "data-science" not in summary, "what others merged is part of the base"
    repository = Repository()
    previewed(repository, {STACK: pull_request.artifact()})
    with github(repository) as address:
        done = pull_request.shell(
            commands("comment", "comment", "Comment"),
            GITHUB_API_URL=address,
            GITHUB_REPOSITORY=REPOSITORY,
            GITHUB_TOKEN=TOKEN,
            RUN_ID=str(RUN),
        )
    assert done.returncode == 0, done.stderr
    [comment] = repository.comments[NUMBER]
    first, *rest = comment["body"].splitlines()
    assert first == MARKER
    assert any("cpuspot" in line for line in rest)
    # The same text as in the job summary, but for where it is from.
    assert summary.rpartition("####")[2].rstrip() in comment["body"]


@pytest.mark.parametrize(
    ("stacks", "previews", "code"),
    [
        ("success", "success", 0),
        ("success", "skipped", 0),
        ("success", "failure", 1),
        ("failure", "skipped", 1),
        ("success", "cancelled", 1),
    ],
)
def test_the_required_status_stands_for_all_previews(
    stacks: str, previews: str, code: int, pull_request: PullRequest
) -> None:
    done = pull_request.step("result", "All previews worked", RESULTS=f"{stacks} {previews}")
    assert done.returncode == code
