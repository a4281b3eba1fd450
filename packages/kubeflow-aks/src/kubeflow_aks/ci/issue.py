"""One issue of ours for one matter: opened, updated, and closed when the matter is settled."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from kubeflow_aks.ci import marked
from kubeflow_aks.clients.github import GitHub, GitHubError

_EXISTS_ALREADY: Final = 422


@dataclass(frozen=True)
class Matter:
    """What an issue is about.

    Attributes:
        marker: its first line, which GitHub does not show.
        title: of the issue.
        label: its label, by which issues are listed, and what that means.
        settled: the comment with which it is closed.
    """

    marker: str
    title: str
    label: tuple[str, str]
    settled: str


def settle(github: GitHub, matter: Matter, body: str, environment: Mapping[str, str]) -> str:
    """Opens or updates the issue on a matter, or closes it where the body is empty.

    Returns:
        What was done, such as `opened #5`; empty where there was nothing to do.

    Raises:
        GitHubError: GitHub refuses.
    """
    name, meaning = matter.label
    listed = github.pages("/issues", state="open", labels=name, sort="created", direction="asc")
    issues = [issue for issue in listed if "pull_request" not in issue]
    there = marked.ours(issues, marked.author(environment)).get(matter.marker)
    if there is None and body:
        _make_label(github, name, meaning)
        new: dict[str, Any] = github.post("/issues", {"title": matter.title, "body": body, "labels": [name]})
        return f"opened #{new['number']}"
    if there is None:
        return ""
    number = there["number"]
    if body:
        github.patch(f"/issues/{number}", {"body": body})
        return f"updated #{number}"
    github.post(f"/issues/{number}/comments", {"body": f"{matter.settled}\n"})
    github.patch(f"/issues/{number}", {"state": "closed", "state_reason": "completed"})
    return f"closed #{number}"


def _make_label(github: GitHub, name: str, meaning: str) -> None:
    try:
        github.post("/labels", {"name": name, "color": "d93f0b", "description": meaning})
    except GitHubError as error:
        if error.status != _EXISTS_ALREADY:
            raise
