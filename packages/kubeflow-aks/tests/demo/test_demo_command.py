"""`kubeflow-aks local`: errors are one clear line and an exit code; only our own files are touched."""

from __future__ import annotations

import errno
import io
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest

from kubeflow_aks.cli.process import main
from kubeflow_aks.demo import market
from kubeflow_aks.demo.bring_up import BringUp
from kubeflow_aks.demo.demo import Demo
from kubeflow_aks.local_aks.azure.state import AGENT_POOL, MANAGED_CLUSTER, AzureState, StoredResource
from kubeflow_aks.local_aks.azure_http import server as azure_http
from kubeflow_aks.local_aks.azure_http.compute import Compute
from kubeflow_aks.local_aks.control_plane.kwokctl import ControlPlaneError
from kubeflow_aks.local_aks.engine import EngineError
from kubeflow_aks.local_aks.lifecycle import service_files
from kubeflow_aks.local_aks.lifecycle.service_files import Endpoints
from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.local_aks.simulation.market import Market, Supply
from kubeflow_aks.ownership import open_folder
from kubeflow_aks.text import output
from tests.stepped.manual_clock import ManualClock

CLUSTER = "/subscriptions/s/resourceGroups/rg/providers/Microsoft.ContainerService/managedClusters/aks"


def _main(build: Path, *arguments: str) -> int:
    """Runs `demo`, or a command of `local`."""
    group = [] if arguments[:1] == ("demo",) else ["local"]
    words = [*group, *arguments]
    return main([*words, "--build", str(build)] if arguments else words)


def _run(build: Path, stack: str = "demo") -> RunDirectory:
    return RunDirectory.at(open_folder(build, stack) / "local")


@pytest.fixture
def services() -> Generator[list[subprocess.Popen[bytes]]]:
    """Processes that a test started."""
    started: list[subprocess.Popen[bytes]] = []
    yield started
    for process in started:
        process.kill()
        process.wait()


def _serve(run: RunDirectory, services: list[subprocess.Popen[bytes]]) -> None:
    """Something that looks like the service of a run directory: a process with the directory in its command line."""
    sleeper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)", str(run.root)])
    services.append(sleeper)
    run.pid_file(service_files.PID_FILE).write(sleeper.pid)
    while (
        run.pid_file(service_files.PID_FILE).running() is None
    ):  # the new process is a copy of this one at first
        assert sleeper.poll() is None
        time.sleep(0.01)
    state = AzureState(run.azure)
    names = ("name", "location", "nodeResourceGroup", "currentKubernetesVersion")
    state.put(
        StoredResource(id=CLUSTER, type=MANAGED_CLUSTER, inputs={}, outputs=dict.fromkeys(names, "aks"))
    )
    pool = {"name": "cpuspot", "scaleSetPriority": "Spot"}
    state.put(StoredResource(id=f"{CLUSTER}/agentPools/cpuspot", type=AGENT_POOL, inputs=pool, outputs=pool))


def _demo_that(monkeypatch: pytest.MonkeyPatch, ends: bool | BaseException) -> None:
    """Replaces what the demo does by an end of that kind."""

    def play(_demo: Demo) -> bool:
        if isinstance(ends, BaseException):
            raise ends
        return ends

    monkeypatch.setattr(Demo, "play", play)


def test_a_stack_without_a_file_is_refused_and_nothing_is_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("demo", "up"):
        assert _main(tmp_path, name, "nowhere") == 2
        assert "no file Pulumi.nowhere.yaml; stacks here: demo, dev, prod" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_second_demo_at_the_same_time_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with _run(tmp_path).lock():
        assert _main(tmp_path, "demo") == 1
    output = capsys.readouterr()
    assert "another local AKS command is running" in output.err
    assert output.err.count("\n") == 1
    assert output.out == ""


