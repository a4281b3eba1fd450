"""`python -m kubeflow_aks.preview`: what it prints and writes, and what it says of mistakes."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from kubeflow_aks.cli.process import main as command_line
from kubeflow_aks.project import PROJECT_ROOT


def main(arguments: Sequence[str]) -> int:
    """Runs the command."""
    return command_line(["preview", *arguments])


GOOD = """\
config:
  kubeflow-aks:asOf: "2026-11-21"
  kubeflow-aks:tags: {owner: me, environment: trial}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project folder of its own with the real program."""
    for name in ("Pulumi.yaml", "__main__.py"):
        shutil.copy(PROJECT_ROOT / name, tmp_path)
    return tmp_path


def run(project: Path, stack: str, text: str | None) -> int:
    if text is not None:
        (project / f"Pulumi.{stack}.yaml").write_text(text, encoding="utf-8")
    return main([stack, "--root", str(project)])


def test_a_stack_that_a_user_added_is_shown_and_written(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(project, "trial", GOOD) == 0
    shown = capsys.readouterr()
    assert shown.out.startswith("Plan of kubeflow-aks-trial")
    assert shown.err == ""
    written = project / "build" / "trial"
    assert json.loads((written / "plan.json").read_text(encoding="utf-8"))["stack"] == "trial"
    assert (written / "pools.svg").read_text(encoding="utf-8").startswith("<svg")
    assert (written / "pools.mmd").read_text(encoding="utf-8").startswith("flowchart")


def test_a_stack_with_alerts_gets_a_dashboard_with_its_prices(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = project / "build" / "trial" / "dashboard.json"
    alerts = f"{GOOD}  kubeflow-aks:alerts: {{emails: [ml@example.com]}}\n"
    prices = "{Standard_D8ds_v5: {onDemand: 0.5, spot: 0.2, asOf: '2026-11-20'}}"
    for more, price in (
        ("", "cpuspot 0.11424 assumed, on demand 0.544"),
        (f"  kubeflow-aks:cost: {{prices: {prices}}}\n", "cpuspot 0.2, on demand 0.5"),
    ):
        assert run(project, "trial", alerts + more) == 0
        descriptions = [panel["description"] for panel in json.loads(file.read_text("utf-8"))["panels"]]
        assert sum(f"{price};" in description for description in descriptions) == 1
    assert capsys.readouterr().out.endswith("plan.json, pools.svg, pools.mmd, dashboard.json\n")
    run(project, "trial", GOOD)
    assert not file.exists()


@pytest.mark.parametrize(
    ("text", "code", "expected"),
    [
        pytest.param(
            None, 2, ["error: stack 'trial': no file Pulumi.trial.yaml; stacks here: none"], id="no file"
        ),
        pytest.param("config: [", 1, ["error: Pulumi.trial.yaml line 1: not YAML: "], id="not YAML"),
        pytest.param("- a", 1, ["error: Pulumi.trial.yaml: expected a mapping with `config:`"], id="a list"),
        pytest.param(
            f"{GOOD}  kubeflow-aks:protect: perhaps\n  kubeflow-aks:colour: red\n",
            1,
            [
                "error: Pulumi.trial.yaml holds mistakes; nothing was created:",
                "protect: 'perhaps' is not allowed; expected true or false",
                "colour: 'red' is not allowed; expected one of the keys location, resourceGroup, ",
            ],
            id="two mistakes",
        ),
    ],
)
def test_each_mistake_is_a_line_and_nothing_is_written(
    project: Path, capsys: pytest.CaptureFixture[str], text: str | None, code: int, expected: list[str]
) -> None:
    assert run(project, "trial", text) == code
    shown = capsys.readouterr()
    lines = shown.err.splitlines()
    assert shown.out == ""
    assert len(lines) == len(expected)
    assert all(line.startswith(start) for line, start in zip(lines, expected, strict=True))
    assert not (project / "build").exists()


def test_a_folder_without_a_project_is_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dev", "--root", str(tmp_path)]) == 1
    assert capsys.readouterr().err == f"error: Pulumi.yaml: no such file in {tmp_path.name}/\n"


def test_the_output_fits_the_terminal(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "72")
    run(project, "trial", GOOD)
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 72


def test_encrypted_values_are_noted_and_not_refused(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    text = """\
encryptionsalt: v1:x
config:
  asOf: "2026-11-21"
  tags: {owner: {secure: v1:a}, environment: trial}
  ssh: {publicKey: {secure: v1:b}}
"""
    assert run(project, "trial", text) == 0
    note = "rules that need them were not checked: kubeflow-aks:ssh.publicKey, kubeflow-aks:tags.owner\n"
    assert note in capsys.readouterr().out
    assert "encrypted" not in (project / "build" / "trial" / "plan.json").read_text(encoding="utf-8")


def test_beside_mistakes_encrypted_values_are_noted_too(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        run(project, "trial", f"{GOOD}  protect: perhaps\n  kubeflow: {{dnsLabel: {{secure: v1:a}}}}\n") == 1
    )
    assert capsys.readouterr().err.splitlines() == [
        "error: Pulumi.trial.yaml holds mistakes; nothing was created:",
        "protect: 'perhaps' is not allowed; expected true or false",
        "Pulumi.trial.yaml: encrypted values, so rules that need them were not checked: kubeflow-aks:kubeflow.dnsLabel",
    ]
