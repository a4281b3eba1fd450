"""What an `up` would lose, against what the reviewers approved."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kubeflow_aks.cli.process import main
from tests.ci.test_drifts import CLUSTER, MAP, POOL, output, step

KEPT = [step("same", CLUSTER, "aks"), step("update", MAP, "map"), step("create", POOL, "new")]
REPLACED = [
    step("create-replacement", POOL, "gpuspot"),
    step("replace", POOL, "gpuspot"),
    step("delete-replaced", POOL, "gpuspot"),
]
GONE = step("delete", POOL, "cpuspot")
POOL_TYPE = "azure-native:containerservice:AgentPool"


def _file(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text, encoding="utf-8")
    return str(folder / name)


def _approved(folder: Path, capsys: pytest.CaptureFixture[str], text: str) -> str:
    assert main(["ci", "losses", _file(folder, "before.json", text)]) == 0
    return _file(folder, "approved.json", capsys.readouterr().out)


def test_kinds_and_names_of_losses_are_printed_and_nothing_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    secret = step("delete", MAP, "map", oldState={"inputs": {"data": {"password": "hunter2"}}})
    assert main(["ci", "losses", _file(tmp_path, "p.json", output(*KEPT[:1], *REPLACED, secret))]) == 0
    printed = capsys.readouterr().out
    assert sorted(json.loads(printed).values()) == ["deleted", "replaced"]
    assert "hunter2" not in printed


def test_what_was_approved_may_be_lost(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    approved = _approved(tmp_path, capsys, output(*KEPT, *REPLACED, GONE))
    for now in ([*KEPT, *REPLACED, GONE], [*KEPT, GONE], KEPT):
        assert main(["ci", "losses", _file(tmp_path, "now.json", output(*now)), "--approved", approved]) == 0
    assert "beyond the approved preview's 2" in capsys.readouterr().out


def test_what_was_not_approved_stops_the_up_and_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    approved = _approved(tmp_path, capsys, output(*KEPT, *REPLACED))
    now = _file(tmp_path, "now.json", output(*KEPT, GONE, step("delete", POOL, "gpuspot")))
    assert main(["ci", "losses", now, "--approved", approved]) == 1
    assert capsys.readouterr().err.splitlines()[:2] == [
        f"error: {POOL_TYPE} {name} would be deleted, which the approved preview does not have"
        for name in ("cpuspot", "gpuspot")
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"steps": 1}',
        '{"steps": [{}]}',
        '{"steps": ["delete"]}',
        '{"steps": [{"op": "delete", "urn": "x"}]}',
        "[" * 99999,
    ],
)
def test_a_preview_that_failed_is_not_judged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    assert main(["ci", "losses", _file(tmp_path, "p.json", text)]) == 3
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("text", ["", "[]", '{"urn": "kept"}', '{"urn": 1}'])
def test_a_file_that_is_no_approval_approves_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    now, approved = _file(tmp_path, "now.json", output(*KEPT)), _file(tmp_path, "approved.json", text)
    assert main(["ci", "losses", now, "--approved", approved]) == 3
    assert capsys.readouterr().err.count("\n") == 1
