"""Comments on a pull request: by its API's documentation, and whatever the pull request left."""

from __future__ import annotations

import io
import json
import random
import zipfile
from contextlib import suppress
from typing import Any

import pytest

from kubeflow_aks.ci import artifact
from kubeflow_aks.ci.artifact import ArtifactError
from kubeflow_aks.ci.stacks import LIMIT
from kubeflow_aks.cli.process import main
from kubeflow_aks.pull_request.report import MARKER
from tests.ci.github_api import Repository
from tests.ci.previewed import (
    FORK,
    NUMBER,
    RUN,
    SHA,
    archive,
    bodies,
    document,
    left,
    previewed,
    pull,
    run_comment,
)

ADDRESS = "https://github.com/team/kubeflow-aks/actions/runs/500"


pytestmark = pytest.mark.usefixtures("of_the_run")


def test_all_stacks_have_one_comment(repository: Repository) -> None:
    previewed(repository, {"dev": left("dev"), "prod": left("prod")})
    assert main(["ci", "comment"]) == 0
    [body] = bodies(repository)
    assert body.splitlines()[0] == MARKER
    assert "Preview: 2 of 2 stacks change" in body
    assert "\n#### `dev`: 1 updated" in body
    assert "\n#### `prod`: 1 updated" in body
    assert f"Preview of {SHA[:12]}" in body
    assert body.index(f"code of the fork `{FORK}` computed this preview") < body.index("| Stack |")
    assert ADDRESS in body
    page = "docs/how-to/preview-a-pull-request.md"
    assert f"[`{page}`](https://github.com/team/kubeflow-aks/blob/HEAD/{page})" in body
    assert repository.leaked == []


@pytest.mark.parametrize(
    ("names", "comments"),
    [
        (["docs/a.md", "README.md", "packages/ckf-spot/docs/b.md"], 0),
        (["docs/a.md", "__main__.py"], 1),
        (["docs"], 1),
        ([], 1),
    ],
    ids=["documents", "and code", "a link called docs", "none listed"],
)
def test_documents_alone_are_no_reason_to_comment(
    names: list[str], comments: int, repository: Repository
) -> None:
    same = json.dumps(document(changes=()))
    previewed(repository, {"dev": left(files={"dev.json": same})})
    repository.files[NUMBER] = [{"filename": name, "previous_filename": name} for name in names]
    assert main(["ci", "comment"]) == 0
    assert bodies(repository) == comments * [
        f"{MARKER}\nNothing changes in `dev`.\n{comment_of_fork()}\n{origin()}\n"
    ]


def comment_of_fork() -> str:
    return (
        f"<sub>The code of the fork `{FORK}` computed this preview: its figures, names and sentences are the fork's, "
        "and prove nothing.</sub>\n"
    )


def origin() -> str:
    return f"<sub>Preview of {SHA[:12]}: [run]({ADDRESS}).</sub>"


def test_documents_that_change_a_stack_are_commented_on_and_a_comment_is_kept_up_to_date(
    repository: Repository,
) -> None:
    repository.files[NUMBER] = [{"filename": "docs/a.md"}]
    previewed(repository, {"dev": left()})
    assert main(["ci", "comment"]) == 0
    previewed(repository, {"dev": left(files={"dev.json": json.dumps(document(changes=()))})})
    assert main(["ci", "comment"]) == 0
    [body] = bodies(repository)
    assert "Nothing changes in `dev`." in body


def test_a_failed_run_is_reported(repository: Repository) -> None:
    previewed(repository, {"dev": left()})
    repository.runs[RUN]["conclusion"] = "failure"
    assert main(["ci", "comment"]) == 0
    assert "It failed: a stack that is not named here has no result." in bodies(repository)[0]


def test_it_is_updated_in_place_and_left_when_nothing_is_new(repository: Repository) -> None:
    previewed(repository, {"dev": left()})
    repository.comment(NUMBER, f"{MARKER}\r\nold")
    assert main(["ci", "comment"]) == 0
    assert len(bodies(repository)) == 1
    assert "old" not in bodies(repository)[0]
    repository.requests.clear()
    assert main(["ci", "comment"]) == 0
    assert not [request for request in repository.requests if not request.startswith("GET")]


