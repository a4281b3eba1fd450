"""Each breakage is reported by the checks that were expected, by no others, and with what to do."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import pytest

from kubeflow_aks.cli.process import main
from kubeflow_aks.verify import cluster_reader
from tests.verify import clusters as c
from tests.verify.api_server import outputs_of, running, state_in
from tests.verify.breakages import INVENTED, MISSED_BEFORE, NAMED, OTHERS, Breakage

ALL: Final = (*MISSED_BEFORE, *OTHERS, *NAMED, *INVENTED)


@pytest.mark.parametrize("breakage", ALL, ids=lambda breakage: breakage.name)
def test_a_breakage_is_reported(
    breakage: Breakage, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_reader, "datetime", _clock(breakage.ahead))
    with running(breakage.change()) as server:
        server.readable = not breakage.unreadable
        files = ("--outputs", outputs_of(server.url, tmp_path), "--state", state_in(tmp_path))
        code = main(["verify", "dev", *files, "--format", "json"])
    captured = capsys.readouterr()
    findings = json.loads(captured.out)["findings"]
    assert {finding["check"] for finding in findings if finding["state"] == "failed"} == breakage.checks
    assert all(finding["action"] for finding in findings if finding["state"] == "failed")
    assert any(breakage.says in finding["message"] for finding in findings)
    failed = 4 if breakage.later else 1
    assert code == (failed if breakage.checks else 3 if breakage.unreadable else 0)
    assert captured.err == (
        "error: dev: none of the cluster's objects can be read: no permission: nodes is forbidden\n"
        if breakage.unreadable
        else ""
    )


def test_forty_breakages_are_of_other_kinds() -> None:
    assert len(OTHERS) >= 40
    assert len(INVENTED) >= 40
    assert len({breakage.name for breakage in ALL}) == len(ALL)


def _clock(ahead: timedelta) -> type[Any]:
    """This machine's clock, as far ahead of the cluster's."""

    class Clock(cluster_reader.datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Any:  # noqa: ARG003 - the base class's
            return c.NOW + ahead

    return Clock
