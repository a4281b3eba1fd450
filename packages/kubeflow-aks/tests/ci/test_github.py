"""GitHub's responses to a job that comments: limits, refusals, pages on another host."""

from __future__ import annotations

import pytest

from kubeflow_aks.cli.process import main
from tests.ci.github_api import Repository
from tests.ci.previewed import bodies, left, previewed, run_comment

NO_HEADERS: dict[str, str] = {}
pytestmark = pytest.mark.usefixtures("of_the_run")


@pytest.mark.parametrize(
    ("method", "fault", "words"),
    [
        ("POST", (403, NO_HEADERS, "Resource not accessible by integration"), "may not do this"),
        ("POST", (404, NO_HEADERS, "Not Found"), "it does not exist"),
        ("POST", (410, NO_HEADERS, "Issues are disabled for this repo"), "disabled in this repository ("),
        ("POST", (422, NO_HEADERS, "Validation Failed"), "rejects it as invalid"),
        ("POST", (502, NO_HEADERS, "Bad Gateway"), "GitHub fails"),
        ("GET", (401, NO_HEADERS, "Bad credentials"), "not valid"),
    ],
    ids=str,
)
def test_what_github_refuses_is_one_line(
    method: str,
    fault: tuple[int, dict[str, str], str],
    words: str,
    repository: Repository,
    capsys: pytest.CaptureFixture[str],
) -> None:
    previewed(repository, {"dev": left()})
    repository.faults = [(method, "/issues/7/comments", fault)]
    code, err = run_comment(capsys)
    assert (code, err.count("\n")) == (1, 1)
    assert words in err
    assert fault[2] in err
    assert str(fault[0]) in err


@pytest.mark.parametrize(
    ("method", "fault"),
    [
        ("GET", (500, NO_HEADERS, "")),
        ("GET", (429, {"Retry-After": "3"}, "")),
        ("POST", (403, {"Retry-After": "3"}, "You have exceeded a secondary rate limit")),
        ("POST", (403, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1"}, "API rate limit exceeded")),
    ],
    ids=str,
)
def test_what_passes_is_waited_for(
    method: str, fault: tuple[int, dict[str, str], str], repository: Repository
) -> None:
    previewed(repository, {"dev": left()})
    repository.faults = [(method, "/issues/7/comments", fault)] * 2
    assert main(["ci", "comment"]) == 0
    assert len(bodies(repository)) == 1


def test_a_limit_that_lasts_too_long_is_an_error(
    repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    previewed(repository, {"dev": left()})
    repository.faults = [("POST", "comments", (403, {"Retry-After": "3600"}, "secondary rate limit"))]
    code, err = run_comment(capsys)
    assert (code, err.count("\n")) == (1, 1)


def test_a_next_page_elsewhere_is_not_followed(
    repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    previewed(repository, {"dev": left()})
    odd = {"Link": '<https://evil.example/comments>; rel="next"'}
    repository.faults = [("GET", "/pulls", (200, odd, []))]
    code, err = run_comment(capsys)
    assert (code, err.count("\n")) == (1, 1)
    assert "next page" in err


def test_without_a_job_the_missing_variable_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("GITHUB_TOKEN")
    assert run_comment(capsys) == (1, "error: GITHUB_TOKEN: not set; GitHub Actions sets it for a job\n")
