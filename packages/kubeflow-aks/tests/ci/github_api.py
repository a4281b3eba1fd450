"""A stand-in of GitHub's REST API on 127.0.0.1, which responds as its documentation describes.

Lists have pages with `Link` headers; a `POST` of an invalid body is 422; an expired artifact is 410; limits are 403
or 429 with `Retry-After` or `X-RateLimit-*`; artifacts have another address, which must not receive the token.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from tests.serving import serving

TOKEN: Final = "ghs_of-the-job"  # noqa: S105 - made up
REPOSITORY: Final = "team/kubeflow-aks"
BOT: Final = {"login": "github-actions[bot]", "type": "Bot"}
Json = dict[str, Any]
Fault = tuple[int, dict[str, str], Any]
"""Status, headers and body of an answer in place of the real one; a text is the message of a refusal, bytes are raw."""


@dataclass
class Repository:
    """What one repository holds, and the requests to it."""

    comments: dict[int, list[Json]] = field(default_factory=dict[int, list[Json]])
    issues: list[Json] = field(default_factory=list[Json])
    labels: set[str] = field(default_factory=set[str])
    pulls: list[Json] = field(default_factory=list[Json])
    files: dict[int, list[Json]] = field(default_factory=dict[int, list[Json]])
    jobs: dict[int, list[Json]] = field(default_factory=dict[int, list[Json]])
    runs: dict[int, Json] = field(default_factory=dict[int, Json])
    ups: list[Json] = field(default_factory=list[Json])
    """Runs of the workflow `up`."""
    artifacts: dict[int, list[Json]] = field(default_factory=dict[int, list[Json]])
    archives: dict[int, bytes] = field(default_factory=dict[int, bytes])
    faults: list[tuple[str, str, Fault]] = field(default_factory=list[tuple[str, str, Fault]])
    """Method, pattern of the path, and the answer; each is given once."""
    requests: list[str] = field(default_factory=list[str])
    leaked: list[str] = field(default_factory=list[str])
    """Requests with the token to the address of artifacts."""
    others: dict[str, Any] = field(default_factory=dict[str, Any])
    """What other repositories answer, by path, `/repos/actions/checkout/tags`."""
    per_page: int = 100
    """Entries that a page has at most."""
    ids: int = 1000

    def next_id(self) -> int:
        """A number for something new."""
        self.ids += 1
        return self.ids

    def comment(self, number: int, body: str, user: Mapping[str, str] = BOT) -> Json:
        """A comment that is there already."""
        made = {"id": self.next_id(), "body": body, "user": dict(user)}
        self.comments.setdefault(number, []).append(made)
        return made

    def issue(self, body: str, user: Mapping[str, str] = BOT, **more: Any) -> Json:
        """An issue that is there already."""
        made: Json = {
            "number": self.next_id(),
            "body": body,
            "user": dict(user),
            "state": "open",
            "labels": [{"name": "drift"}],
            **more,
        }
        self.issues.append(made)
        return made


class _RefusedError(Exception):
    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@contextmanager
def github(repository: Repository) -> Generator[str]:
    """Serves a repository, and yields the address of the API."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer()

        def do_POST(self) -> None:
            self._answer()

        def do_PATCH(self) -> None:
            self._answer()

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - as declared
            """Logs nothing."""

        def _answer(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length) or b"{}")
            parts = urlsplit(self.path)
            repository.requests.append(f"{self.command} {self.path}")
            if parts.path.startswith("/blobs/"):
                if self.headers.get("Authorization"):
                    repository.leaked.append(self.path)
                self._send(200, {}, repository.archives[int(parts.path.rpartition("/")[2])])
                return
            for index, (method, pattern, fault) in enumerate(repository.faults):
                if method == self.command and re.search(pattern, self.path):
                    del repository.faults[index]
                    answer = {"message": fault[2]} if isinstance(fault[2], str) else fault[2]
                    raw = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
                    self._send(fault[0], fault[1], raw)
                    return
            try:
                self._route(
                    parts.path, {key: values[0] for key, values in parse_qs(parts.query).items()}, body
                )
            except _RefusedError as refused:
                self._send(refused.status, {}, json.dumps({"message": str(refused)}).encode())

        def _route(self, path: str, query: dict[str, str], body: Json) -> None:
            if self.headers.get("Authorization") != f"Bearer {TOKEN}":
                raise _RefusedError(401, "Bad credentials")
            if path in repository.others:
                return self.give(repository.others[path])
            prefix = f"/repos/{REPOSITORY}"
            if not path.startswith(prefix):
                raise _RefusedError(404, "Not Found")
            for method, pattern, act in ROUTES:
                match = re.fullmatch(pattern, path.removeprefix(prefix))
                if method == self.command and match:
                    act(self, repository, [int(group) for group in match.groups()], query, body)
                    return None
            raise _RefusedError(404, "Not Found")

        def give(self, answer: Any, status: int = 200) -> None:
            self._send(status, {}, json.dumps(answer).encode())

        def page(self, entries: list[Json], query: dict[str, str], key: str = "") -> None:
            size = min(int(query.get("per_page", "30")), repository.per_page)
            number = int(query.get("page", "1"))
            shown = entries[(number - 1) * size : number * size]
            headers: dict[str, str] = {}
            if number * size < len(entries):
                others = "&".join(f"{name}={value}" for name, value in query.items() if name != "page")
                here = f"{address}{urlsplit(self.path).path}"
                last = -(-len(entries) // size)
                headers["Link"] = (
                    f'<{here}?{others}&page={number + 1}>; rel="next", <{here}?{others}&page={last}>; rel="last"'
                )
            answer = {"total_count": len(entries), key: shown} if key else shown
            self._send(200, headers, json.dumps(answer).encode())

        def _send(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
            self.send_response(status)
            for header, value in headers.items():
                self.send_header(header, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def redirect(self, there: str) -> None:
            self._send(302, {"Location": f"{address}{there}"}, b"")

    with serving(Handler) as address:
        yield address


Act = Callable[[Any, Repository, list[int], dict[str, str], Json], None]


def _list_comments(
    handler: Any, repository: Repository, ids: list[int], query: dict[str, str], _: Json
) -> None:
    handler.page(repository.comments.get(ids[0], []), query)


def _make_comment(
    handler: Any, repository: Repository, ids: list[int], _: dict[str, str], body: Json
) -> None:
    handler.give(repository.comment(ids[0], _taken(body["body"])), 201)


def _change_comment(
    handler: Any, repository: Repository, ids: list[int], _: dict[str, str], body: Json
) -> None:
    for comments in repository.comments.values():
        for comment in comments:
            if comment["id"] == ids[0]:
                comment["body"] = _taken(body["body"])
                handler.give(comment)
                return
    raise _RefusedError(404, "Not Found")


def _taken(body: str) -> str:
    if len(body) > 65_536:
        raise _RefusedError(422, "Validation Failed: body is too long (maximum is 65536 characters)")
    return body


def _list_issues(handler: Any, repository: Repository, _: list[int], query: dict[str, str], __: Json) -> None:
    labels = {"name": query["labels"]}
    handler.page(
        [
            issue
            for issue in repository.issues
            if issue["state"] == query["state"] and labels in issue["labels"]
        ],
        query,
    )


def _make_issue(handler: Any, repository: Repository, _: list[int], __: dict[str, str], body: Json) -> None:
    if not set(body["labels"]) <= repository.labels:
        raise _RefusedError(422, "Validation Failed")
    labels = [{"name": name} for name in body["labels"]]
    made = repository.issue(_taken(body["body"]), title=body["title"], labels=labels)
    handler.give(made, 201)


def _change_issue(
    handler: Any, repository: Repository, ids: list[int], _: dict[str, str], body: Json
) -> None:
    [issue] = [issue for issue in repository.issues if issue["number"] == ids[0]]
    issue.update(body)
    handler.give(issue)


def _make_label(handler: Any, repository: Repository, _: list[int], __: dict[str, str], body: Json) -> None:
    if body["name"] in repository.labels:
        raise _RefusedError(422, "Validation Failed")
    repository.labels.add(body["name"])
    handler.give(body, 201)


def _list_files(handler: Any, repository: Repository, ids: list[int], query: dict[str, str], _: Json) -> None:
    handler.page(repository.files.get(ids[0], []), query)


def _list_jobs(handler: Any, repository: Repository, ids: list[int], query: dict[str, str], _: Json) -> None:
    handler.page(repository.jobs.get(ids[0], []), query, "jobs")


def _list_pulls(handler: Any, repository: Repository, _: list[int], query: dict[str, str], __: Json) -> None:
    def is_listed(pull: Json) -> bool:
        head = pull["head"]
        return pull["state"] == query["state"] and f"{head['user']['login']}:{head['ref']}" == query["head"]

    handler.page([pull for pull in repository.pulls if is_listed(pull)], query)


def _get_run(handler: Any, repository: Repository, ids: list[int], _: dict[str, str], __: Json) -> None:
    if ids[0] not in repository.runs:
        raise _RefusedError(404, "Not Found")
    handler.give(repository.runs[ids[0]])


def _list_artifacts(
    handler: Any, repository: Repository, ids: list[int], query: dict[str, str], _: Json
) -> None:
    handler.page(repository.artifacts.get(ids[0], []), query, "artifacts")


def _get_artifact(handler: Any, repository: Repository, ids: list[int], _: dict[str, str], __: Json) -> None:
    if ids[0] not in repository.archives:
        raise _RefusedError(410, "Artifact has expired")
    handler.redirect(f"/blobs/{ids[0]}")


def _list_ups(handler: Any, repository: Repository, _ids: list[int], query: dict[str, str], _: Json) -> None:
    shown = [run for run in repository.ups if query.get("status") in (None, run["status"])]
    handler.page(shown, query, "workflow_runs")


ROUTES: Final[list[tuple[str, str, Act]]] = [
    ("GET", r"/actions/workflows/up\.yml/runs", _list_ups),
    ("GET", r"/issues/(\d+)/comments", _list_comments),
    ("POST", r"/issues/(\d+)/comments", _make_comment),
    ("PATCH", r"/issues/comments/(\d+)", _change_comment),
    ("GET", r"/issues", _list_issues),
    ("POST", r"/issues", _make_issue),
    ("PATCH", r"/issues/(\d+)", _change_issue),
    ("POST", r"/labels", _make_label),
    ("GET", r"/pulls", _list_pulls),
    ("GET", r"/pulls/(\d+)/files", _list_files),
    ("GET", r"/actions/runs/(\d+)/jobs", _list_jobs),
    ("GET", r"/actions/runs/(\d+)", _get_run),
    ("GET", r"/actions/runs/(\d+)/artifacts", _list_artifacts),
    ("GET", r"/actions/artifacts/(\d+)/zip", _get_artifact),
]
