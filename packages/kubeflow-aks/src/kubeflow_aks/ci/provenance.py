"""Who computed a preview, and where: a pull request's workflow and code are its own, so its result proves nothing."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from kubeflow_aks.clients.github import GitHub
from kubeflow_aks.environment import GROUPS
from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.text.escape import code
from kubeflow_aks.text.sentences import first_of

WORKFLOW: Final = ".github/workflows/preview.yml"
PREVIEW_CODE: Final = (
    *(".github/actions/", ".github/workflows/"),
    f"{Path(__file__).resolve().parents[1].relative_to(PROJECT_ROOT).as_posix()}/",
    *("kubeflow-aks", GROUPS["runtime"], GROUPS["commands"]),
)
"""What the workflow of the preview runs beside the program: folders with a slash at their end, and files."""
MOST_FILES: Final = 3000
"""The most files of a pull request that GitHub lists ("List pull requests files")."""
_HOSTED: Final = "GitHub Actions"
"""The group of GitHub's own runners, which are thrown away after a job."""
_NAMED: Final = 3
_FORK: Final = (
    "The code of the fork {} computed this preview: its figures, names and sentences are the fork's, and prove "
    "nothing."
)
_EDITED: Final = (
    "This pull request edits the code that computed this preview ({}): its figures, names and sentences are that "
    "code's, and prove nothing."
)
_UNLISTED: Final = (
    "This pull request has more files than GitHub lists. If it edits the code that computed this preview, the preview "
    "proves nothing."
)


def note(github: GitHub, repository: str, number: int) -> str:
    """What stands above the preview of a repository, a fork maybe, in Markdown: whose code made it; empty for ours.

    Raises:
        GitHubError: GitHub does not list the files.
    """
    if repository != github.repository:
        return f"<sub>{_FORK.format(code(repository))}</sub>"
    files = changed_files(github, number)
    folders = tuple(path for path in PREVIEW_CODE if path.endswith("/"))
    edited = sorted(file for file in files if file.startswith(folders) or file in PREVIEW_CODE)
    if edited:
        return f"<sub>{_EDITED.format(first_of(list(map(code, edited)), _NAMED))}</sub>"
    return f"<sub>{_UNLISTED}</sub>" if len(files) >= MOST_FILES else ""


def changed_files(github: GitHub, number: int) -> set[str]:
    """Paths of the files that a pull request changes, the former one of a renamed file too.

    Raises:
        GitHubError: GitHub refuses.
    """
    return {
        str(file[key])
        for file in github.pages(f"/pulls/{number}/files")
        for key in ("filename", "previous_filename")
        if file.get(key)
    }


def foreign_runners(github: GitHub, run: int) -> list[str]:
    """One line for each job of a fork's run that was neither on GitHub's runners nor on those that our workflow names.

    A fork decides itself what its workflow says under `runs-on`. A machine of ours that it reached keeps what it left
    there.

    Raises:
        GitHubError: GitHub refuses.
    """
    expected = set(re.findall(r"runs-on: *(\S+)", (PROJECT_ROOT / WORKFLOW).read_text(encoding="utf-8")))
    return [
        f"{_named(job, 'name')}: a fork's job ran on {_named(job, 'runner_name')} of the group "
        f"{_named(job, 'runner_group_name')}, not on a runner of GitHub: treat that machine as the fork's, and "
        "restrict the group to workflows of the default branch"
        for job in github.pages(f"/actions/runs/{run}/jobs", "jobs", filter="all")
        if job.get("runner_name")
        and job.get("runner_group_name") != _HOSTED
        and not set(map(str, job.get("labels") or ["?"])) <= expected
    ]


def _named(job: dict[str, Any], key: str) -> str:
    """A name for a log: a fork chooses those of its jobs, and a line that begins with `::` is a command there."""
    return ascii(str(job.get(key)))
