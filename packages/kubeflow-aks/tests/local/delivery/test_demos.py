"""The commands of the workflows `demo` and `reaper` on the local AKS: of five stacks, the expired one goes."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest

from kubeflow_aks.ci import expiry
from kubeflow_aks.local_aks.azure.state import MANAGED_CLUSTER
from kubeflow_aks.tools import Tools
from tests.local.delivery.checkout import Checkout, checked_out
from tests.local.engine.deployment import TODAY, Cluster

OLD: Final = "demo-old"
PASSED: Final = "2026-11-21T10:00:00Z"


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory, tools: Tools, cluster: Cluster) -> Generator[Checkout]:
    with checked_out(tmp_path_factory.mktemp("demos"), tools, cluster) as made:
        yield made


@pytest.fixture(scope="module")
def deployed(checkout: Checkout) -> Checkout:
    """With the stack `demo-old`, by the steps of the workflow."""
    written = checkout.step("demo", "demo", "Write the stack's file", NAME="old", HOURS="1")
    assert written.returncode == 0, written.stderr
    _rest_of_the_demo(checkout, "Preview", "Up")
    return checkout


def test_a_demo_shows_when_it_ends_and_lasts_longer_if_requested_again(deployed: Checkout) -> None:
    until = _ends(deployed)
    assert timedelta(0) < until - datetime.now(UTC) <= timedelta(hours=1)
    assert deployed.outputs()["stack"] == OLD
    (deployed.folder / f"Pulumi.{OLD}.yaml").unlink()  # the next run starts from a checkout of its own
    assert deployed.step("demo", "demo", "Write the stack's file", NAME="old", HOURS="3").returncode == 0
    _rest_of_the_demo(deployed, "Up")
    assert _ends(deployed) - until > timedelta(hours=1)


def test_each_mistake_in_a_form_is_one_line_and_nothing_is_written(checkout: Checkout) -> None:
    for name, hours, keys in (
        ("$(id)", "1", ["name"]),
        ("--help", "1", ["name"]),
        ("old", "1; id", ["hours"]),
        ("Old", "0", ["name", "hours"]),
        ("a" * 16, "999", ["name", "hours"]),
    ):
        done = checkout.step("demo", "demo", "Write the stack's file", NAME=name, HOURS=hours)
        assert done.returncode == 2, done.stdout
        mistakes = done.stderr.removeprefix("error: ").splitlines()
        assert [mistake.partition(": ")[0] for mistake in mistakes] == keys
        assert "Traceback" not in done.stderr


def test_of_five_stacks_the_expired_one_goes_and_every_other_is_named_or_not_even_read(
    deployed: Checkout,
) -> None:
    _copy(deployed, OLD, expires=PASSED)
    _copy(deployed, "demo-new", expires=expiry.written(datetime.now(UTC) + timedelta(hours=1)))
    _copy(deployed, "demo-untagged", expires=None)
    _copy(deployed, "demo-kept", expires=PASSED, protect=True)
    _copy(deployed, "staging", expires=PASSED)
    _copy(deployed, "demo-busy", expires=PASSED)
    _lock(deployed, "demo-busy")
    (deployed.folder / f"Pulumi.{OLD}.yaml").unlink()  # the reaper's checkout has no file of any demo
    stacks = deployed.stacks()

    dry = _reap(deployed, destroy="false")
    assert dry.returncode == 0, dry.stderr
    assert deployed.stacks() == stacks
    verdicts = dict(line.split(": ", 1) for line in dry.stdout.splitlines())
    assert set(verdicts) == {"demo-busy", "demo-kept", "demo-new", "demo-old", "demo-untagged"}
    assert verdicts[OLD].startswith("would be destroyed: expired ")
    assert verdicts["demo-new"].startswith("runs until ")
    assert verdicts["demo-untagged"] == "left: has no tag expires"
    assert verdicts["demo-kept"].startswith("left: is protected (")
    assert deployed.azure.all(MANAGED_CLUSTER)

    with ThreadPoolExecutor(2) as both:  # a run by hand beside the one of the schedule
        begun = [both.submit(_reap, deployed, destroy="true") for _ in range(2)]
    done = [one.result() for one in begun]
    assert [one.returncode for one in done] == [0, 0], [one.stderr for one in done]
    lines = [line for one in done for line in one.stdout.splitlines()]
    assert sum(line.startswith(f"{OLD}: destroyed: expired ") for line in lines) == 1
    assert "demo-busy: left: another operation is under way" in lines
    assert deployed.stacks() == [stack for stack in stacks if stack != OLD]
    assert deployed.azure.all() == []


def test_a_proof_comes_up_within_its_budget_and_leaves_nothing(checkout: Checkout) -> None:
    written = checkout.step("proof", "proof", "Write the stack's file", BUDGET="5000")
    assert written.returncode == 0, written.stderr
    checkout.configure("demo-proof", asOf=TODAY.isoformat())
    priced = checkout.step("proof", "proof", "Within the budget")
    assert priced.returncode == 0, priced.stderr
    assert "5,000" in priced.stdout
    made = checkout.step("proof", "proof", "Make the stack unless it is there", SECRETS_PROVIDER="passphrase")
    assert made.returncode == 0, made.stderr
    checkout.sign_in("demo-proof")
    up = checkout.step("proof", "proof", "Up")
    assert up.returncode == 0, up.stdout + up.stderr
    assert expiry.written(_ends(checkout)) > expiry.written(datetime.now(UTC) + timedelta(hours=2))
    destroyed = checkout.step("proof", "proof", "Destroy")
    assert destroyed.returncode == 0, destroyed.stdout + destroyed.stderr
    assert "demo-proof" not in checkout.stacks()
    assert checkout.azure.all() == []


def _rest_of_the_demo(checkout: Checkout, *steps: str) -> None:
    made = checkout.step(
        "demo", "demo", "Make the stack unless it is there", STACK=OLD, SECRETS_PROVIDER="passphrase"
    )
    assert made.returncode == 0, made.stderr
    checkout.sign_in(OLD)
    for step in steps:
        done = checkout.step("demo", "demo", step, STACK=OLD)
        assert done.returncode == 0, done.stdout + done.stderr


def _reap(checkout: Checkout, *, destroy: str) -> subprocess.CompletedProcess[str]:
    return checkout.step("reaper", "reaper", "End what has expired", DESTROY=destroy)


def _ends(checkout: Checkout) -> datetime:
    """By the tag that somebody sees in Azure."""
    [cluster] = checkout.azure.all(MANAGED_CLUSTER)
    return datetime.fromisoformat(cluster.outputs["tags"]["expires"])


def _copy(checkout: Checkout, stack: str, *, expires: str | None, protect: bool = False) -> None:
    """A stack by the state of `demo-old` alone, with another tag: all that the reaper looks at before it destroys."""
    states = _backend(checkout) / "stacks" / "kubeflow-aks"
    text = (states / f"{OLD}.json").read_text(encoding="utf-8").replace(OLD, stack)
    state: dict[str, Any] = json.loads(text)
    for resource in state["checkpoint"]["latest"]["resources"]:
        if resource["type"] == "azure-native:resources:ResourceGroup":
            resource["protect"] = protect
            for part in ("inputs", "outputs"):
                tags = resource[part]["tags"]
                tags.pop("expires")
                if expires:
                    tags["expires"] = expires
    (states / f"{stack}.json").write_text(json.dumps(state), encoding="utf-8")


def _lock(checkout: Checkout, stack: str) -> None:
    """As another engine does that is at work."""
    folder = _backend(checkout) / "locks" / "organization" / "kubeflow-aks" / stack
    folder.mkdir(parents=True, exist_ok=True)
    held = {"pid": 1, "username": "somebody", "hostname": "elsewhere", "timestamp": "2026-11-22T00:00:00Z"}
    (folder / "0c0ffee0-0000-4000-8000-000000000000.json").write_text(json.dumps(held), encoding="utf-8")


def _backend(checkout: Checkout) -> Path:
    """Where the CLI keeps its states and locks."""
    address = checkout.environment["PULUMI_BACKEND_URL"].removeprefix("file://").partition("?")[0]
    return Path(address) / ".pulumi"
