"""`python -m delivery.comment`: one comment per stack on the pull request of a preview, updated in place.

Runs after the preview, with a token that may write comments, on the default branch's code alone. What it takes from
the preview's run is the run's number, which GitHub tells; the pull request is found by GitHub's own record of the run,
and the comment is written anew from the validated document ("Preventing pwn requests").
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from delivery import artifact, marked
from delivery.artifact import ArtifactError, Preview
from delivery.github import GitHub, GitHubError
from delivery.stacks import LIMIT
from pull_request.telling import markdown, marker

WORKFLOW: Final = ".github/workflows/preview.yml"
MOST_COMMENTS: Final = LIMIT
"""On one pull request: a hostile one could else have a comment made for each name that it thinks of."""
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
    """Of a repository that may be gone."""
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


def text(preview: Preview, run: Run) -> str:
    """The comment for one stack; written by this tree's code, whatever the pull request's would write."""
    return f"{markdown(preview.document)}\n\n{_origin(run)}\n"


def gone(first: str, run: Run) -> str:
    """The comment for a stack that the newest preview does not have, neither in the base nor in the head."""
    told = "Neither the base nor this pull request has this stack any more, or its preview gave no result."
    return f"{first}\n{told}\n\n{_origin(run)}\n"


def _origin(run: Run) -> str:
    return f"<sub>Preview of {run.sha[:12]}: [run]({run.url}).</sub>"


def write(github: GitHub, number: int, texts: Iterable[str], run: Run) -> list[str]:
    """Makes or updates our comments, and says what it did.

    Args:
        github: where.
        number: the pull request.
        texts: of comments; the first line is the marker.
        run: by which a comment that has no text any more is told to be of the past.

    Raises:
        GitHubError: GitHub refuses.
    """
    wanted = {text.partition("\n")[0]: text for text in texts}
    there = marked.ours(github.pages(f"/issues/{number}/comments"), marked.author())
    there = {first: comment for first, comment in there.items() if first.startswith(_MARKER_START)}
    done: list[str] = []
    for first in there.keys() - wanted.keys():
        wanted[first] = gone(first, run)
    for first, body in sorted(wanted.items()):
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


def main() -> int:
    """Comments on the pull request of the run `RUN_ID`.

    Returns:
        0; 1 where something is not as it should be, one line for each on stderr.
    """
    try:
        github = GitHub.from_environment()
        run = run_of(github, os.environ.get("RUN_ID", ""))
        numbers = pulls_of(github, run)
        if not numbers:
            print(f"no open pull request has {run.sha[:12]} as its newest commit: nothing to write")
            return 0
        found, broken = previews(github, run)
        for number in sorted(numbers):
            of_it = [one for one in found if len(numbers) == 1 or one.number == number]
            print(*write(github, number, [text(one, run) for one in of_it], run), sep="\n")
    except GitHubError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    for line in broken:
        print(f"error: {line}", file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
