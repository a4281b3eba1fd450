"""`make demo` as a user runs it: whole, twice, interrupted, and by two at once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from localaks.demo.observations import from_json
from localaks.local_aks import PROJECT_ROOT
from tests.local.kubectl import Kubectl
from tools import Tools

PROMISES = 14
COLD_SECONDS = 300
"""Generous for a machine that does other things too; alone, 2 cores take less than a minute."""


def _command(build: Path, *arguments: str) -> list[str]:
    return [sys.executable, "-m", "localaks", "--build", str(build), *arguments]


def _run(build: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        _command(build, *arguments),
        cwd=PROJECT_ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=COLD_SECONDS,
    )


def _make(build: Path, target: str) -> subprocess.CompletedProcess[str]:
    """The command of the README; everything is kept in `build` instead of the project's own folder."""
    outside = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    return subprocess.run(
        ["make", target, f"BUILD={build}"],
        cwd=PROJECT_ROOT,
        env=outside,
        capture_output=True,
        text=True,
        check=False,
        timeout=COLD_SECONDS,
    )


def _start(build: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        _command(build, *arguments),
        cwd=PROJECT_ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def _until(process: subprocess.Popen[str], text: str) -> None:
    """Reads a command's output until a line has a text."""
    assert process.stdout is not None
    for line in process.stdout:
        if text in line:
            return
    pytest.fail(f"{text!r} was never printed: {process.communicate()[1]}")


def _of(build: Path) -> list[str]:
    """Command lines of every process that has the folder in it, this one and zombies apart."""
    found: list[str] = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if str(build) in line and int(folder.name) != os.getpid():
            found.append(line)
    return found


@pytest.fixture(scope="module")
def build(tools: Tools, tmp_path_factory: pytest.TempPathFactory) -> Generator[Path]:  # noqa: ARG001 - skips
    """A folder for all that the command writes; removed by the command itself."""
    folder = tmp_path_factory.mktemp("build")
    yield folder
    assert _make(folder, "demo-down").returncode == 0
    assert _of(folder) == []


@pytest.fixture(scope="module")
def shown(build: Path) -> subprocess.CompletedProcess[str]:
    """The first demo in that folder."""
    return _make(build, "demo")


def test_every_promise_is_kept(shown: subprocess.CompletedProcess[str]) -> None:
    assert shown.returncode == 0, shown.stdout + shown.stderr
    assert shown.stdout.count("\n✔") == PROMISES
    assert "✘" not in shown.stdout
    assert shown.stderr == ""


def test_the_plan_comes_first(shown: subprocess.CompletedProcess[str]) -> None:
    plan, _, rest = shown.stdout.partition("[2/6]")
    assert "Agent pools:" in plan
    assert "API server ready" in rest


def test_the_page_and_what_was_observed_are_written(
    shown: subprocess.CompletedProcess[str], build: Path
) -> None:
    assert f"{PROMISES} of {PROMISES} promises kept" in shown.stdout
    assert f"{PROMISES} of {PROMISES} promises kept" in (build / "demo" / "demo.html").read_text()
    seen = from_json((build / "demo" / "demo.json").read_text())
    assert seen.first_up == {"create": len(seen.planned) + 1}  # the stack is a resource too


def test_no_secret_is_printed_or_written(
    shown: subprocess.CompletedProcess[str], build: Path, tools: Tools
) -> None:
    kubectl = Kubectl(tools, build / "demo" / "local" / "kubeconfig", "kubeflow-aks")
    token = kubectl.run("get", "secret", "juju-token", "-o", "go-template={{.data.token | base64decode}}")
    key = kubectl.run("config", "view", "--raw", "-o", "jsonpath={.users[0].user.client-key-data}")
    assert token
    assert key
    for text in (shown.stdout, *((build / "demo" / f"demo.{kind}").read_text() for kind in ("html", "json"))):
        assert token not in text
        assert key not in text


def test_the_data_scientists_own_tool_saw_it_too(
    shown: subprocess.CompletedProcess[str], build: Path
) -> None:
    picture = build / "demo" / "where.svg"
    assert str(picture) in shown.stdout
    names = {text.text for text in ElementTree.parse(picture).iter("{http://www.w3.org/2000/svg}text")}  # noqa: S314
    assert {"cpuspot", "gpuspot", "general"} <= names
    assert "ckf-spot where: " not in shown.stdout  # nothing ran where it should not


def test_a_second_demo_tells_the_same_story_and_changes_nothing(
    shown: subprocess.CompletedProcess[str], build: Path
) -> None:
    assert shown.returncode == 0
    again = _run(build, "demo")
    assert again.returncode == 0, again.stdout + again.stderr
    assert "37 same" in again.stdout.partition("[5/6]")[0]
    assert "✘" not in again.stdout


def test_the_market_of_a_running_local_aks_can_be_played_with(
    shown: subprocess.CompletedProcess[str], build: Path
) -> None:
    assert shown.returncode == 0
    assert _run(build, "market", "soldout", "cpuspot").returncode == 0
    refused = _run(build, "market", "evict", "general")
    assert (refused.returncode, refused.stderr.count("\n")) == (1, 1)


def test_the_shell_finds_kubectl_and_the_cluster(
    shown: subprocess.CompletedProcess[str], build: Path, tmp_path: Path
) -> None:
    assert shown.returncode == 0
    script = tmp_path / "shell"
    script.write_text("#!/bin/sh\nexec kubectl get nodes -o name\n")
    script.chmod(0o700)
    done = subprocess.run(
        _command(build, "shell"),
        cwd=PROJECT_ROOT,
        env={**os.environ, "SHELL": str(script)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert "node/aks-general-" in done.stdout


@pytest.mark.parametrize(
    ("toleration", "changeable"), [({"operator": "Exists"}, True), ({"value": "present"}, False)]
)
def test_a_gpu_pod_can_be_changed_if_its_toleration_has_no_value(
    toleration: dict[str, str],
    changeable: bool,  # noqa: FBT001 - a parameter of the test
    shown: subprocess.CompletedProcess[str],
    build: Path,
    tools: Tools,
) -> None:
    """Why the demo's tolerations have none: two of AKS's admission plugins undo each other at every update."""
    assert shown.returncode == 0
    kubectl = Kubectl(tools, build / "demo" / "local" / "kubeconfig")
    name = f"gpu-{str(changeable).lower()}"
    resources = {"requests": {"cpu": "1"}, "limits": {"nvidia.com/gpu": "1"}}
    spec = {
        "containers": [{"name": "main", "image": "simulated", "resources": resources}],
        "tolerations": [{"key": "nvidia.com/gpu", "effect": "NoSchedule", **toleration}],
    }
    kubectl.apply({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec})
    try:
        if changeable:
            kubectl.run("annotate", "pod", name, "changed=yes")
        else:
            with pytest.raises(AssertionError, match="existing toleration can not be modified"):
                kubectl.run("annotate", "pod", name, "changed=yes")
    finally:
        kubectl.run("delete", "pod", name, "--now")


@pytest.fixture
def other(tools: Tools, tmp_path: Path) -> Generator[Path]:  # noqa: ARG001 - skips
    """A folder of one test's own."""
    yield tmp_path / "build"
    assert _run(tmp_path / "build", "down").returncode == 0
    assert _of(tmp_path) == []


def _interrupted(build: Path, command: str, moment: str) -> None:
    """Ctrl-C a second after a line says that the moment has come."""
    begun = _start(build, command)
    _until(begun, moment)
    time.sleep(1)
    os.killpg(begun.pid, signal.SIGINT)  # as a terminal does: to the engine too
    _, told = begun.communicate(timeout=60)
    assert begun.returncode == 130
    assert told.strip() == "stopped; `make demo-down` removes what was started"


def test_ctrl_c_is_one_line_and_down_removes_what_is_left(other: Path) -> None:
    _interrupted(other, "demo", "[3/6]")
    assert _run(other, "down").returncode == 0
    assert _of(other) == []
    assert not (other / "demo" / "local").exists()


def test_an_up_after_an_interrupted_one_begins_afresh(other: Path) -> None:
    _interrupted(other, "up", "Network: 2 resources")  # the cluster's creation begins, which takes 4 s
    again = _run(other, "up", "--speed", "120")
    assert again.returncode == 0, again.stdout + again.stderr
    assert "37 create" in again.stdout


def test_an_up_after_the_control_plane_died_begins_afresh(
    shown: subprocess.CompletedProcess[str], build: Path
) -> None:
    assert shown.returncode == 0
    for file in build.glob("demo/local/kwok/clusters/*/pids/*.pid"):
        os.kill(int(file.read_text()), signal.SIGKILL)
    again = _run(build, "up", "--speed", "120")
    assert again.returncode == 0, again.stdout + again.stderr
    assert "37 create" in again.stdout


def test_a_second_command_at_the_same_time_is_refused_and_the_first_goes_on(
    shown: subprocess.CompletedProcess[str], build: Path
) -> None:
    assert shown.returncode == 0
    first = _start(build, "up")
    _until(first, "[2/4]")
    os.kill(first.pid, signal.SIGSTOP)  # or it would be over before the second one begins
    for command in ("demo", "down"):
        second = _run(build, command)
        assert second.returncode == 1
        assert "another local AKS command is running" in second.stderr
        assert second.stderr.count("\n") == 1
    os.kill(first.pid, signal.SIGCONT)
    assert first.communicate(timeout=COLD_SECONDS)[1] == ""
    assert first.returncode == 0


def test_a_reader_that_goes_away_ends_the_demo_quietly(other: Path) -> None:
    demo = _start(other, "demo")
    _until(demo, "[1/6]")
    assert demo.stdout is not None
    demo.stdout.close()
    assert demo.wait(timeout=60) == 1
    assert demo.stderr is not None
    assert demo.stderr.read() == ""