@pytest.mark.parametrize("steps", [(BringUp, "up"), (Demo, "play")], ids=["up", "demo"])
def test_a_part_that_a_signal_stopped_is_named_while_the_command_waits(
    steps: tuple[type, str],
    tmp_path: Path,
    services: list[subprocess.Popen[bytes]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    _serve(_run(tmp_path), services)
    printed: list[str] = []

    def waits(_steps: object) -> bool:
        services[0].send_signal(signal.SIGSTOP)
        deadline = time.monotonic() + 60
        while "was stopped by a signal" not in "".join(printed):
            assert time.monotonic() < deadline
            time.sleep(0.05)
            printed.append(capsys.readouterr().out)
        return True

    monkeypatch.setattr(*steps, waits)
    assert _main(tmp_path, "up" if steps[0] is BringUp else "demo") == 0
    assert f"the simulated Azure (process {services[0].pid}) was stopped" in "".join(printed)


@pytest.mark.parametrize(("provider", "extras"), [("simulated", ()), ("real", ("kubernetes-provider",))])
def test_up_gets_the_kubernetes_provider_that_is_named(
    provider: str, extras: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needed: list[tuple[str, ...]] = []

    def up(steps: BringUp) -> None:
        needed.append(steps.extras)

    monkeypatch.setattr(BringUp, "up", up)
    assert _main(tmp_path, "up", "--kubernetes-provider", provider) == 0
    assert needed == [extras]


@pytest.mark.parametrize(
    ("failure", "message"),
    [
        (OSError(errno.ENOSPC, "No space left on device", "/x/state"), "error: the disk is full: /x/state"),
        (PermissionError(errno.EACCES, "Permission denied", "/x"), "error: Permission denied: /x"),
        (TimeoutError("workflows are not served after 30 s"), "error: workflows are not served after 30 s"),
        (ControlPlaneError("port 6443 is taken"), "error: port 6443 is taken"),
        (EngineError("up of stack 'demo' failed: no"), "error: up of stack 'demo' failed: no"),
        (KeyboardInterrupt(), "error: interrupted; `./kubeflow-aks local down` removes what was started"),
    ],
    ids=["disk full", "no permission", "too late", "port taken", "engine", "Ctrl-C"],
)
def test_a_failure_is_one_line_and_a_code(
    failure: BaseException,
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _demo_that(monkeypatch, failure)
    assert _main(tmp_path, "demo") == (130 if isinstance(failure, KeyboardInterrupt) else 1)
    assert capsys.readouterr().err.strip() == message


@pytest.mark.parametrize(("kept", "code"), [(True, 0), (False, 1)])
def test_the_exit_code_shows_whether_every_promise_was_kept(
    kept: bool,
    code: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _demo_that(monkeypatch, ends=kept)
    assert _main(tmp_path, "demo") == code
    assert _run(tmp_path).root.exists()


def test_a_demo_can_remove_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _demo_that(monkeypatch, ends=True)
    assert _main(tmp_path, "demo", "--no-keep") == 0
    assert not (tmp_path / "demo" / "local").exists()


def test_sigterm_ends_it_like_ctrl_c(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def ended(_demo: Demo) -> bool:
        signal.raise_signal(signal.SIGTERM)
        return True

    monkeypatch.setattr(Demo, "play", ended)
    assert _main(tmp_path, "demo") == 130


def test_down_removes_every_run_also_a_half_started_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], services: list[subprocess.Popen[bytes]]
) -> None:
    _serve(_run(tmp_path, "dev"), services)
    half = _run(tmp_path)
    half.pid_file(service_files.PID_FILE).write(1)  # an id that belongs to somebody else by now
    (half.kwok / "clusters").mkdir(parents=True)
    assert _main(tmp_path, "down") == 0
    assert capsys.readouterr().out.count("removed") == 2
    assert not list(tmp_path.glob("*/local"))
    assert services[0].wait(5) == -signal.SIGTERM


def test_down_leaves_results_alone(tmp_path: Path) -> None:
    run = _run(tmp_path)
    page = run.root.parent / "demo.html"
    page.write_text("the picture")
    _main(tmp_path, "down")
    assert page.exists()


def test_down_does_not_pull_the_ground_from_under_a_running_demo(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = _run(tmp_path)
    with run.lock():
        assert _main(tmp_path, "down") == 1
    assert "stop it first" in capsys.readouterr().err
    assert run.root.exists()


def test_down_leaves_and_names_what_no_local_aks_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = tmp_path / "mine" / "local"
    mine.mkdir(parents=True)
    (mine / "work").write_text("a week of it")
    assert _main(tmp_path, "down") == 0
    assert capsys.readouterr().out == (
        f"{mine} was not made by the local AKS and is left alone; remove or move it yourself\n"
    )
    assert (mine / "work").exists()


def test_down_names_what_it_could_not_remove_and_removes_the_rest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stuck, rest = _run(tmp_path, "demo"), _run(tmp_path, "dev")
    (stuck.root / "stuck").mkdir()
    rmdir = os.rmdir

    def refuse(path: str, **options: Any) -> None:
        if "stuck" in str(path):
            raise OSError(errno.EBUSY, "Device or resource busy", path)
        rmdir(path, **options)

    monkeypatch.setattr("os.rmdir", refuse)
    assert _main(tmp_path, "down") == 1
    output = capsys.readouterr()
    assert output.out == f"removed {rest.root}\n"
    assert output.err == f"error: {stuck.root} can't be removed: Device or resource busy: stuck\n"
    monkeypatch.undo()
    assert _main(tmp_path, "down") == 0


def test_there_is_nothing_to_remove_where_nothing_was_started(tmp_path: Path) -> None:
    assert _main(tmp_path, "down") == 0


@pytest.mark.parametrize("arguments", [("shell",), ("market", "evict", "cpuspot")], ids=["shell", "market"])
def test_without_a_local_aks_the_line_shows_how_to_get_one(
    arguments: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _main(tmp_path, *arguments) == 1
    assert capsys.readouterr().err == "error: no local AKS is running; `./kubeflow-aks local up` starts one\n"


def test_where_several_run_one_must_be_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], services: list[subprocess.Popen[bytes]]
) -> None:
    for stack in ("demo", "dev"):
        _serve(_run(tmp_path, stack), services)
    assert _main(tmp_path, "market", "evict", "cpuspot") == 1
    assert "several local AKS are running: demo, dev; name one" in capsys.readouterr().err
    assert _main(tmp_path, "market", "evict", "cpuspot", "--stack", "prod") == 1
    assert "no local AKS of prod is running; running: demo, dev" in capsys.readouterr().err
    with _market(_run(tmp_path, "dev")):
        assert _main(tmp_path, "market", "evict", "cpuspot", "--stack", "dev") == 0


@contextmanager
def _market(run: RunDirectory) -> Generator[Market]:
    """The service's market, where every request is carried out at once."""
    spot_market, clock, stop = Market(), ManualClock(), threading.Event()
    azure = AzureState(run.azure)
    azure.agent_pools = lambda: [{"name": "cpuspot", "scaleSetPriority": "Spot"}]
    compute = Compute(azure, cast(Any, None), spot_market, clock)
    http = azure_http.serve(compute, token=run.bearer_token())
    service_files.write_endpoints(run, Endpoints(1, 2, http.port))

    def play() -> None:
        while not stop.wait(0.01):
            for event in spot_market.due(clock.now()):
                event.outcome.set_result(f"{event.pool}: {event.what} of {event.count}")

    thread = threading.Thread(target=play)
    thread.start()
    try:
        yield spot_market
    finally:
        stop.set()
        thread.join()
        http.stop()


def test_market_requests_are_carried_out_and_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], services: list[subprocess.Popen[bytes]]
) -> None:
    run = _run(tmp_path)
    _serve(run, services)
    with _market(run) as spot_market:
        assert _main(tmp_path, "market", "soldout", "cpuspot") == 0
        assert _main(tmp_path, "market", "evict", "cpuspot", "--count", "all") == 0
    assert spot_market.supply("cpuspot") is Supply.SOLD_OUT
    assert capsys.readouterr().out.splitlines() == ["cpuspot: soldout of 1", "cpuspot: evict of 0"]


def test_only_spot_pools_have_a_market(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], services: list[subprocess.Popen[bytes]]
) -> None:
    run = _run(tmp_path)
    _serve(run, services)
    with _market(run):
        assert _main(tmp_path, "market", "evict", "general") == 1
    expected = "error: pool: 'general' is not allowed; expected a spot pool: cpuspot\n"
    assert capsys.readouterr() == ("", expected)


def test_a_service_that_does_not_answer_is_reported(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    services: list[subprocess.Popen[bytes]],
) -> None:
    run = _run(tmp_path)
    _serve(run, services)
    monkeypatch.setattr(market, "_MARGIN_SECONDS", 0.0)
    monkeypatch.setattr(market, "send", partial(market.send, seconds=0.1))
    with socket.create_server(("127.0.0.1", 0)) as stopped:
        service_files.write_endpoints(run, Endpoints(1, 2, stopped.getsockname()[1]))
        assert _main(tmp_path, "market", "evict", "cpuspot") == 1
    output = capsys.readouterr()
    assert output == ("", "error: the local AKS did not answer in 0 s; nothing was done\n")
    assert _main(tmp_path, "market", "evict", "cpuspot") == 1
    assert capsys.readouterr().err == "error: no service looks for requests to the market here\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ("demo", "--speed", "0"),
        ("demo", "--speed", "fast"),
        ("demo", "--speed", "1000"),
        ("market", "evict", "cpuspot", "--count", "-1"),
        ("market", "burn", "cpuspot"),
        (),
    ],
)
def test_a_command_that_makes_no_sense_is_refused(arguments: tuple[str, ...], tmp_path: Path) -> None:
    assert _main(tmp_path, *arguments) == 2


def test_a_name_that_a_terminal_cannot_show_is_reported_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stderr", io.TextIOWrapper(written, encoding="ascii"))
    assert output.run(lambda: _main(tmp_path, "up", "prüfung")) == 2
    sys.stderr.flush()
    assert written.getvalue().startswith(
        b"error: stack 'pr?fung': no file Pulumi.pr?fung.yaml; stacks here: "
    )