def test_ours_is_found_on_a_later_page_and_a_forged_marker_is_not_ours(repository: Repository) -> None:
    previewed(repository, {"dev": left()})
    repository.per_page = 2
    forged = repository.comment(NUMBER, f"{MARKER}\nforged", {"login": "stranger", "type": "User"})
    other = repository.comment(NUMBER, f"{MARKER}\nother app", {"login": "renovate[bot]", "type": "Bot"})
    imposter = repository.comment(NUMBER, f"{MARKER}\nx", {"login": "github-actions", "type": "User"})
    for number in range(5):
        repository.comment(NUMBER, f"talk {number}", {"login": "someone", "type": "User"})
    quoted = repository.comment(NUMBER, f"> {MARKER}\nquoted")
    ours = repository.comment(NUMBER, f"{MARKER}\nold")
    assert main(["ci", "comment"]) == 0
    assert len(bodies(repository)) == 10
    assert "old" not in ours["body"]
    assert [one["body"].splitlines()[1] for one in (forged, other, imposter, quoted)] == [
        "forged",
        "other app",
        "x",
        "quoted",
    ]


def test_hostile_words_in_the_document_do_not_come_alive(repository: Repository) -> None:
    changed = document()
    changed["notes"] = [
        "<!-- kubeflow-aks preview -->",
        f"@team/admins #{1} https://evil.example \ud800",
    ]
    previewed(repository, {"dev": left(files={"dev.json": json.dumps(changed)})})
    assert main(["ci", "comment"]) == 0
    [body] = bodies(repository)
    assert body.count("<!--") - body.count("`<!--") == 1
    assert " @team" not in body


def test_a_stack_that_vanished_is_no_longer_in_the_comment(repository: Repository) -> None:
    previewed(repository, {"dev": left()})
    ours = repository.comment(NUMBER, f"{MARKER}\n`gone`: replaces two pools")
    drift = repository.comment(NUMBER, "<!-- kubeflow-aks drift: dev -->\nanother of ours")
    assert main(["ci", "comment"]) == 0
    assert "gone" not in ours["body"]
    assert drift["body"].endswith("another of ours")


def test_a_run_without_artifacts_replaces_the_earlier_comment(repository: Repository) -> None:
    previewed(repository, {})
    old = repository.comment(NUMBER, f"{MARKER}\nReplaces two pools")
    assert main(["ci", "comment"]) == 0
    assert "gave no result" in old["body"]


@pytest.mark.parametrize(
    "pulls",
    [
        [],
        [pull(sha="d" * 40)],
        [pull(fork="someone/kubeflow-aks")],
        [pull(fork=None)],
        [pull(base="someone/else")],
    ],
    ids=["none", "pushed since", "another fork", "fork gone", "another repository"],
)
def test_nothing_is_written_unless_the_head_is_still_that_commit(
    pulls: list[dict[str, Any]], repository: Repository
) -> None:
    previewed(repository, {"dev": left()})
    repository.pulls = pulls
    assert main(["ci", "comment"]) == 0
    assert repository.comments == {}


def test_the_number_in_the_artifact_points_to_no_other_pull_request(repository: Repository) -> None:
    previewed(repository, {"dev": left(number=999)})
    repository.comment(999, "somebody else's pull request")
    assert main(["ci", "comment"]) == 0
    assert len(repository.comments[999]) == 1
    assert len(bodies(repository)) == 1


