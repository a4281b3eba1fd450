"""Each breakage is reported by the checks that were expected, by no others, and with what to do."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from kubeflow_aks.cli.process import main
from kubeflow_aks.verify import cluster_reader
from tests.verify import clusters as c
from tests.verify.api_server import outputs_of, running
from tests.verify.breakages import MISSED_BEFORE, OTHERS, Breakage


@pytest.mark.parametrize("breakage", [*MISSED_BEFORE, *OTHERS], ids=lambda breakage: breakage.name)
def test_a_breakage_is_reported(
    breakage: Breakage, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_reader, "datetime", _clock(breakage.ahead))
    with running(breakage.change()) as server:
        server.readable = not breakage.unreadable
        code = main(["verify", "dev", "--outputs", outputs_of(server.url, tmp_path), "--format", "json"])
    captured = capsys.readouterr()
    findings = json.loads(captured.out)["findings"]
    assert {each["check"] for each in findings if each["state"] == "failed"} == breakage.found
    assert all(each["action"] for each in findings if each["state"] == "failed")
    assert any(breakage.says in each["message"] for each in findings)
    assert code == (1 if breakage.found else 3 if breakage.unreadable else 0)
    assert captured.err == (
        "error: dev: none of the cluster's objects can be read: no permission: nodes is forbidden\n"
        if breakage.unreadable
        else ""
    )


def test_forty_breakages_are_of_other_kinds() -> None:
    assert len(OTHERS) >= 40
    assert len({each.name for each in (*MISSED_BEFORE, *OTHERS)}) == len(MISSED_BEFORE) + len(OTHERS)


def _clock(ahead: timedelta) -> type[Any]:
    """This machine's clock, as far ahead of the cluster's."""

    class Clock(cluster_reader.datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Any:  # noqa: ARG003 - the base class's
            return c.NOW + ahead

    return Clock
