"""A repository on GitHub, and a job that may write to it."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from kubeflow_aks.clients import github as client
from tests.ci.github_api import REPOSITORY, TOKEN, Repository, github
from tests.ci.previewed import RUN


@pytest.fixture
def repository() -> Repository:
    """An empty one."""
    return Repository()


@pytest.fixture
def job(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> Generator[str]:
    """The environment of a job of that repository; yields the API's address. Waiting takes no time."""
    with github(repository) as address:
        for name, value in {
            "GITHUB_API_URL": address,
            "GITHUB_REPOSITORY": REPOSITORY,
            "GITHUB_TOKEN": TOKEN,
            "GITHUB_SERVER_URL": "https://github.com",
            "GITHUB_SHA": "c" * 40,
            "GITHUB_RUN_ID": "77",
        }.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(client.time, "sleep", _wait_for_nothing)
        yield address


@pytest.fixture
def of_the_run(job: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The job runs after the preview of a pull request."""
    assert job
    monkeypatch.setenv("RUN_ID", str(RUN))


def _wait_for_nothing(_: float) -> None:
    """Takes the place of `time.sleep`."""
