"""`kubeflow-aks ci comment`: one comment on the pull request of a preview, for all stacks, updated in place.

Runs after the preview, with a token that may write comments, on the default branch's code alone. From the
preview's run it takes the run's number only, which GitHub provides; GitHub's own record of the run names the pull
request, and the comment is written anew from the validated document ("Preventing pwn requests").
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from kubeflow_aks.ci import artifact, marked, provenance
from kubeflow_aks.ci.artifact import ArtifactError, Preview
from kubeflow_aks.ci.provenance import WORKFLOW
from kubeflow_aks.ci.stacks import LIMIT
from kubeflow_aks.clients.github import GitHub, GitHubError
from kubeflow_aks.exit_codes import ExitCode
from kubeflow_aks.pull_request.report import MARKER, ChangeDocument, comment, is_quiet

_DOCUMENTS: Final = re.compile(r"(.+/)?docs/.+|.+\.md|LICENSE|NOTICE")
"""Paths of files that no stack is made of: without a change of another file there is nothing to comment on."""
_LONGEST: Final = 65_536
"""Characters that GitHub takes in a comment."""
_OF_A_RUN: Final = frozenset(
    {"event", "path", "id", "head_sha", "head_branch", "head_repository", "html_url"}
)


@dataclass(frozen=True)
class Run:
    """A finished run of the preview, by GitHub's own record of it.

    Attributes:
        sha: commit of the pull request's head.
        head: `owner:branch`, as the list of pull requests takes it.
        repository: full name of the head's repository, a fork maybe.
    """

    id: int
    sha: str
    head: str
    repository: str
    url: str
    failed: bool = False


def run_of(github: GitHub, number: str) -> Run:
    """A run of our preview for a pull request.

    Raises:
        GitHubError: it is something else.
    """
    if not number.isdecimal():
        raise GitHubError("RUN_ID: expected the number of a run")
    run = github.get(f"/actions/runs/{number}")
    if missing := _OF_A_RUN - run.keys():
        raise GitHubError(f"GitHub's answer on run {number} lacks {', '.join(sorted(missing))}")
    if run["event"] != "pull_request" or run["path"].partition("@")[0] != WORKFLOW:
        raise GitHubError(f"run {number} is not one of {WORKFLOW} for a pull request")
    repository: dict[str, Any] | None = run["head_repository"]
    if not repository:
        raise GitHubError(f"the repository that run {number} is of is gone")
    return Run(
        run["id"],
        run["head_sha"],
        f"{repository['owner']['login']}:{run['head_branch']}",
        repository["full_name"],
        run["html_url"],
        run.get("conclusion") == "failure",
    )


def pulls_of(github: GitHub, run: Run) -> set[int]:
    """Numbers of the open pull requests whose head is the commit that was previewed, and not a later one.

    A run lists no pull requests of forks, so they are looked up by branch.
    """
    listed = github.pages("/pulls", state="open", head=run.head)
    return {
        pull["number"]
        for pull in listed
        if pull["head"]["sha"] == run.sha
        and _full_name(pull["head"]["repo"]) == run.repository
        and _full_name(pull["base"]["repo"]) == github.repository
    }


def _full_name(repository: Mapping[str, Any] | None) -> str | None:
    """The name of a repository; None if it was deleted."""
    return repository["full_name"] if repository else None


def previews(github: GitHub, run: Run) -> tuple[list[Preview], dict[str, str]]:
    """What the run left for each stack, and why an artifact is not as it should be, by its stack."""
    newest: dict[str, Mapping[str, Any]] = {}
    for listed in github.pages(f"/actions/runs/{run.id}/artifacts", "artifacts"):
        stack = artifact.stack_of(listed["name"])
        if stack and not listed["expired"] and listed["id"] > newest.get(stack, {"id": 0})["id"]:
            newest[stack] = listed
    complete, broken = list[Preview](), dict[str, str]()
    if len(newest) > LIMIT:
        raise GitHubError(f"run {run.id} left {len(newest)} previews; expected at most {LIMIT}")
    for stack, listed in sorted(newest.items()):
        try:
            archive = github.download(f"/actions/artifacts/{listed['id']}/zip", artifact.MOST_PACKED)
            complete.append(artifact.preview(stack, archive))
        except ArtifactError as error:
            broken[stack] = str(error)
    return complete, broken


def text(documents: Sequence[ChangeDocument], missing: Sequence[str], run: Run, note: str, pages: str) -> str:
    """The comment on what a run left, below a note on whose code computed that; written by this tree's code alone."""
    if not documents and not missing:
        return "\n".join(filter(None, [MARKER, note, "The preview gave no result.", "", _origin(run), ""]))
    return comment(
        documents, note=f"{note}\n" if note else "", missing=missing, origin=_origin(run), pages=pages
    )


