"""`make demo` as a user runs it: whole, what it leaves running, and two at once."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from collections.abc import Generator
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import pytest

from kubeflow_aks.clients.kubernetes.api import ApiServer
from kubeflow_aks.demo.run_scenario import deployed_pools
from kubeflow_aks.local_aks.azure.state import AzureState
from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.scenario.demo_objects import DemoObjects
from kubeflow_aks.scenario.observations import from_json
from kubeflow_aks.scenario.workloads.platform_and_jobs import PART, PLATFORM_NAMESPACE, TEAM_NAMESPACE
from kubeflow_aks.tools import Tools
from tests.docs.pages import commands
from tests.local.commands import PATIENCE_SECONDS, processes_of, run, start, until
from tests.local.kubectl import Kubectl

CHECKS = 14
PAGE = PROJECT_ROOT / "docs" / "local-aks.md"
_OUTSIDE = tuple(f"./kubeflow-aks {command}" for command in ("demo", "local up", "local shell", "local down"))
"""Commands of the page that are not for the shell."""


@pytest.fixture(scope="module")
def build(tools: Tools, tmp_path_factory: pytest.TempPathFactory) -> Generator[Path]:  # noqa: ARG001 - skips
    """A folder for all that the command writes; removed by the command itself."""
    build = tmp_path_factory.mktemp("build")
    yield build
    assert run(build, "down").returncode == 0
    assert processes_of(build) == []


@pytest.fixture(scope="module")
def shown(build: Path) -> subprocess.CompletedProcess[str]:
    """The first demo in that folder."""
    return run(build, "demo")


def test_every_check_passes(shown: subprocess.CompletedProcess[str]) -> None:
    assert shown.returncode == 0, shown.stdout + shown.stderr
    assert shown.stdout.count("\n✔") == CHECKS
    assert "✘" not in shown.stdout
    assert re.search(r"the eviction handler evicted \d+ pods? of \d+ nodes with a notice", shown.stdout)
    assert shown.stderr == ""


def test_the_plan_comes_first(shown: subprocess.CompletedProcess[str]) -> None:
    plan, _, rest = shown.stdout.partition("[2/7]")
    assert "Agent pools:" in plan
    assert "API server ready" in rest


def test_the_page_and_what_was_observed_are_written(
    shown: subprocess.CompletedProcess[str], build: Path
) -> None:
    assert f"{CHECKS} of {CHECKS} checks passed" in shown.stdout
    assert f"{CHECKS} of {CHECKS} checks passed" in (build / "demo" / "demo.html").read_text()
    recorded = from_json((build / "demo" / "demo.json").read_text())
    assert recorded.first_up == {"create": len(recorded.planned) + 1}  # the stack is a resource too


def test_the_last_step_shows_what_it_would_have_cost(
    shown: subprocess.CompletedProcess[str], build: Path
) -> None:
    _, _, cost = shown.stdout.partition("[7/7]")
    assert "The demo would have cost $" in cost
    assert "The demo would have cost $" in (build / "demo" / "demo.html").read_text()


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


def test_a_second_demo_would_find_nothing_of_the_first_one(
    shown: subprocess.CompletedProcess[str], build: Path, tools: Tools
) -> None:
    assert shown.returncode == 0
    run = RunDirectory(build / "demo" / "local")
    kubectl = Kubectl(tools, run.kubeconfig, TEAM_NAMESPACE)
    assert kubectl.items("jobs,workflows,pytorchjobs,statefulsets", PART)
    DemoObjects(ApiServer.of(run.kubeconfig)).clear(
        deployed_pools(json.loads((run.root / "pools.json").read_text()), AzureState(run.azure).agent_pools())
    )
    assert kubectl.items("jobs,workflows,pytorchjobs,statefulsets,pods", PART) == []
    assert Kubectl(tools, run.kubeconfig, PLATFORM_NAMESPACE).items("statefulsets,pods", PART) == []


def test_the_market_of_a_running_local_aks_can_be_played_with(
    shown: subprocess.CompletedProcess[str], build: Path
) -> None:
    assert shown.returncode == 0
    assert run(build, "market", "soldout", "cpuspot").returncode == 0
    refused = run(build, "market", "evict", "general")
    assert (refused.returncode, refused.stderr.count("\n")) == (1, 1)


def test_what_the_documentation_offers_for_the_shell_works_there(
    shown: subprocess.CompletedProcess[str], build: Path, tmp_path: Path
) -> None:
    assert shown.returncode == 0
    offered = [line for line in commands(PAGE) if not line.startswith(_OUTSIDE)]
    script = tmp_path / "shell"
    script.write_text("\n".join(["#!/bin/sh -e", *map(partial(_in_a_script, build=build), offered)]))
    script.chmod(0o700)
    done = run(build, "shell", env={"SHELL": str(script)})
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("+ ") == len(offered)
    assert "aks-general-" in done.stdout
    assert "simulated-cluster-autoscaler" in done.stdout or "simulated autoscaler" in done.stdout
    answers = [
        line.removeprefix("cpuspot: ") for line in done.stdout.splitlines() if line.startswith("cpuspot: ")
    ]
    assert len(answers) == 7
    assert "allocation error" in answers[4]
    assert "none boots" in answers[5]
    assert "Azure has VMs" in answers[6]


def _in_a_script(command: str, *, build: Path) -> str:
    """A command that logs its name, stays in the test's folder, and is ended if it would run for ever."""
    market = "./kubeflow-aks local market"
    here = command.replace(market, f"{market} --build {build}").replace(" build/", f" {build}/")
    endless = "--watch" in command or command.startswith("tail -f")
    return f"echo '+ {command}'\n" + (f"timeout 3 {here} || [ $? = 124 ]" if endless else here)


@pytest.mark.parametrize(
    ("toleration", "changeable"), [({"operator": "Exists"}, True), ({"value": "present"}, False)]
)
def test_a_gpu_pod_can_be_changed_if_its_toleration_has_no_value(
    toleration: dict[str, str],
    changeable: bool,
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


def test_an_up_after_the_control_plane_died_goes_on_with_what_is_in_it(
    shown: subprocess.CompletedProcess[str], build: Path
) -> None:
    assert shown.returncode == 0
    for file in build.glob("demo/local/kwok/clusters/*/pids/*.pid"):
        os.kill(int(file.read_text()), signal.SIGKILL)
    again = run(build, "up")
    assert again.returncode == 0, again.stdout + again.stderr
    assert "of this local AKS ended: starting again" in again.stdout
    # The demo switched on `kubeflow.argoRetries`, which the stack file leaves off: a patch, and a key of the contract.
    assert "1 delete, 1 discard, 46 same, 1 update" in again.stdout


def test_a_second_command_at_the_same_time_is_refused_and_the_first_goes_on(
    shown: subprocess.CompletedProcess[str], build: Path
) -> None:
    assert shown.returncode == 0
    first = start(build, "up")
    until(first, "[2/4]")
    os.kill(first.pid, signal.SIGSTOP)  # or it would be over before the second one begins
    for command in ("demo", "down"):
        second = run(build, command)
        assert second.returncode == 1
        assert "another local AKS command is running" in second.stderr
        assert second.stderr.count("\n") == 1
    os.kill(first.pid, signal.SIGCONT)
    assert first.communicate(timeout=PATIENCE_SECONDS)[1] == ""
    assert first.returncode == 0
