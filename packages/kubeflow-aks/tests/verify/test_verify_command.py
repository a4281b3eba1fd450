"""`python -m kubeflow_aks.verify` against an API server over HTTP: what it asks, tells and returns."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import jsonschema
import pytest

from kubeflow_aks.cli.process import main as command_line
from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.verify import cluster_reader, report
from kubeflow_aks.verify.probes import PROBES
from kubeflow_aks.verify.snapshot import Result
from tests.serving import serving
from tests.verify import clusters as c
from tests.verify.api_server import Server, outputs_of, running, state_in


def main(arguments: Sequence[str]) -> int:
    """Runs the command."""
    return command_line(["verify", *arguments])


SCHEMA = json.loads(
    (PROJECT_ROOT / "packages/kubeflow-aks/src/kubeflow_aks/verify/verify.schema.json").read_text(
        encoding="utf-8"
    )
)
FORBIDDEN = (
    403,
    {"kind": "Status", "reason": "Forbidden", "message": 'nodes is forbidden: User "me" cannot list'},
)


@pytest.fixture(autouse=True)
def today(monkeypatch: pytest.MonkeyPatch) -> None:
    """The day of the made-up cluster."""

    class Day(cluster_reader.datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Any:  # noqa: ARG003 - the base class's
            return c.NOW

    monkeypatch.setattr(cluster_reader, "datetime", Day)
    monkeypatch.setenv("COLUMNS", "1000")


def verify(server: Server, folder: Path, *more: str, **changed: Any) -> int:
    """What the command returns."""
    status = folder / "juju-status.json"
    status.write_text(json.dumps(c.JUJU_STATUS))
    files = ("--outputs", outputs_of(server.url, folder, **changed), "--state", state_in(folder))
    files += ("--juju-status", str(status))
    return main(["dev", *files, *more])


def test_a_good_cluster_is_reported_in_full(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with running() as server:
        assert verify(server, tmp_path) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    assert "✘" not in shown.out
    assert "–" not in shown.out
    assert shown.out.splitlines()[-1] == "dev: 49 passed, 0 failed, 0 unknown"


def test_nothing_is_changed_and_no_list_is_requested_at_once(tmp_path: Path) -> None:
    with running() as server:
        assert verify(server, tmp_path) == 0
    posts = [request for request in server.requests if not request.startswith("GET ")]
    dry_runs = [request for request in posts if "dryRun=All" in request]
    assert len(dry_runs) == len(PROBES) + len(c.registered())
    assert {request.partition("?")[0] for request in posts if request not in dry_runs} == {
        "POST /apis/authorization.k8s.io/v1/namespaces/kubeflow-aks/localsubjectaccessreviews",
        "POST /apis/authorization.k8s.io/v1/subjectaccessreviews",
        "POST /apis/authentication.k8s.io/v1/selfsubjectreviews",
        "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
    }
    assert all(
        "limit=500" in request for request in server.requests if request.startswith("GET /api/v1/nodes")
    )
    nodes = [request for request in server.requests if request.startswith("GET /api/v1/nodes")]
    assert [request.rpartition("continue=")[2] for request in nodes[1:]] == ["2", "4"]


def test_the_document_keeps_to_its_schema(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    snapshot = replace(c.good(), argo=Result(c.config_map(other="x")))
    with running(snapshot, __api__v1__nodes=FORBIDDEN) as server:
        assert verify(server, tmp_path, "--format", "json", kubeflow={"argoRetries": False}) == 4
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, SCHEMA)  # pyright: ignore[reportUnknownMemberType]
    states = [finding["state"] for finding in document["findings"]]
    assert {state: states.count(state) for state in set(states)} == {
        state: document[state] for state in ("passed", "failed", "unknown")
    }
    [retries] = [finding for finding in document["findings"] if finding["check"] == "argo-retries"]
    assert (retries["state"], retries["impact"]) == ("failed", "later")
    assert (document["brokenNow"], document["willBreak"]) == (0, 1)
    assert "volume claims, and what volumes and images contain" in document["notLookedAt"]
    assert {finding["impact"] for finding in document["findings"] if finding["state"] != "failed"} == {None}


def test_what_will_break_is_not_broken_now(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    later = replace(c.good(), budgets=Result([c.budget("team", "web", healthy=1, pods=1)]))
    with running(later) as server:
        assert verify(server, tmp_path) == 4
    shown = capsys.readouterr().out
    assert "\n! 1 disruption budget that no eviction satisfies (team/web)" in shown
    assert shown.endswith("dev: 48 passed, 1 failed (0 broken now, 1 will break), 0 unknown\n")
    with running(replace(later, juju=Result({}))) as server:
        assert verify(server, tmp_path) == 1
    assert "2 failed (1 broken now, 1 will break)" in capsys.readouterr().out


def test_the_command_prints_what_it_does_not_look_at(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with running() as server:
        assert verify(server, tmp_path) == 0
    shown = capsys.readouterr().out
    assert "\nNot looked at:\n" in shown
    assert all(f"\n- {subject}\n".replace("`", "") in shown for subject in report.NOT_LOOKED_AT)


def test_without_the_state_the_objects_are_unseen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with running() as server:
        assert main(["dev", "--outputs", outputs_of(server.url, tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert (
        "– The stack's other objects are as it registered them: cannot be checked here: the stack's state is missing; "
        "pass it with --state FILE beside --outputs FILE\n" in shown
    )
    assert "8 unknown" in shown


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("[", "not a stack's state; expected what `pulumi stack export` prints"),
        ("[]", "not a stack's state; expected what `pulumi stack export` prints"),
        ("{}", "not a state of stack dev"),
        (json.dumps(c.state()).replace("urn:pulumi:dev:", "urn:pulumi:prod:"), "not a state of stack dev"),
    ],
)
def test_a_state_of_something_else_is_named(
    content: str, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "export.json"
    file.write_text(content, encoding="utf-8")
    with running() as server:
        main(["dev", "--outputs", outputs_of(server.url, tmp_path), "--state", str(file)])
    assert f"the stack's state cannot be read: {file}: {reason}".replace("`", "") in capsys.readouterr().out


def test_a_missing_right_leaves_the_other_checks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with running(__api__v1__nodes=FORBIDDEN) as server:
        assert verify(server, tmp_path) == 0
    shown = capsys.readouterr().out
    assert (
        "– Nodes carry the labels and taints of the pool contract: cannot be checked here: no permission: nodes "
        'is forbidden: User "me" cannot list' in shown
    )
    assert "✔ Storage class default is the one default" in shown


@pytest.mark.parametrize(
    "answer",
    [(500, "<html>proxy"), (200, "[]"), (429, '{"message": "slow down"}'), (200, '{"items": [3, null, {}]}')],
)
def test_a_strange_answer_is_unseen_at_most(answer: Any, tmp_path: Path) -> None:
    with running(__api__v1__nodes=answer, __api__v1__events=answer) as server:
        assert verify(server, tmp_path) in {0, 1}


@pytest.mark.parametrize(
    ("path", "answer", "shown"),
    [
        (
            "__version",
            (401, {"reason": "Unauthorized", "message": "Unauthorized"}),
            (
                "error: dev: the API server rejects the credentials of the output kubeconfig (they may have expired); "
                "run `pulumi up`, which reads the kubeconfig again\n"
            ),
        ),
        ("__api__v1__nodes", None, "error: dev: its API server cannot be reached: "),
        (
            "__apis__storage.k8s.io__v1__storageclasses",
            None,
            "error: dev: its API server cannot be reached: ",
        ),
    ],
)
def test_without_the_cluster_there_is_one_line(
    path: str, answer: Any, shown: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with running(None, **{path: answer}) as server:
        assert verify(server, tmp_path) == 3
    message = capsys.readouterr()
    assert message.out == ""
    assert message.err.startswith(shown)
    assert message.err.count("\n") == 1


def test_a_token_that_is_not_taken_any_more_is_a_broken_promise(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    refused = (401, {"reason": "Unauthorized", "message": "Unauthorized"})
    with running(None, **{"__apis__authentication.k8s.io__v1__selfsubjectreviews": refused}) as server:
        assert verify(server, tmp_path) == 1
    assert "✘ The API server rejects Juju's token" in capsys.readouterr().out


def test_a_private_cluster_from_outside_says_where_to_go(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = outputs_of("http://127.0.0.1:1", tmp_path, apiAccess={"privateCluster": True})
    assert main(["dev", "--outputs", file]) == 3
    assert "private address and cannot be reached" in capsys.readouterr().err


def test_outputs_of_another_stack_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = outputs_of("http://127.0.0.1:1", tmp_path)
    assert main(["prod", "--outputs", file]) == 3
    assert capsys.readouterr().err == (
        f"error: {file}: these are the outputs of stack dev; expected those of prod\n"
    )


def test_what_takes_longer_than_a_minute_is_not_requested(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_reader, "_LIMIT_SECONDS", 0.0)
    monkeypatch.setattr(cluster_reader, "_PROGRESS_SECONDS", 0.0)
    with running() as server:
        assert verify(server, tmp_path) == 3
    shown = capsys.readouterr()
    assert server.requests == []
    assert "the API server took longer than" in shown.out
    assert shown.err.endswith(
        "error: dev: none of the cluster's objects can be read: the API server took longer than 0 s for earlier "
        "requests\n"
    )


def drip(path: str, seconds: float) -> type[BaseHTTPRequestHandler]:
    """A server that sends the answer to one path byte by byte, and says nothing else."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if urlsplit(self.path).path != path:
                self.send_error(503)
                return
            with suppress(OSError):
                for byte in itertools.chain(
                    b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{", itertools.repeat(32)
                ):
                    self.wfile.write(bytes([byte]))
                    time.sleep(seconds)

        do_POST = do_GET  # noqa: N815 - named so by the base class

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - named so by the base class
            pass

    return Handler


@pytest.mark.parametrize("path", ["/version", "/api/v1", "/apis/policy/v1"])
def test_a_server_that_sends_byte_by_byte_is_cut_off(
    path: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_reader, "_LIMIT_SECONDS", 0.8)
    monkeypatch.setattr(cluster_reader, "_ONE_SECONDS", 0.2)
    monkeypatch.setattr(cluster_reader, "_PROGRESS_SECONDS", 0.1)
    began = time.monotonic()
    with serving(drip(path, 0.1)) as url:
        assert main(["dev", "--outputs", outputs_of(url, tmp_path)]) == 3
        assert time.monotonic() - began < 10
    shown = capsys.readouterr()
    assert "the API server has not answered completely within" in shown.out
    assert " s: reading " in shown.err


def test_ctrl_c_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cluster_reader.ClusterReader, "read", interrupted)
    assert main(["dev", "--outputs", outputs_of("http://127.0.0.1:1", tmp_path)]) == 130
    assert capsys.readouterr().err == "error: interrupted; nothing was changed\n"


def test_no_secret_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with running(__api__v1__nodes=None) as server:
        verify(server, tmp_path, jujuToken="hush")
    with running() as server:
        verify(server, tmp_path, "--format", "json", jujuToken="hush")
    shown = capsys.readouterr()
    assert "hush" not in shown.out + shown.err
    assert "mine" not in shown.out + shown.err
