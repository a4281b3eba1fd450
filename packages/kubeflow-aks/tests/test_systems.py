"""Windows runs what docs/how-to/set-up-a-machine.md says, and the local AKS says in one line that it does not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kubeflow_aks.cli.reference import commands
from kubeflow_aks.drill.command import user
from kubeflow_aks.preview.readme import DAY
from kubeflow_aks.project import PROJECT_ROOT
from tests.handoff.made_up_outputs import values
from tests.preview.test_quota_command import ENOUGH
from tests.verify.api_server import outputs_of, running

STACK = f"""\
config:
  kubeflow-aks:asOf: "{DAY}"
  kubeflow-aks:protect: false
  kubeflow-aks:tags: {{owner: me, environment: demo}}
"""
UNIX_ONLY = {command.example: words for words, command, _ in commands() if command.needs_unix}


def test_windows_runs_all_but_the_local_aks(tmp_path: Path) -> None:
    for name in ("__main__.py", "Pulumi.yaml"):
        (tmp_path / name).write_bytes((PROJECT_ROOT / name).read_bytes())
    (tmp_path / "Pulumi.dev.yaml").write_text(STACK, encoding="utf-8")
    (tmp_path / "outputs of dev.json").write_text(json.dumps(values()), encoding="utf-8")
    (tmp_path / "enough.json").write_text(ENOUGH.replace('"limit": "', '"limit": "9'), encoding="utf-8")
    with running() as server:
        outputs_of(server.url, tmp_path)
        expected = {
            "--help": 0,
            "sizes --offline": 0,
            "preview dev": 0,
            "policy dev": 0,
            "cost dev --offline": 0,
            "quota dev --usage enough.json": 0,
            "verify dev --outputs outputs.json": 0,
            "handoff dev --outputs 'outputs of dev.json'": 0,
            "drill dev --outputs outputs.json --yes": 3,
            "start dev": 3,
            **dict.fromkeys(UNIX_ONLY, 2),
        }
        done = subprocess.run(
            [sys.executable, "-m", "tests.without_unix"],
            cwd=tmp_path,
            env=os.environ
            | {"PYTHONPATH": f"{PROJECT_ROOT}:{PROJECT_ROOT / 'packages/ckf-spot/src'}", "PATH": ""},
            input=json.dumps([*expected]),
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    results: dict[str, tuple[int, str]] = json.loads(done.stdout)
    assert {line: code for line, (code, _) in results.items()} == expected, results
    assert [error for _, error in results.values() if error.count("\n") > 1] == []
    for example, words in UNIX_ONLY.items():
        assert results[example][1] == f"error: `kubeflow-aks {words}` works on Linux and macOS only\n"
    assert "`az` is missing" in results["drill dev --outputs outputs.json --yes"][1]


def test_windows_has_no_local_aks() -> None:
    assert set(UNIX_ONLY.values()) == {
        "diff",
        "demo",
        *(words for words, _, _ in commands() if "local" in words),
    }


def test_who_drills_has_a_name_without_numbers_of_users(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setitem(sys.modules, "pwd", None)
    monkeypatch.delattr(os, "getuid")
    assert user() == "unknown"
