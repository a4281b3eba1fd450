"""`kubeflow-aks ci comment`: one comment per stack on the pull request of a preview, updated in place.

Runs after the preview, with a token that may write comments, on the default branch's code alone. From the
preview's run it takes the run's number only, which GitHub provides; GitHub's own record of the run names the pull
request, and the comment is written anew from the validated document ("Preventing pwn requests").
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from kubeflow_aks.ci import artifact, marked, provenance
from kubeflow_aks.ci.artifact import ArtifactError, Preview
from kubeflow_aks.ci.provenance import WORKFLOW
from kubeflow_aks.ci.stacks import LIMIT
from kubeflow_aks.clients.github import GitHub, GitHubError
from kubeflow_aks.exit_codes import ExitCode
from kubeflow_aks.pull_request.report import markdown, marker

MOST_COMMENTS: Final = LIMIT
"""On one pull request: a hostile one could otherwise cause a comment for each name that it invents."""
_LONGEST: Final = 65_536
"""Characters that GitHub takes in a comment."""
_OF_A_RUN: Final = frozenset(
    {"event", "path", "id", "head_sha", "head_branch", "head_repository", "html_url"}
)
_MARKER_START: Final = marker("").partition(" -->")[0].rstrip()
"""What the markers of all stacks begin with."""


@dataclass(frozen=True)
class Run:
    """A finished run of the preview, by GitHub's own record of it.

    Attributes:
        sha: commit of the pull request's head.
        head: `owner:branch`, as the list of pull requests takes it.
        repository: full name of the head's repository, a fork maybe.
        url: page of the run.
    """

    id: int
    sha: str
    head: str
    repository: str
    url: str


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


def previews(github: GitHub, run: Run) -> tuple[list[Preview], list[str]]:
    """What the run left for each stack, and one line for each artifact that is not as it should be."""
    newest: dict[str, Mapping[str, Any]] = {}
    for listed in github.pages(f"/actions/runs/{run.id}/artifacts", "artifacts"):
        stack = artifact.stack_of(listed["name"])
        if stack and not listed["expired"] and listed["id"] > newest.get(stack, {"id": 0})["id"]:
            newest[stack] = listed
    found, broken = list[Preview](), list[str]()
    if len(newest) > MOST_COMMENTS:
        raise GitHubError(f"run {run.id} left {len(newest)} previews; expected at most {MOST_COMMENTS}")
    for stack, listed in sorted(newest.items()):
        try:
            archive = github.download(f"/actions/artifacts/{listed['id']}/zip", artifact.MOST_PACKED)
            found.append(artifact.preview(stack, archive))
        except ArtifactError as error:
            broken.append(f"{artifact.PREFIX}{stack}: {error}")
    return found, broken


def text(preview: Preview, run: Run, note: str) -> str:
    """The comment for one stack; written by this tree's code, whatever the pull request's would write.

    Args:
        preview: what the run left.
        run: its run.
        note: whose code computed it (`kubeflow_aks.ci.provenance.note`).
    """
    first, _, rest = markdown(preview.document).partition("\n")
    above = f"{first}\n{note}\n" if note else first
    return f"{above}\n{rest}\n\n{_origin(run)}\n"


def gone(first: str, run: Run) -> str:
    """The comment for a stack that the newest preview does not have, neither in the base nor in the head."""
    reason = "Neither the base nor this pull request has this stack any more, or its preview gave no result."
    return f"{first}\n{reason}\n\n{_origin(run)}\n"


def _origin(run: Run) -> str:
    return f"<sub>Preview of {run.sha[:12]}: [run]({run.url}).</sub>"


def write(github: GitHub, number: int, texts: Iterable[str], run: Run) -> list[str]:
    """Creates or updates our comments, and returns a line for each.

    Args:
        github: the repository.
        number: the pull request.
        texts: of comments; the first line is the marker.
        run: named in comments whose stack is no longer in the preview.

    Raises:
        GitHubError: GitHub refuses.
    """
    expected = {text.partition("\n")[0]: text for text in texts}
    there = marked.ours(github.pages(f"/issues/{number}/comments"), marked.author())
    there = {first: comment for first, comment in there.items() if first.startswith(_MARKER_START)}
    done: list[str] = []
    for first in there.keys() - expected.keys():
        expected[first] = gone(first, run)
    for first, body in sorted(expected.items()):
        if len(body) > _LONGEST:
            raise GitHubError(f"{first}: the comment has {len(body)} characters; GitHub takes {_LONGEST}")
        if first in there:
            if _as_sent(there[first]["body"]) != _as_sent(body):
                github.patch(f"/issues/comments/{there[first]['id']}", {"body": body})
                done.append(f"updated {first}")
        elif len(there) + sum(line.startswith("made") for line in done) >= MOST_COMMENTS:
            raise GitHubError(f"{number} has {MOST_COMMENTS} comments of ours already")
        else:
            github.post(f"/issues/{number}/comments", {"body": body})
            done.append(f"made {first}")
    return done


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
    found_run = run_of(github, os.environ.get("RUN_ID", ""))
    numbers = pulls_of(github, found_run)
    if not numbers:
        print(f"no open pull request has {found_run.sha[:12]} as its newest commit: nothing to write")
        return ExitCode.GOOD
    found, broken = previews(github, found_run)
    for number in sorted(numbers):
        of_it = [one for one in found if len(numbers) == 1 or one.number == number]
        note = provenance.note(github, found_run.repository, number)
        print(*write(github, number, [text(one, found_run, note) for one in of_it], found_run), sep="\n")
    if found_run.repository != github.repository:
        broken += provenance.foreign_runners(github, found_run.id)
    for line in broken:
        print(f"error: {line}", file=sys.stderr)
    return ExitCode.FINDING if broken else ExitCode.GOOD
