"""`python -m kubeflow_aks.cost.trace`: its lines are what a stack's file may say."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from kubeflow_aks.cli.process import main as command_line
from kubeflow_aks.cost.basis import Cost


def main(arguments: Sequence[str]) -> int:
    """Runs the command."""
    return command_line(["cost-trace", *arguments])


def _printed(
    data: list[int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> tuple[str, dict[str, Any]]:
    file = tmp_path / "trace.json"
    file.write_text(json.dumps({"metadata": {"gap_seconds": 600}, "data": data}), encoding="utf-8")
    assert main(["gpuspot", str(file)]) == 0
    text = capsys.readouterr().out
    return text.splitlines()[0], yaml.safe_load(text)["kubeflow-aks:cost"]


def test_its_lines_are_settings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sentence, settings = _printed([1, 1, 0, 0, 1, 1], tmp_path, capsys)
    assert sentence == "# trace.json: 1 VM, 0.0 days, 0.3 h without one on average"
    pool = settings["pools"]["gpuspot"]
    assert pool == {
        "evictionRate": pytest.approx(0.912209),
        "soldOutShare": pytest.approx(0.333333),
        "soldOutHours": pytest.approx(1 / 3, abs=1e-6),
    }


def test_several_vms_that_are_always_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sentence, settings = _printed([4] * 300, tmp_path, capsys)
    assert sentence == "# trace.json: 4 VMs, 2.1 days"
    assert settings["pools"]["gpuspot"] == {"evictionRate": 0, "soldOutShare": 0}


@pytest.mark.parametrize("data", [[1, 0] * 20, [1] + [0] * 2_000_000, [1, 1, 0, 0, 1, 1]])
def test_a_bill_takes_them(data: list[int], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, settings = _printed(data, tmp_path, capsys)
    pool = Cost.model_validate(settings).pools["gpuspot"]
    assert pool.sold_out_share is not None
    assert 0 <= pool.sold_out_share < 1


def test_what_is_no_trace_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bad.json").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "empty.json").write_text("{}", encoding="utf-8")
    for name, lines, code in (("bad.json", 1, 3), ("none.json", 1, 2), ("empty.json", 2, 3)):
        assert main(["gpuspot", str(tmp_path / name)]) == code
        result = capsys.readouterr()
        assert result.out == ""
        assert len(result.err.splitlines()) == lines
        assert name in result.err
