"""A signal to stop ends each command with one line and 130, whenever it comes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from kubeflow_aks.cli.process import main
from kubeflow_aks.cli.reference import commands
from kubeflow_aks.project import IMPORT_PATH, PROJECT_ROOT

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
_EACH = """\
import json, os, shlex, sys, time
from kubeflow_aks import interrupts
from kubeflow_aks.cli.process import run
from kubeflow_aks.cli.reference import commands

sent = int(sys.argv[1])

def stopped(**_):
    os.kill(os.getpid(), sent)
    time.sleep(9)

found = {}
for words, command, _ in commands():
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.dup2(writer, 2)
        interrupts.exit_at_once()
        command.callback = stopped
        sys.argv = ["kubeflow-aks", *shlex.split(command.example)]
        run()
    os.close(writer)
    found[words] = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), os.read(reader, 9999).decode()
    os.close(reader)
print(json.dumps(found))
"""


@pytest.mark.parametrize("sent", SIGNALS)
@pytest.mark.parametrize("module", ["click", "pulumi", "json"])
def test_a_signal_while_modules_are_imported_is_one_line(
    module: str, sent: signal.Signals, tmp_path: Path
) -> None:
    # A module that the command imports, in the place of the real one.
    (tmp_path / f"{module}.py").write_text(
        f"import os, time\nos.kill(os.getpid(), {sent:d})\ntime.sleep(9)\n"
    )
    done = subprocess.run(
        [sys.executable, "-B", "-m", "kubeflow_aks", "cost", "dev"],
        cwd=PROJECT_ROOT,
        env={"PYTHONPATH": f"{tmp_path}:{IMPORT_PATH}:packages/ckf-spot/src", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
        restore_signals=True,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "error: interrupted\n")


@pytest.mark.parametrize("sent", SIGNALS)
@pytest.mark.parametrize(
    ("command", "called"),
    [
        ("handoff --outputs={file} dev", "kubeflow_aks.deployed.outputs.of_file"),
        ("verify --outputs={file} dev", "kubeflow_aks.deployed.outputs.of_file"),
        ("drill --outputs={file} dev", "kubeflow_aks.deployed.outputs.of_file"),
        ("cost dev", "kubeflow_aks.cost.command.planned"),
        ("quota dev", "kubeflow_aks.preview.quota.record"),
        ("diff HEAD", "kubeflow_aks.pull_request.command.Repository.of"),
        ("start dev", "kubeflow_aks.ci.power.find_cluster_power"),
        ("stop dev", "kubeflow_aks.ci.power.find_cluster_power"),
        ("demo", "kubeflow_aks.demo.place.read_stack"),
        ("local up", "kubeflow_aks.demo.place.read_stack"),
        ("local build", "kubeflow_aks.tools.command.build_tools"),
        ("ci reaper", "kubeflow_aks.clients.pulumi.Pulumi.stacks"),
    ],
    ids=str,
)
def test_a_signal_while_a_command_works_is_one_line(  # noqa: PLR0917 - fixtures
    command: str,
    called: str,
    sent: signal.Signals,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def stopped(*_: object, **__: object) -> None:
        os.kill(os.getpid(), sent)

    file = tmp_path / "file"
    file.touch()
    before = signal.getsignal(sent)
    signal.signal(sent, signal.SIG_DFL)  # under `nohup` a test begins with one that is ignored
    monkeypatch.setattr(called, stopped)
    try:
        assert main(command.format(file=file).split()) == 130
        assert signal.getsignal(sent) == signal.SIG_DFL
    finally:
        signal.signal(sent, before)
    assert capsys.readouterr().err.startswith("error: interrupted")


@pytest.mark.parametrize("sent", SIGNALS)
def test_a_signal_ends_every_command_with_130(sent: signal.Signals, tmp_path: Path) -> None:
    for name in ("Pulumi.yaml", "preview.json", "preview.txt", "trace.json"):
        (tmp_path / name).touch()
    done = subprocess.run(
        [sys.executable, "-c", _EACH, str(int(sent))],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": f"{IMPORT_PATH}:{PROJECT_ROOT / 'packages/ckf-spot/src'}"},
        capture_output=True,
        text=True,
        check=True,
    )
    answers: dict[str, tuple[int, str]] = json.loads(done.stdout)
    assert answers == {words: [130, "error: interrupted\n"] for words, _, _ in commands()}
