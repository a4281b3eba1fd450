"""A whole drill against the demo stack: the same command as on Azure, through the local AKS's az, pulumi and Azure."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from kubeflow_aks.cli.process import main
from kubeflow_aks.clients.kubernetes.api import ApiServer
from kubeflow_aks.clients.kubernetes.errors import ApiError
from kubeflow_aks.clients.kubernetes.objects import Kind, Object, at
from kubeflow_aks.cost.measured import Measured
from kubeflow_aks.drill.lock import HOLDER, UNTIL
from kubeflow_aks.drill.stage import NAMESPACE, namespace
from kubeflow_aks.events import Kind as Event
from kubeflow_aks.local_aks.lifecycle import programs, teardown
from kubeflow_aks.local_aks.lifecycle.instance import LocalAks
from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.scenario.observations import Where, from_json
from kubeflow_aks.tools import Tools
from tests.ci.workflows import workflow
from tests.local.commands import PATIENCE_SECONDS, until

_POD = Kind("", "v1", "Pod")
_OTHERS: Object = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "somebody", "namespace": "default"},
    "spec": {"containers": [{"name": "main", "image": "registry.invalid/simulated"}]},
}


@dataclass(frozen=True)
class Place:
    """A local AKS that runs, and whoever drills on it."""

    api: ApiServer
    environment: Mapping[str, str]
    build: Path

    def begin(self, *options: str) -> subprocess.Popen[str]:
        """The command, under way."""
        return subprocess.Popen(
            [sys.executable, "-m", "kubeflow_aks", *self.words(*options)],
            cwd=PROJECT_ROOT,
            env=dict(self.environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def proof_step(self, name: str) -> subprocess.CompletedProcess[str]:
        """A step of the workflow `proof` by the commands in its YAML, on this stack."""
        [step] = [step for step in workflow("proof")["jobs"]["proof"]["steps"] if step.get("name") == name]
        variables = {
            "STACK": "demo",
            "BUILD": str(self.build),
            "GITHUB_SHA": "0a1b2c3",
            "GITHUB_STEP_SUMMARY": str(self.build / "summary"),
        }
        return subprocess.run(
            ["bash", "-e", "-c", step["run"]],
            cwd=PROJECT_ROOT,
            env={**self.environment, **variables},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_SECONDS,
        )

    def words(self, *options: str) -> list[str]:
        """The command's, after the program's name."""
        return ["drill", f"--build={self.build}", *options, "--", "demo"]

    def has_namespace(self) -> bool:
        """Whether a drill's namespace is there."""
        try:
            self.api.get(namespace({}))
        except ApiError as error:
            if error.not_found:
                return False
            raise
        return True


