"""The process of the stand-ins: what it serves, what it writes, and how it ends."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import textwrap
import time
from datetime import date
from importlib.metadata import packages_distributions
from pathlib import Path

import psutil
import pytest
from packaging.utils import canonicalize_name

from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.project import IMPORT_PATH, PROJECT_ROOT
from kubeflow_aks.pull_request.stand_ins import StandInProcesses, StandInsError, stand_ins
from kubeflow_aks.revisions.bytecode import bytecode, remove_stale_bytecode

TODAY = date(2026, 11, 22)
PATIENCE_SECONDS = 120


@pytest.fixture
def run(tmp_path: Path) -> RunDirectory:
    return RunDirectory.at(tmp_path / "run")


def _serving(run: RunDirectory) -> list[psutil.Process]:
    return [
        process
        for process in psutil.process_iter(["cmdline", "cwd"])
        if "kubeflow_aks.pull_request.serving" in (process.info["cmdline"] or ())
        and process.info["cwd"] == str(run.root)
    ]


def _gone(run: RunDirectory) -> bool:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while _serving(run) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not _serving(run)


def test_it_serves_while_it_is_needed_and_writes_into_no_tree(
    run: RunDirectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with stand_ins(Path(sys.executable), run, today=TODAY) as serving:
        assert sorted(serving.providers) == ["azure-native", "kubernetes"]
        [process] = _serving(run)
        assert process.environ()["PYTHONPYCACHEPREFIX"] == str(bytecode())
        assert list(bytecode().rglob("serving*.pyc"))
    assert _gone(run)


def test_one_process_serves_one_run_after_another(run: RunDirectory, tmp_path: Path) -> None:
    other, python = RunDirectory.at(tmp_path / "other"), Path(sys.executable)
    with StandInProcesses() as processes:
        with stand_ins(python, run, today=TODAY, processes=processes) as first:
            with stand_ins(python, other, today=TODAY, processes=processes):
                assert len(_serving(run)) == len(_serving(other)) == 1  # side by side each has its own
            before = _serving(run) + _serving(other)
        for again in (run, other, run):
            with stand_ins(python, again, today=TODAY, processes=processes) as served:
                assert served.providers.keys() == first.providers.keys()
                assert _serving(run) + _serving(other) == before
        with pytest.raises(ZeroDivisionError), stand_ins(python, run, today=TODAY, processes=processes):
            _ = 1 / 0
        assert len(processes.idle) == 1
    assert _gone(run)
    assert _gone(other)


def test_what_was_compiled_of_a_folder_that_is_gone_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "tree" / "room").mkdir(parents=True)
    mirror = Path(f"{bytecode()}{tmp_path}")
    for folder in ("tree/room", "tree/gone/deep", "gone"):
        (mirror / folder).mkdir(parents=True)
        (mirror / folder / "module.pyc").touch()
    remove_stale_bytecode()
    assert [path.relative_to(mirror).as_posix() for path in mirror.rglob("*.pyc")] == ["tree/room/module.pyc"]


def test_it_ends_with_its_parent_however_that_dies(run: RunDirectory) -> None:
    program = f"""
        import sys, time
        from datetime import date
        from pathlib import Path
        from kubeflow_aks.local_aks.run.directory import RunDirectory
        from kubeflow_aks.pull_request.stand_ins import stand_ins
        with stand_ins(Path(sys.executable), RunDirectory.at(Path({str(run.root)!r})), today=date(2026, 11, 22)):
            print("ready", flush=True)
            time.sleep(600)
    """
    environment = {**os.environ, "PYTHONPATH": IMPORT_PATH}
    with subprocess.Popen(
        [sys.executable, "-P", "-c", textwrap.dedent(program)],
        stdout=subprocess.PIPE,
        env=environment,
        text=True,
    ) as parent:
        assert parent.stdout
        assert parent.stdout.readline() == "ready\n"
        assert _serving(run)
        parent.send_signal(signal.SIGKILL)
    assert _gone(run)


def test_it_needs_nothing_that_an_environment_of_the_program_may_lack() -> None:
    lock = (PROJECT_ROOT / "requirements.txt").read_text()
    there = {canonicalize_name(name) for name in re.findall(r"^([\w.-]+)==", lock, re.MULTILINE)}
    lacking = [
        name
        for name, homes in packages_distributions().items()
        if not there.intersection(map(canonicalize_name, homes))
    ]
    assert {"psutil", "pytest", "kubernetes"} <= set(lacking)
    code = f"import sys; sys.modules |= dict.fromkeys({lacking!r}); import kubeflow_aks.pull_request.serving"
    environment = {**os.environ, "PYTHONPATH": IMPORT_PATH}
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""


def test_an_environment_without_the_sdk_is_one_line(run: RunDirectory, tmp_path: Path) -> None:
    python = tmp_path / "bare" / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "bare")], check=True)
    with (
        pytest.raises(StandInsError, match="No module named") as refusal,
        stand_ins(python, run, today=TODAY),
    ):
        pass
    assert "\n" not in str(refusal.value)
    assert _gone(run)


def test_an_environment_that_is_not_there_is_one_line(run: RunDirectory, tmp_path: Path) -> None:
    python = tmp_path / "no-python"
    with pytest.raises(StandInsError, match="no-python"), stand_ins(python, run, today=TODAY):
        pass
