"""`kubeflow-aks quota`: what a stack needs beside what there is."""

import io
import json
from pathlib import Path

import pytest

from kubeflow_aks.cli.process import main as command_line
from kubeflow_aks.clients.errors import ClientError
from kubeflow_aks.clients.vm_usage import Quota, usage_of
from kubeflow_aks.preview.quota import compared
from tests.clients.az_placement import FORBIDDEN, installed, words

NEEDED = {"standardDSv5Family": 44, "cores": 104, "lowPriorityCores": 96}


def answer(**limits: int) -> str:
    """What `az vm list-usage` answers, with 4 vCPU of each quota used; it gives numbers as text."""
    return json.dumps(
        [
            {
                "currentValue": "4",
                "limit": str(limit),
                "name": {"localizedValue": name, "value": name},
                "unit": "Count",
            }
            for name, limit in limits.items()
        ]
    )


ENOUGH = answer(
    standardDSv5Family=48,
    standardDDSv5Family=100,
    cores=200,
    lowPriorityCores=100,
    **{"Standard NCASv3_T4 Family": 100},
)


def test_what_is_free_counts_not_the_limit() -> None:
    usage = {"standarddsv5family": Quota(4, 48), "cores": Quota(0, 104), "lowprioritycores": Quota(1, 96)}
    lines, enough = compared(NEEDED, usage, 200)
    assert [line.split()[:4] for line in lines[1:]] == [
        ["standardDSv5Family", "44", "4", "48"],
        ["cores", "104", "0", "104"],
        ["lowPriorityCores", "96", "1", "96"],
    ]
    assert [line.endswith("enough") for line in lines[1:]] == [True, True, False]
    assert lines[-1].endswith("1 more needed")
    assert not enough


def test_a_family_that_azure_does_not_list_is_not_enough() -> None:
    lines, enough = compared({"standardDSv5Family": 44}, {}, 200)
    assert lines[1].endswith("not listed in this region")
    assert not enough


@pytest.mark.parametrize("text", ["", "{}", "[1]", '[{"name": {}}]', "[" * 100_000, '[{"limit": "many"}]'])
def test_what_is_no_answer_of_az_is_refused(text: str) -> None:
    with pytest.raises(ClientError):
        usage_of(text)


def main(arguments: list[str]) -> int:
    """Runs the command."""
    return command_line(["quota", *arguments])


def test_enough_quota_is_0_and_too_little_is_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for text, status in ((ENOUGH, 0), (answer(cores=103), 1)):
        (tmp_path / "usage.json").write_text(text, encoding="utf-8")
        assert main(["dev", "--usage", str(tmp_path / "usage.json")]) == status
        assert "dev in westeurope" in capsys.readouterr().out


def test_the_answer_may_come_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    for encoding in ("utf-8", "utf-16"):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(ENOUGH.encode(encoding))))
        assert main(["dev", "--usage", "-"]) == 0


def test_az_gets_the_region_of_the_stack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = installed(tmp_path / "bin", usage=ENOUGH)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=":")
    assert main(["dev"]) == 0
    assert words(log)[0] == ["vm", "list-usage", "--location", "westeurope", "--output", "json"]


def test_each_spot_pool_has_azures_placement_score(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    size = "Standard_D8ds_v5"
    installed(tmp_path / "bin", usage=ENOUGH, scores={size: "Low"}, lacks=(size,))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=":")
    assert main(["dev"]) == 0  # a score is no finding
    shown = capsys.readouterr().out.splitlines()
    rows = [line.split() for line in shown if "Standard_" in line]
    assert [row[1:] for row in rows] == [
        [size, "10", "Low", "not", "enough"],
        ["Standard_NC4as_T4_v3", "4", "High", "enough"],
    ]
    assert any(line.endswith("a snapshot, no promise:") for line in shown)


def test_without_the_role_the_quota_stands_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    installed(tmp_path / "bin", usage=ENOUGH, error=FORBIDDEN)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=":")
    assert main(["dev"]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("Spot placement scores are not available: ")
    assert last.endswith("it needs the role Compute Recommendations Role on the subscription")


def test_what_az_says_when_it_fails_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    az = tmp_path / "az"
    az.write_text(
        "#!/bin/sh\necho \"ERROR: Please run 'az login' to setup account.\" >&2\nexit 1\n", encoding="utf-8"
    )
    az.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert main(["dev"]) == 3
    assert "Please run 'az login'" in capsys.readouterr().err


def test_without_az_the_need_is_reported_with_the_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "")
    assert main(["dev"]) == 3
    shown = capsys.readouterr()
    assert "lowPriorityCores" in shown.out
    assert shown.err == (
        "error: `az` is missing; install the Azure CLI, or pass --usage FILE with what "
        "`az vm list-usage --location westeurope --output json` prints\n"
    )
