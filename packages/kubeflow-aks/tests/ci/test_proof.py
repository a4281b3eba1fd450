"""The line of history that a proof leaves: what was found, and null for what the run did not come to."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest

from kubeflow_aks.ci.proof import run
from kubeflow_aks.exit_codes import InconclusiveError
from kubeflow_aks.project import PROJECT_ROOT

NOW: Final = datetime(2026, 11, 24, 3, tzinfo=UTC)
OBSERVED: Final = PROJECT_ROOT / "packages/kubeflow-aks/tests/scenario/data/observations.json"
VERIFIED: Final[dict[str, Any]] = {
    "version": 2,
    "stack": "demo-proof",
    "passed": 20,
    "failed": 1,
    "unknown": 2,
    "findings": [],
}
MEASURED: Final = {
    "version": 1,
    "stack": "demo-proof",
    "where": "azure",
    "date": "2026-11-24",
    "location": "westeurope",
    "pools": {"cpuspot": {"vmSize": "Standard_D8ds_v5", "bootSeconds": [95.5], "drained": [True]}},
}


def test_a_run_that_came_to_its_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "verify.json").write_text(json.dumps(VERIFIED))
    (tmp_path / "drill.json").write_bytes(OBSERVED.read_bytes())
    (tmp_path / "measured.json").write_text(json.dumps(MEASURED))
    assert run("demo-proof", "0a1b2c3", tmp_path, NOW) == 0
    [text] = capsys.readouterr().out.splitlines()
    line = json.loads(text)
    assert (line["time"], line["commit"]) == ("2026-11-24T03:00:00+00:00", "0a1b2c3")
    assert line["verify"] == {"passed": 20, "failed": 1, "unknown": 2}
    assert line["drill"]["kept"] > 0
    assert line["drill"]["broken"] == 0
    assert line["measured"]["where"] == "azure"
    assert line["measured"]["pools"]["cpuspot"]["bootSeconds"] == [95.5]


def test_a_run_that_ended_early_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("demo-proof", "0a1b2c3", tmp_path / "nothing", NOW) == 0
    line = json.loads(capsys.readouterr().out)
    assert (line["verify"], line["drill"], line["measured"]) == (None, None, None)


@pytest.mark.parametrize("name", ["verify.json", "drill.json", "measured.json"])
@pytest.mark.parametrize("text", ["", "{", "[]", "null", "{}", '{"passed": null}', "\udcff"])
def test_a_result_that_is_none_is_one_line(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(InconclusiveError, match=rf"{name}: is not what its command writes$"):
        run("demo-proof", "0a1b2c3", tmp_path, NOW)
