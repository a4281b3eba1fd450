"""`python -m verify` against an API server over HTTP: what it asks, tells and returns."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from recorder.run import PROJECT_ROOT
from tests.verify import clusters as c
from tests.verify.api_server import Server, outputs_of, running
from verify import asking
from verify.__main__ import main
from verify.probes import PROBES

SCHEMA = json.loads((PROJECT_ROOT / "verify/verify.schema.json").read_text(encoding="utf-8"))
FORBIDDEN = (
    403,
    {"kind": "Status", "reason": "Forbidden", "message": 'nodes is forbidden: User "me" cannot list'},
)


@pytest.fixture(autouse=True)
def today(monkeypatch: pytest.MonkeyPatch) -> None:
    """The day of the made-up cluster."""

    class Day(asking.datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Any:  # noqa: ARG003 - the base class's
            return c.NOW

    monkeypatch.setattr(asking, "datetime", Day)
    monkeypatch.setenv("COLUMNS", "1000")


def verify(server: Server, folder: Path, *more: str, **changed: Any) -> int:
    """What the command returns."""
    return main(["dev", "--outputs", outputs_of(server.url, folder, **changed), *more])


def test_a_good_cluster_is_told_in_full(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with running() as server:
        assert verify(server, tmp_path) == 0
    told = capsys.readouterr()
    assert told.err == ""
    assert "✘" not in told.out
    assert "–" not in told.out
    assert told.out.splitlines()[-1] == "dev: 25 kept, 0 broken, 0 that can't be seen here"


def test_nothing_is_changed_and_no_list_is_asked_for_at_once(tmp_path: Path) -> None:
    with running() as server:
        assert verify(server, tmp_path) == 0
    posts = [asked for asked in server.asked if not asked.startswith("GET ")]
    pods = [asked for asked in posts if "/pods?" in asked]
    assert len(pods) == len(PROBES)
    assert all("dryRun=All" in asked for asked in pods)
    assert [asked.partition("?")[0] for asked in posts if asked not in pods] == [
        "POST /apis/authentication.k8s.io/v1/selfsubjectreviews"
    ]
    assert all("limit=500" in asked for asked in server.asked if asked.startswith("GET /api/v1/nodes"))
    nodes = [asked for asked in server.asked if asked.startswith("GET /api/v1/nodes")]
    assert [asked.rpartition("continue=")[2] for asked in nodes[1:]] == ["2", "4"]


def test_the_document_keeps_to_its_schema(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with running(__api__v1__nodes=FORBIDDEN) as server:
        assert verify(server, tmp_path, "--format", "json", kubeflow={"argoRetries": False}) == 1
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, SCHEMA)  # pyright: ignore[reportUnknownMemberType]
    states = [found["state"] for found in document["findings"]]
    assert {state: states.count(state) for state in set(states)} == {
        state: document[state] for state in ("kept", "broken", "unseen")
    }
    [retries] = [found for found in document["findings"] if found["check"] == "argo-retries"]
    assert retries["state"] == "broken"


def test_a_missing_right_leaves_the_other_checks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with running(__api__v1__nodes=FORBIDDEN) as server:
        assert verify(server, tmp_path) == 0
    told = capsys.readouterr().out
    assert (
        "– Nodes carry the labels and taints of the pool contract: can't be seen here: you may not ask for it: nodes "
        'is forbidden: User "me" cannot list' in told
    )
    assert "✔ Storage class default is the one default" in told


@pytest.mark.parametrize(
    "answer",
    [(500, "<html>proxy"), (200, "[]"), (429, '{"message": "slow down"}'), (200, '{"items": [3, null, {}]}')],
)
def test_a_strange_answer_is_unseen_at_most(answer: Any, tmp_path: Path) -> None:
    with running(__api__v1__nodes=answer, __api__v1__events=answer) as server:
        assert verify(server, tmp_path) in {0, 1}


@pytest.mark.parametrize(
    ("path", "answer", "told"),
    [
        (
            "__version",
            (401, {"reason": "Unauthorized", "message": "Unauthorized"}),
            (
                "error: dev: the API server does not take the sign-in of the output kubeconfig (it may have expired); "
                "run `pulumi up`, which reads it anew\n"
            ),
        ),
        ("__api__v1__nodes", None, "error: dev: its API server can't be reached: "),
        ("__apis__storage.k8s.io__v1__storageclasses", None, "error: dev: its API server can't be reached: "),
    ],
)
def test_without_the_cluster_there_is_one_line(
    path: str, answer: Any, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with running(**{path: answer}) as server:
        assert verify(server, tmp_path) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(told)
    assert said.err.count("\n") == 1


def test_a_token_that_is_not_taken_any_more_is_a_broken_promise(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    refused = (401, {"reason": "Unauthorized", "message": "Unauthorized"})
    with running(**{"__apis__authentication.k8s.io__v1__selfsubjectreviews": refused}) as server:
        assert verify(server, tmp_path) == 1
    assert "✘ The API server does not take Juju's token" in capsys.readouterr().out


def test_a_private_cluster_from_outside_says_where_to_go(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = outputs_of("http://127.0.0.1:1", tmp_path, apiAccess={"privateCluster": True})
    assert main(["dev", "--outputs", file]) == 1
    assert "private address only" in capsys.readouterr().err


def test_outputs_of_another_stack_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = outputs_of("http://127.0.0.1:1", tmp_path)
    assert main(["prod", "--outputs", file]) == 1
    assert capsys.readouterr().err == (
        f"error: {file}: these are the outputs of stack dev; expected those of prod\n"
    )


def test_what_takes_longer_than_a_minute_is_not_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "_PATIENCE", 0.0)
    monkeypatch.setattr(asking, "_QUIET", 0.0)
    with running() as server:
        assert verify(server, tmp_path) == 0
    told = capsys.readouterr()
    assert server.asked == []
    assert "the API server took longer than" in told.out
    assert told.err.startswith("0 s: reading the version\n")


def test_ctrl_c_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(asking.Asking, "look", interrupted)
    assert main(["dev", "--outputs", outputs_of("http://127.0.0.1:1", tmp_path)]) == 130
    assert capsys.readouterr().err == "error: interrupted; nothing was changed\n"


def test_no_secret_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with running(__api__v1__nodes=None) as server:
        verify(server, tmp_path, jujuToken="hush")
    with running() as server:
        verify(server, tmp_path, "--format", "json", jujuToken="hush")
    told = capsys.readouterr()
    assert "hush" not in told.out + told.err
    assert "mine" not in told.out + told.err
