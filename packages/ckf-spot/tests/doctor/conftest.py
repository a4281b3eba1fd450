"""The program run against a stand-in for the API server."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlsplit

import pytest
from ready_cluster import Api, Doctor, Report, ready

from ckf_spot import cli


@pytest.fixture
def api(serve: Callable[[Callable[[str], tuple[int, bytes]]], None]) -> Api:
    """The API server that KUBECONFIG names, of a cluster that is ready."""
    api = Api(ready())
    serve(lambda path: api.answer("GET", urlsplit(path).path))
    return api


@pytest.fixture
def doctor(capsys: pytest.CaptureFixture[str]) -> Doctor:
    """Runs `ckf-spot doctor`."""

    def ran(*arguments: str) -> Report:
        try:
            code = cli.main(["doctor", *arguments])
        except SystemExit as end:
            code = int(end.code or 0)
        output = capsys.readouterr()
        return Report(code, output.out.splitlines(), output.err.splitlines())

    return ran