def test_of_two_pull_requests_with_one_head_the_artifact_names_one(repository: Repository) -> None:
    previewed(repository, {"dev": left(number=8)})
    repository.pulls = [pull(), pull(8)]
    assert main(["ci", "comment"]) == 0
    assert bodies(repository) == []
    assert len(repository.comments[8]) == 1


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"PK\x03\x04 broken",
        archive({"../../etc/passwd": "x"}),
        archive({"dev.json": "{}", "pull-request": "7", "more.sh": "x"}),
        left(files={"pull-request": "7; id"}),
        left(files={"pull-request": "7" * 100}),
        left(files={"pull-request": "٧"}),
        left(files={"dev.json": "{}"}),
        left(files={"dev.json": "[]"}),
        left(files={"dev.json": "not json"}),
        left(files={"dev.json": "[" * 100_000}),
        left(files={"dev.json": b"\xff\xfe"}),
        left(files={"dev.json": json.dumps({**document(), "cost": float("nan")})}),
        left(files={"dev.json": json.dumps({**document(), "more": 1})}),
        left(files={"dev.json": json.dumps(document("prod"))}),
        left(files={"dev.json": json.dumps(document())[:-1] + " " * 20_000_001 + "}"}),
    ],
    ids=[
        "empty",
        "broken",
        "path upwards",
        "one file more",
        "number with a command",
        "long number",
        "number in other digits",
        "empty document",
        "list",
        "no JSON",
        "nested without end",
        "no UTF-8",
        "NaN",
        "one key more",
        "of another stack",
        "unpacks to 20 MB",
    ],
)
def test_what_is_no_artifact_of_ours_is_one_line_and_never_shown(
    content: bytes, repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    previewed(repository, {"dev": content, "prod": left("prod")})
    code, err = run_comment(capsys)
    assert code == 1
    assert err.startswith("error: preview-dev: ")
    assert err.count("\n") == 1
    [body] = bodies(repository)
    assert "No result for `dev`: see the run." in body
    assert "#### `prod`" in body


@pytest.mark.parametrize(
    "method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
)
def test_however_an_archive_is_broken_it_is_refused(method: int) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as file:
        for name, text in {"dev.json": json.dumps(document()), "pull-request": "7"}.items():
            file.writestr(name, text)
    whole, chance = packed.getvalue(), random.Random(1)  # noqa: S311 - the same in each run
    for _ in range(800):
        broken = bytearray(whole)
        for _ in range(chance.randint(1, 3)):
            broken[chance.randrange(len(broken))] = chance.choice((0, 255, chance.randrange(256)))
        del broken[chance.choice((len(broken), chance.randrange(len(broken)))) :]
        with suppress(ArtifactError):
            artifact.preview("dev", bytes(broken))


@pytest.mark.parametrize("path", ["/actions/runs/500$", "/pulls", "/artifacts", "/comments"])
@pytest.mark.parametrize(
    "answer",
    [
        (200, {}, b"<html>Sign in</html>"),
        (200, {}, b""),
        (200, {}, b"\xff"),
        (200, {}, b"[" * 100_000),
        (200, {}, b"null"),
        (200, {}, b'"text"'),
        (200, {}, b"[1]"),
        (200, {}, b'{"artifacts": 1}'),
        (301, {"Location": "/repositories/1"}, b'{"message": "Moved Permanently"}'),
        (302, {"Location": "https://evil.example/"}, b""),
        (404, {}, b"<html>"),
        (403, {"Retry-After": "9" * 400}, b"{}"),
        (429, {"Retry-After": "-1"}, b"[]"),
        (200, {"Link": '<https://evil.example/>; rel="next"'}, b"[]"),
    ],
    ids=lambda answer: f"{answer[0]} {[*answer[1]]} {answer[2][:20]!r}",
)
def test_an_odd_answer_of_github_is_one_line(
    answer: tuple[int, dict[str, str], bytes],
    path: str,
    repository: Repository,
    capsys: pytest.CaptureFixture[str],
) -> None:
    previewed(repository, {"dev": left()})
    repository.faults += [("GET", path, answer)] * 5
    code, err = run_comment(capsys)
    if code == 0:  # a list that is empty, or a limit that passed
        assert answer[2] == b"[]"
    else:
        assert err.startswith("error: ")
        assert err.count("\n") == 1
    assert not any("evil" in request for request in repository.requests)


def test_pages_without_end_are_not_followed(
    repository: Repository, job: str, capsys: pytest.CaptureFixture[str]
) -> None:
    previewed(repository, {"dev": left()})
    same = f'<{job}/repos/team/kubeflow-aks/issues/7/comments?page=2>; rel="next"'
    repository.faults += [("GET", "/comments", (200, {"Link": same}, b"[]"))] * 1000
    assert run_comment(capsys) == (1, f"error: /issues/{NUMBER}/comments has more than 10000 entries\n")


def test_a_document_as_large_as_can_be_is_written_in_time(repository: Repository) -> None:
    large = document()
    large["changes"] = large["changes"][:1] * 20_000
    large["notes"] = ["x" * 1_000] * 2_000
    previewed(repository, {"dev": left(files={"dev.json": json.dumps(large)})})
    assert main(["ci", "comment"]) == 0
    assert len(bodies(repository)[0]) < 65_536


def test_a_document_that_is_nested_too_deep_is_refused(
    repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    deep = document()
    value: Any = "x"
    for _ in range(500):
        value = [value]
    deep["changes"][0]["differences"] = [{"path": "a", "kind": "update", "before": value, "after": 1}]
    previewed(repository, {"dev": left(files={"dev.json": json.dumps(deep)})})
    assert run_comment(capsys) == (1, "error: preview-dev: the document is too deep\n")


def test_an_artifact_too_large_to_be_ours_is_not_read_to_its_end(
    repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    previewed(repository, {"dev": b"x" * 5_000_001})
    code, err = run_comment(capsys)
    assert code == 1
    assert "more than 5000000 bytes" in err


def test_names_that_no_stack_has_and_expired_artifacts_are_left_out(repository: Repository) -> None:
    previewed(repository, {"dev": left()})
    repository.artifacts[RUN] += [
        {"id": 1, "name": "preview-$(id)", "expired": False},
        {"id": 2, "name": "coverage", "expired": False},
        {"id": 3, "name": "preview-prod", "expired": True},
    ]
    assert main(["ci", "comment"]) == 0
    assert len(bodies(repository)) == 1


def test_of_a_repeated_run_the_newest_artifact_counts(repository: Repository) -> None:
    previewed(repository, {"dev": left(), "prod": left("prod")})
    older = archive({})
    repository.archives[1] = older
    repository.artifacts[RUN].append({"id": 1, "name": "preview-dev", "expired": False})
    assert main(["ci", "comment"]) == 0
    assert "Preview: 2 of 2 stacks change" in bodies(repository)[0]


def test_a_run_with_more_stacks_than_there_can_be_is_refused(
    repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    previewed(repository, {f"s{number}": b"" for number in range(LIMIT + 1)})
    code, err = run_comment(capsys)
    assert code == 1
    assert "expected at most 50" in err
    assert bodies(repository) == []


def test_as_many_stacks_as_there_can_be_have_one_comment_that_github_takes(repository: Repository) -> None:
    stacks = [f"{'s' * 90}{number}" for number in range(LIMIT)]
    large = document()
    page = "`docs/how-to/move-a-pool.md`"
    large["words"] = [
        {"kind": "x", "level": "danger", "subject": "字" * 99, "text": f"{page} 字{'字! ' * 999}"}
    ] * 40
    large["policy"]["new"] = [
        {"rule": "a", "severity": "low", "mandatory": True, "urn": "u", "message": "字" * 999}
    ] * 40
    previewed(
        repository,
        {
            stack: left(stack, files={f"{stack}.json": json.dumps({**large, "stack": stack})})
            for stack in stacks
        },
    )
    assert main(["ci", "comment"]) == 0
    [body] = bodies(repository)
    assert len(body) < 65_536
    assert all(f"| `{stack}` |" in body for stack in stacks)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("event", "push"),
        ("path", ".github/workflows/evil.yml"),
        ("head_repository", None),
    ],
)
def test_another_run_is_not_taken(
    field: str, value: Any, repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    previewed(repository, {"dev": left()})
    repository.runs[RUN][field] = value
    code, err = run_comment(capsys)
    assert (code, err.count("\n")) == (1, 1)
    assert repository.comments == {}


@pytest.mark.parametrize("number", ["", "x", "500/../501", "9999"])
def test_a_run_that_is_none_is_one_line(
    number: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RUN_ID", number)
    code, err = run_comment(capsys)
    assert (code, err.count("\n")) == (1, 1)


def test_another_app_or_person_can_be_the_author(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMMENT_AUTHOR", "platform-team")
    previewed(repository, {"dev": left()})
    ours = repository.comment(NUMBER, f"{MARKER}\nold", {"login": "platform-team", "type": "User"})
    assert main(["ci", "comment"]) == 0
    assert "old" not in ours["body"]


def test_a_comment_that_github_lost_is_made_by_the_next_run(repository: Repository) -> None:
    previewed(repository, {"dev": left()})
    repository.faults = [("POST", "comments", (502, {}, ""))]
    assert main(["ci", "comment"]) == 1
    assert main(["ci", "comment"]) == 0
    assert len(bodies(repository)) == 1