def _origin(run: Run) -> str:
    failed = " It failed: a stack that is not named here has no result." if run.failed else ""
    return f"<sub>Preview of {run.sha[:12]}: [run]({run.url}).{failed}</sub>"


def only_documents(github: GitHub, number: int) -> bool:
    """Whether a pull request changes nothing that a stack is made of, as GitHub lists its files."""
    files = provenance.changed_files(github, number)
    return bool(files) and all(map(_DOCUMENTS.fullmatch, files))


def write(github: GitHub, number: int, body: str, *, nothing_changes: bool) -> str:
    """Creates or updates our comment, whose first line is the marker, and returns a line about it.

    Where nothing changes, a pull request of documents alone gets no comment.

    Raises:
        GitHubError: GitHub refuses.
    """
    if len(body) > _LONGEST:
        raise GitHubError(f"the comment has {len(body)} characters; GitHub takes {_LONGEST}")
    ours = marked.ours(github.pages(f"/issues/{number}/comments"), marked.author()).get(MARKER)
    if ours:
        if _as_sent(ours["body"]) == _as_sent(body):
            return f"{number}: the comment is as it should be"
        github.patch(f"/issues/comments/{ours['id']}", {"body": body})
        return f"{number}: comment updated"
    if nothing_changes and only_documents(github, number):
        return f"{number}: changes documents alone, so no comment"
    github.post(f"/issues/{number}/comments", {"body": body})
    return f"{number}: comment made"


def _as_sent(body: str) -> str:
    """GitHub gives lines back as it likes."""
    return "\n".join(body.splitlines()).strip()


def run() -> ExitCode:
    """Comments on the pull request of the run `RUN_ID`.

    Returns:
        FINDING where an artifact is not as it should be, or a fork's job reached a runner of ours, one line for each
            on stderr.

    Raises:
        GitHubError: GitHub refuses.
    """
    github = GitHub.from_environment()
    preview_run = run_of(github, os.environ.get("RUN_ID", ""))
    numbers = pulls_of(github, preview_run)
    if not numbers:
        print(f"no open pull request has {preview_run.sha[:12]} as its newest commit: nothing to write")
        return ExitCode.GOOD
    left, broken = previews(github, preview_run)
    for number in sorted(numbers):
        documents = [one.document for one in left if len(numbers) == 1 or one.number == number]
        if documents or len(numbers) == 1:
            note = provenance.note(github, preview_run.repository, number)
            body = text(documents, sorted(broken), preview_run, note, github.page("blob/HEAD"))
            print(write(github, number, body, nothing_changes=all(map(is_quiet, documents)) and not broken))
    problems = [f"{artifact.PREFIX}{stack}: {problem}" for stack, problem in broken.items()]
    if preview_run.repository != github.repository:
        problems += provenance.foreign_runners(github, preview_run.id)
    for problem in problems:
        print(f"error: {problem}", file=sys.stderr)
    return ExitCode.FINDING if problems else ExitCode.GOOD