@pytest.fixture(scope="module")
def place(tools: Tools, tmp_path_factory: pytest.TempPathFactory) -> Generator[Place]:
    """The demo stack with somebody's pod in it."""
    run = RunDirectory.at(tmp_path_factory.mktemp("drill") / "demo" / "local")
    aks = LocalAks(
        run, tools, "demo", speed=30.0
    )  # a notice is a second long, also where six workers share two cores
    try:
        aks.start()
        aks.start_service()
        aks.engine.up()
        api = ApiServer.of(run.kubeconfig)
        api.create(_OTHERS, "tests")
        environment = programs.with_az(run, run.environment({**os.environ, **tools.environment()}))
        environment = programs.with_pulumi(run, tools["pulumi"], environment)
        yield Place(api, environment, tmp_path_factory.mktemp("results"))
    finally:
        teardown.remove(run)


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def drill(place: Place, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command in this process, for a drill that does not begin: its exit code and what it prints on each stream."""
    for name, value in place.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(PROJECT_ROOT)

    def run(*options: str) -> tuple[int, str, str]:
        code = main(place.words(*options))
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run


@pytest.fixture(scope="module")
def done(place: Place) -> subprocess.CompletedProcess[str]:
    """One drill from its beginning to its end, as the workflow `proof` plays it after it verified the stack."""
    place.proof_step("Verify")
    return place.proof_step("Drill")


def test_the_proof_has_one_line_of_history(
    done: subprocess.CompletedProcess[str],  # noqa: ARG001 - made the files
    place: Place,
) -> None:
    recorded = place.proof_step("One line of history")
    assert recorded.returncode == 0, recorded.stderr
    [text] = (place.build / "demo" / "history.jsonl").read_text(encoding="utf-8").splitlines()
    line = json.loads(text)
    assert (line["commit"], line["stack"], line["measured"]["where"]) == ("0a1b2c3", "demo", "local")
    assert line["drill"] == {"kept": 7, "broken": 0, "notJudged": 7}
    assert line["verify"]["passed"] > 0
    assert line["verify"]["failed"] == 0


def test_every_promise_that_can_be_observed_is_kept(
    done: subprocess.CompletedProcess[str], place: Place
) -> None:
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    assert "7 of 7 checks passed, 7 could not be made here" in done.stdout
    assert "7 of 7 checks passed" in (place.build / "demo" / "drill.html").read_text(encoding="utf-8")
    assert "✘" not in done.stdout


def test_a_spot_node_was_taken_with_notice_and_its_work_came_back(
    done: subprocess.CompletedProcess[str],  # noqa: ARG001 - made the file
    place: Place,
) -> None:
    recorded = from_json((place.build / "demo" / "drill.json").read_text(encoding="utf-8"))
    assert recorded.where == Where.LOCAL
    [taken] = recorded.lines(Event.EVICTION)
    assert taken["notice"] is True
    assert {pod.disruption for pod in recorded.pods if pod.node == taken["node"]} == {"EvictionByEvictionAPI"}
    assert recorded.steps[-1].key == "zero"


def test_the_measurements_are_marked_as_not_of_azure(
    done: subprocess.CompletedProcess[str],  # noqa: ARG001 - made the file
    place: Place,
) -> None:
    raw = (place.build / "demo" / "measured.json").read_text(encoding="utf-8")
    measured = Measured.model_validate_json(raw)
    assert measured.where == "local"
    assert measured.pools["cpuspot"].drained == (True,)
    assert len(measured.pools["cpuspot"].boot_seconds) == 3
    assert len(measured.pools["cpuspot"].again_seconds) == 2


def test_nothing_of_it_is_left_and_nothing_else_was_touched(
    done: subprocess.CompletedProcess[str],  # noqa: ARG001 - the drill was
    place: Place,
) -> None:
    assert not place.has_namespace()
    left = place.api.get(_OTHERS)
    assert at(left, "metadata", "generation") == 1
    assert not at(left, "metadata", "deletionTimestamp")


def test_no_secret_is_printed_or_written(done: subprocess.CompletedProcess[str], place: Place) -> None:
    token = subprocess.run(
        ["az", "account", "get-access-token"],
        env=dict(place.environment),
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    secret: str = json.loads(token)["accessToken"]
    written = [
        (place.build / "demo" / f"drill.{kind}").read_text(encoding="utf-8") for kind in ("html", "json")
    ]
    assert all(secret not in text for text in (done.stdout, done.stderr, *written))


def test_a_drill_that_is_interrupted_leaves_nothing(place: Place, drill: Run) -> None:
    """By Ctrl-C; every command takes each signal alike: tests/cli/test_signals.py."""
    first = place.begin("--yes", "--nodes=1")
    until(first, "Batch and GPU work start")
    first.send_signal(signal.SIGSTOP)  # or a slow machine would let it end before the second one begins
    code, _, refusal = drill("--yes")
    first.send_signal(signal.SIGCONT)
    first.send_signal(signal.SIGINT)
    _, printed = first.communicate(timeout=PATIENCE_SECONDS)
    assert first.returncode == 130
    assert printed == "error: interrupted\n"
    assert not place.has_namespace()
    assert code == 1
    assert "only one drill can run at a time" in refusal
    assert refusal.count("\n") == 1


def test_a_drill_that_left_its_work_is_named_with_the_way_to_remove_it(place: Place, drill: Run) -> None:
    left = namespace({HOLDER: "ann@laptop", UNTIL: "2026-01-01T00:00:00Z"})
    place.api.create(left, "tests")
    try:
        assert drill("--yes")[2] == (
            "error: a drill of ann@laptop, which should have ended at 2026-01-01T00:00:00Z, left its work behind; "
            f"remove it: kubectl delete namespace {NAMESPACE}\n"
        )
        assert place.has_namespace()
    finally:
        place.api.delete(left, "Background")


def test_a_drill_starts_nothing_that_nobody_agreed_to(drill: Run) -> None:
    code, printed, refusal = drill()
    assert code == 2
    assert "pass --yes" in refusal
    assert "It costs about $" in printed
