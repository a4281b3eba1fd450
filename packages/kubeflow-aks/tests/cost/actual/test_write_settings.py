"""What a record shows is written into a stack file, and nothing else of the file changes."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from kubeflow_aks.cli.process import main
from kubeflow_aks.cost import command
from kubeflow_aks.cost.report.document import SCHEMA
from kubeflow_aks.cost.stack import Stack
from kubeflow_aks.recorder.project_file import StackFileError
from kubeflow_aks.recorder.stack_settings import write_settings
from tests.cost.actual.rows import export, node
from tests.cost.actual.test_comparison import made
from tests.cost.reports import node as recorded
from tests.cost.reports import report

RATE = ("cost", "pools", "cpuspot", "evictionRate")
SHARE = ("cost", "pools", "cpuspot", "soldOutShare")


def written(tmp_path: Path, text: str) -> str:
    (tmp_path / "Pulumi.yaml").write_text("name: kf\nruntime: python\n", encoding="utf-8")
    (tmp_path / "Pulumi.dev.yaml").write_text(text, encoding="utf-8")
    write_settings("dev", tmp_path, {RATE: 0.05, SHARE: 0.2})
    return (tmp_path / "Pulumi.dev.yaml").read_text(encoding="utf-8")


BOTH = "cost: {pools: {cpuspot: {soldOutShare: 0.2, evictionRate: 0.05}}}"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("# ours\nconfig:\n  kf:a: 1 # one\n", f"# ours\nconfig:\n  kf:{BOTH}\n  kf:a: 1 # one\n"),
        ("", f"config: {{kf:{BOTH}}}\n"),
        (
            "config:\n  kf:cost:\n",
            "config:\n  kf:cost: {pools: {cpuspot: {soldOutShare: 0.2, evictionRate: 0.05}}}\n",
        ),
        (
            "config:\n  cost:\n    # why\n    currency: EUR\n    pools:\n      gpuspot: {evictionRate: 5-10}\n  b: 1\n",
            (
                "config:\n  cost:\n    # why\n    currency: EUR\n    pools:\n"
                "      cpuspot: {soldOutShare: 0.2, evictionRate: 0.05}\n      gpuspot: {evictionRate: 5-10}\n  b: 1\n"
            ),
        ),
        (
            "config:\n  kf:cost:\n    pools:\n      cpuspot:\n        evictionRate: 5-10 # Azure's\n",
            (
                "config:\n  kf:cost:\n    pools:\n      cpuspot:\n        soldOutShare: 0.2\n"
                "        evictionRate: 0.05 # Azure's\n"
            ),
        ),
        (
            'config: {"kf:cost": {pools: {cpuspot: {soldOutShare: 0.9}}}}\n',
            'config: {"kf:cost": {pools: {cpuspot: {evictionRate: 0.05, soldOutShare: 0.2}}}}\n',
        ),
    ],
    ids=["new", "empty file", "empty key", "other pools", "another value", "braces"],
)
def test_only_the_settings_change(before: str, after: str, tmp_path: Path) -> None:
    assert written(tmp_path, before) == after


def test_an_alias_would_change_two_places_so_nothing_is_written(tmp_path: Path) -> None:
    text = "config:\n  kf:cost:\n    pools:\n      gpuspot: &all {evictionRate: 0.1}\n      cpuspot: *all\n"
    with pytest.raises(
        StackFileError, match=r"Pulumi\.dev\.yaml: kf:cost: its form is not allowed with --write; expected a"
    ):
        written(tmp_path, text)
    assert (tmp_path / "Pulumi.dev.yaml").read_text(encoding="utf-8") == text


def _made(_name: str, _root: Path) -> Stack:
    return made()


def test_the_command_compares_and_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An export of the nodes' group, and a record of 40 hours with a spot node and its fallback for 10 of them."""
    monkeypatch.setattr(command, "planned", _made)
    (tmp_path / "Pulumi.yaml").write_text("name: kf\nruntime: python\n", encoding="utf-8")
    (tmp_path / "Pulumi.dev.yaml").write_text("config:\n  kf:a: 1\n", encoding="utf-8")
    (tmp_path / "export.csv").write_text(export([node("cpuspot", 40, 0.05)]), encoding="utf-8")
    nodes = [recorded("cpuspot/0", 40), recorded("cpuod/0", 20, 10)]
    (tmp_path / "where.json").write_text(json.dumps(report(nodes=nodes, since=40)), encoding="utf-8")
    options = ["cost", "dev", "--root", str(tmp_path), "--offline", "--format", "json", "--write"]
    options += ["--actual", str(tmp_path / "export.csv")]
    assert main(options) == 3
    assert "--write: nothing to write is not allowed; expected a record of nodes" in capsys.readouterr().err
    assert main([*options, "--actual", str(tmp_path / "where.json")]) == 0
    out, problems = capsys.readouterr()
    written = json.loads(out)
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(written)  # pyright: ignore[reportUnknownMemberType]
    assert written["actual"]["total"]["charged"] == pytest.approx(2.0)
    assert [it["value"] for it in written["actual"]["settings"]] == [0.0881, 0.2]
    assert problems.splitlines() == [
        "Pulumi.dev.yaml: cost.pools.cpuspot.evictionRate is 0.0881 now",
        "Pulumi.dev.yaml: cost.pools.cpuspot.soldOutShare is 0.2 now",
    ]
    assert "soldOutShare: 0.2" in (tmp_path / "Pulumi.dev.yaml").read_text(encoding="utf-8")
