"""A test run that is killed leaves neither processes nor run directories."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from kubeflow_aks.local_aks.run.processes import command_line
from kubeflow_aks.project import IMPORT_PATH, PROJECT_ROOT

STUB = """
import subprocess, sys, time
from kubeflow_aks.local_aks.run import processes
from kubeflow_aks.local_aks.run.directory import RunDirectory
from tests.local.reaper import reaper

SLEEP = [sys.executable, "-c", "import time; time.sleep(600)"]

def test_it_hangs(tmp_path):
    run = RunDirectory.at(tmp_path / "demo" / "local")
    with run.log("one").open("w") as log:
        noted = processes.start([*SLEEP, run.root], run.pid_file("one"), log=log)
    command = subprocess.Popen([*SLEEP, str(tmp_path)], start_new_session=True)
    print(noted.pid, command.pid, run.root, flush=True)
    time.sleep(600)
"""


def test_nothing_is_left_of_it(tmp_path: Path) -> None:
    (tmp_path / "test_stub.py").write_text(STUB)
    options = ("-s", "-q", "-p", "no:cacheprovider", f"--rootdir={tmp_path}", "-c", os.devnull)
    with subprocess.Popen(
        [
            sys.executable,
            "-m",
            "pytest",
            *options,
            f"--basetemp={tmp_path / 'temp'}",
            tmp_path / "test_stub.py",
        ],
        cwd=PROJECT_ROOT / "packages/kubeflow-aks",
        env={**os.environ, "PYTHONPATH": IMPORT_PATH},
        stdout=subprocess.PIPE,
        text=True,
    ) as session:
        assert session.stdout is not None
        noted, command, root = session.stdout.readline().split()
        assert "time.sleep(600)" in command_line(int(noted))
        session.kill()
    deadline = time.monotonic() + 300
    while command_line(int(noted)) or command_line(int(command)) or Path(root).exists():
        assert time.monotonic() < deadline
        time.sleep(0.1)
