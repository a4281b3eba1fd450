"""Whose code computed a preview, and on whose machine."""

from __future__ import annotations

from typing import Any, Final

import pytest

from kubeflow_aks.ci import provenance
from kubeflow_aks.cli.process import main
from kubeflow_aks.environment import GROUPS
from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.pull_request.report import MARKER
from tests.ci.github_api import REPOSITORY, Repository
from tests.ci.previewed import FORK, NUMBER, RUN, bodies, job, left, previewed, run_comment

pytestmark = pytest.mark.usefixtures("of_the_run")
[PACKAGE] = [path for path in provenance.PREVIEW_CODE if path.endswith("kubeflow_aks/")]
OURS: Final = {"runner_name": "build-7", "runner_group_name": "Default", "labels": ["self-hosted", "linux"]}
"""Where a fork's job gets if it says `runs-on: [self-hosted, linux]` and the group is open to it."""


def _note(repository: Repository) -> str:
    """What stands above everything that the preview lists."""
    assert main(["ci", "comment"]) == 0
    [body] = bodies(repository)
    above, table, rest = body.partition("\n| ")
    assert table
    assert "<details>" in rest
    assert above.startswith(MARKER)
    return "\n".join(line for line in above.splitlines() if line.startswith("<sub>"))


def test_that_a_fork_computed_it_stands_above_everything(repository: Repository) -> None:
    previewed(repository, {"dev": left()})
    assert f"The code of the fork `{FORK}` computed this preview" in _note(repository)


@pytest.mark.parametrize(
    ("files", "named"),
    [
        ([{"filename": "Pulumi.dev.yaml"}], ""),
        ([{"filename": f"docs/{PACKAGE}page"}, {"filename": "kubeflow-aks.md"}], ""),
        (
            [{"filename": f"{PACKAGE}ci/losses.py"}, {"filename": "README.md"}],
            f"(`{PACKAGE}ci/losses.py`)",
        ),
        (
            [{"filename": "x.py", "previous_filename": f"{PACKAGE}version.py"}],
            f"(`{PACKAGE}version.py`)",
        ),
        ([{"filename": GROUPS["commands"]}], f"(`{GROUPS['commands']}`)"),
        ([{"filename": ".github/workflows/preview.yml"}], "(`.github/workflows/preview.yml`)"),
        ([{"filename": f"{PACKAGE}{number}.py"} for number in range(5)], "and 2 more"),
        ([{"filename": f"{PACKAGE}`@team`"}], "@"),
    ],
)
def test_a_branch_that_edits_the_previews_own_code_has_it_reported(
    files: list[dict[str, Any]], named: str, repository: Repository
) -> None:
    previewed(repository, {"dev": left()}, fork=REPOSITORY)
    repository.files[NUMBER] = files
    note = _note(repository)
    assert bool(note) is bool(named)
    assert named in note
    assert " @team" not in note


def test_more_files_than_github_lists_are_not_taken_for_none(repository: Repository) -> None:
    previewed(repository, {"dev": left()}, fork=REPOSITORY)
    repository.files[NUMBER] = [{"filename": f"docs/{number}.md"} for number in range(provenance.MOST_FILES)]
    assert "more files than GitHub lists" in _note(repository)


def test_the_paths_of_the_previews_code_are_there() -> None:
    for path in provenance.PREVIEW_CODE:
        assert (PROJECT_ROOT / path).is_dir() is path.endswith("/")
        assert (PROJECT_ROOT / path).exists()


@pytest.mark.parametrize(
    "harmless",
    [
        job(labels=["windows-2025"]),
        job(runner_group_name="Large runners", labels=["ubuntu-24.04"]),  # where our own workflow runs
    ],
)
def test_a_fork_on_githubs_runners_or_ours_for_previews_is_as_it_should_be(
    harmless: dict[str, Any], repository: Repository
) -> None:
    previewed(repository, {"dev": left()})
    repository.jobs[RUN].append(harmless)
    assert main(["ci", "comment"]) == 0


def test_a_fork_that_reached_a_runner_of_ours_is_reported(
    repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    previewed(repository, {"dev": left()})
    repository.jobs[RUN] += [
        job(**OURS, name="::set-output x\n"),
        job(**{**OURS, "labels": ["ubuntu-24.04", "gpu"]}),
    ]
    code, err = run_comment(capsys)
    assert code == 1
    first, second = err.splitlines()
    assert first == (
        "error: '::set-output x\\n': a fork's job ran on 'build-7' of the group 'Default', not on a runner of GitHub: "
        "treat that machine as the fork's, and restrict the group to workflows of the default branch"
    )
    assert second.startswith("error: 'preview of dev': a fork's job ran on 'build-7'")
    assert len(bodies(repository)) == 1


def test_our_own_branches_may_run_on_our_runners(repository: Repository) -> None:
    previewed(repository, {"dev": left()}, fork=REPOSITORY)
    repository.jobs[RUN].append(job(**OURS))
    assert main(["ci", "comment"]) == 0
