"""The commands of the workflow `up` on the local AKS: what is deployed was previewed, and policy stops it in time."""

from __future__ import annotations

import copy
import json
from collections.abc import Generator
from typing import Any, Final

import pytest
import yaml

from kubeflow_aks.tools import Tools
from tests.local.delivery.checkout import Checkout, checked_out
from tests.local.demo_stack import WIDE
from tests.local.engine.deployment import Cluster

STACK: Final = "demo"
COMPARED: Final = "Nothing more is deleted or replaced"


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory, tools: Tools, cluster: Cluster) -> Generator[Checkout]:
    with checked_out(tmp_path_factory.mktemp("up"), tools, cluster) as made:
        made.pulumi("stack", "init", STACK)
        made.sign_in(STACK)
        yield made


def test_the_stacks_that_the_variable_names_are_listed(checkout: Checkout) -> None:
    done = checkout.step("up", "stacks", "List the stacks", STACKS="prod demo")
    assert done.returncode == 0, done.stderr
    assert json.loads(checkout.outputs()["stacks"]) == ["demo", "prod"]
    assert checkout.step("up", "stacks", "List the stacks", STACKS="dmeo").returncode == 1


def test_the_preview_changes_nothing_and_up_does_what_it_showed(checkout: Checkout) -> None:
    previewed = checkout.step("up", "preview", "Preview", STACK=STACK)
    assert previewed.returncode == 0, previewed.stdout
    assert checkout.step("up", "preview", "Job summary").returncode == 0
    summary = (checkout.temporary / "summary").read_text(encoding="utf-8")
    assert "azure-native:containerservice:ManagedCluster" in summary
    assert checkout.azure.all() == []
    listed = checkout.step("up", "preview", "What it deletes and replaces", STACK=STACK)
    assert listed.returncode == 0, listed.stderr
    assert json.loads((checkout.temporary / "approved.json").read_text(encoding="utf-8")) == {}
    assert checkout.step("up", "up", COMPARED, STACK=STACK).returncode == 0
    done = checkout.step("up", "up", "Up", STACK=STACK)
    assert done.returncode == 0, done.stdout
    assert checkout.azure.all() != []
    for text in (summary, done.stdout):
        assert checkout.run.azure_token() not in text
        assert "eyJ" not in text  # how every token of Kubernetes begins


def test_what_the_approved_preview_does_not_lose_stops_the_job_before_up(checkout: Checkout) -> None:
    """Another size for a pool, after the reviewers approved a preview without it."""
    file = checkout.folder / f"Pulumi.{STACK}.yaml"
    before = file.read_text(encoding="utf-8")
    pools: dict[str, Any] = copy.deepcopy(WIDE["pools"])
    pools["general"]["vmSize"] = "Standard_D8as_v5"
    checkout.configure(STACK, pools=pools)
    try:
        refused = checkout.step("up", "up", COMPARED, STACK=STACK)
    finally:
        file.write_text(before, encoding="utf-8")
    assert refused.returncode == 1, refused.stderr
    assert (
        "AgentPool kubeflow-aks-demo-general would be replaced, which the approved preview does not have"
        in refused.stderr
    )


def test_a_broken_promise_stops_the_preview_and_up_before_anything_changes(checkout: Checkout) -> None:
    """Somebody wrote the password of an identity into the stack's file."""
    file = checkout.folder / f"Pulumi.{STACK}.yaml"
    document = yaml.safe_load(file.read_text(encoding="utf-8"))
    document["config"]["azure-native:clientSecret"] = checkout.run.azure_token()
    file.write_text(yaml.safe_dump(document), encoding="utf-8")
    checkout.configure(STACK, tags={"owner": "somebody-else", "environment": "demo"})
    before = {resource.id: resource.inputs for resource in checkout.azure.all()}
    previewed = checkout.step("up", "preview", "Preview", STACK=STACK)
    assert previewed.returncode != 0
    assert "no-secret-in-clear" in previewed.stdout
    done = checkout.step("up", "up", "Up", STACK=STACK)
    assert done.returncode != 0
    assert {resource.id: resource.inputs for resource in checkout.azure.all()} == before
