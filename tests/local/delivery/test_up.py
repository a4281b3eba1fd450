"""The commands of `up.yml` on the local AKS: what is deployed was previewed, and policy stops it in time."""

from __future__ import annotations

import json
from collections.abc import Generator
from typing import Final

import pytest

from tests.local.delivery.checkout import Checkout, checked_out
from tests.local.engine.deployment import Cluster
from tools import Tools

STACK: Final = "demo"


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


def test_the_preview_changes_nothing_and_up_does_what_it_said(checkout: Checkout) -> None:
    previewed = checkout.step("up", "preview", "Preview", STACK=STACK)
    assert previewed.returncode == 0, previewed.stdout
    assert checkout.step("up", "preview", "Job summary").returncode == 0
    summary = (checkout.temporary / "summary").read_text(encoding="utf-8")
    assert "azure-native:containerservice:ManagedCluster" in summary
    assert checkout.azure.all() == []
    done = checkout.step("up", "up", "Up", STACK=STACK)
    assert done.returncode == 0, done.stdout
    assert checkout.azure.all() != []
    for text in (summary, done.stdout):
        assert "BEGIN" not in text
        assert "token" not in text.lower().replace("juju-token", "").replace("jujutoken", "")


def test_a_broken_promise_stops_the_preview_and_up_before_anything_changes(checkout: Checkout) -> None:
    tags = {"owner": "ml-platform", "environment": "production"}  # unprotected, which only a demo may be
    checkout.configure(STACK, tags=tags)
    before = {resource.id: resource.inputs for resource in checkout.azure.all()}
    previewed = checkout.step("up", "preview", "Preview", STACK=STACK)
    assert previewed.returncode != 0
    assert "protect" in previewed.stdout
    done = checkout.step("up", "up", "Up", STACK=STACK)
    assert done.returncode != 0
    assert {resource.id: resource.inputs for resource in checkout.azure.all()} == before
