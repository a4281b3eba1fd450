"""The commands of the workflow `drift` on the local AKS, where things are changed by hand."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Generator
from dataclasses import replace
from typing import Final

import pytest

from components.kubeflow.contract import CONTRACT
from kubeflow_aks.ci.drift import marker
from kubeflow_aks.clients.kubernetes.objects import Object, at
from kubeflow_aks.local_aks.azure.state import AGENT_POOL, AzureState
from kubeflow_aks.tools import Tools
from tests.ci.github_api import REPOSITORY, TOKEN, Repository, github
from tests.ci.workflows import commands
from tests.local.delivery.checkout import Checkout, checked_out
from tests.local.engine.deployment import Cluster
from tests.local.kubectl import Kubectl

STACK: Final = "demo"
KEY: Final = "pools.json"
COMMANDS: Final = commands("drift", "drift", "Open, update or close the issue")
Look = Callable[[], subprocess.CompletedProcess[str]]
HandEdit = Callable[[str, str], None]


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory, tools: Tools, cluster: Cluster) -> Generator[Checkout]:
    with checked_out(tmp_path_factory.mktemp("drift"), tools, cluster) as made:
        made.pulumi("stack", "init", STACK)
        made.sign_in(STACK)
        yield made


@pytest.fixture(scope="module")
def deployed(checkout: Checkout) -> Checkout:
    """The program's state; a test undoes what it changes by hand."""
    checkout.pulumi("up", "--yes", "--skip-preview", "--stack", STACK)
    return checkout


@pytest.fixture
def repository() -> Repository:
    return Repository()


@pytest.fixture
def looked(deployed: Checkout, repository: Repository) -> Generator[Look]:
    """The two steps of the workflow, one after the other."""
    with github(repository) as address:

        def look() -> subprocess.CompletedProcess[str]:
            compared = deployed.step("drift", "drift", "Compare with what exists", STACK=STACK)
            assert compared.returncode == 0, compared.stderr
            return deployed.shell(
                ["bash", "-e", "-c", COMMANDS],
                STACK=STACK,
                GITHUB_TOKEN=TOKEN,
                GITHUB_API_URL=address,
                GITHUB_REPOSITORY=REPOSITORY,
                GITHUB_SERVER_URL="https://github.com",
                GITHUB_SHA="c" * 40,
                GITHUB_RUN_ID="77",
            )

        yield look


@pytest.fixture(scope="module")
def edit(deployed: Checkout, tools: Tools, cluster: Cluster) -> HandEdit:
    """Changes the ConfigMap's data as a tool does that names itself so; Pulumi has updated it before."""
    metadata = _config_map(cluster)["metadata"]
    kubectl = Kubectl(tools, cluster.kubeconfig, metadata["namespace"])

    def edit(tool: str, value: str) -> None:
        patch = json.dumps({"data": {KEY: value}})
        kubectl.run(
            "patch",
            "configmap",
            metadata["name"],
            "--type=merge",
            "--patch",
            patch,
            f"--field-manager={tool}",
        )

    edit("kubectl-edit", "first")
    deployed.pulumi("up", "--yes", "--refresh", "--skip-preview", "--stack", STACK)
    return edit


def _body(repository: Repository) -> str:
    [issue] = [issue for issue in repository.issues if issue["state"] == "open"]
    assert issue["body"].splitlines()[0] == marker(STACK)
    return issue["body"]


def test_what_is_as_in_the_program_opens_no_issue(
    looked: Look, deployed: Checkout, repository: Repository
) -> None:
    """Nor does what the autoscaler did."""
    clusters = {pool["name"]: pool["clusterId"] for pool in deployed.azure.agent_pools()}
    for pool, count in (("cpuspot", 3), ("system", 3)):
        deployed.azure.set_count(clusters[pool], pool, count)
    done = looked()
    assert (done.returncode, done.stdout) == (0, "demo: no drift\n")
    assert repository.issues == []
    # Yet the CLI saw changes: what only looks different in a preview.
    shown = json.loads((deployed.temporary / "preview.json").read_text())["changeSummary"]
    assert set(shown) > {"same"}


def test_an_edited_pool_opens_one_issue_which_another_joins_and_which_is_closed_when_both_are_undone(
    looked: Look, deployed: Checkout, repository: Repository
) -> None:
    _az(deployed, "update --update-cluster-autoscaler --min-count 0 --max-count 20 --name cpuspot")
    done = looked()
    assert done.returncode == 0, done.stderr
    body = _body(repository)
    assert "cpuspot" in body
    assert "maxCount" in body
    assert "RoleAssignment" not in body
    assert "agentPoolProfiles" not in body
    foreign = _pool_by_hand(deployed.azure)
    assert looked().stdout.startswith("demo: 2 with drift; updated #")
    assert len(repository.issues) == 1
    assert "agentPoolProfiles[byhand]" in _body(repository)
    deployed.azure.delete(foreign)
    _az(deployed, "update --update-cluster-autoscaler --min-count 0 --max-count 10 --name cpuspot")
    assert "closed #" in looked().stdout
    [issue] = repository.issues
    assert (issue["state"], issue["state_reason"]) == ("closed", "completed")
    assert [comment["body"] for comment in repository.comments[issue["number"]]] == [
        "There is no drift any more.\n"
    ]


def _pool_by_hand(azure: AzureState) -> str:
    """Id of a pool that somebody added."""
    [managed_pool] = [pool for pool in azure.all(AGENT_POOL) if pool.outputs["name"] == "cpuspot"]
    foreign = replace(
        managed_pool,
        id=managed_pool.id.replace("/cpuspot", "/byhand"),
        inputs={**managed_pool.inputs, "agentPoolName": "byhand"},
        outputs={**managed_pool.outputs, "name": "byhand"},
    )
    azure.put(foreign)
    return foreign.id


@pytest.mark.parametrize(
    ("tool", "way_back"),
    [
        ("kubectl-edit", "pulumi up --stack demo --skip-preview"),
        ("lens", "PULUMI_K8S_ENABLE_PATCH_FORCE=true pulumi up --stack demo"),
    ],
)
def test_fields_that_a_person_took_over_are_drift_with_their_owner_and_the_way_back(
    tool: str, way_back: str, looked: Look, edit: HandEdit, request: pytest.FixtureRequest
) -> None:
    """The way back is then gone, and there is no drift any more."""
    deployed: Checkout = request.getfixturevalue("deployed")
    repository: Repository = request.getfixturevalue("repository")
    edit(tool, "by hand")
    done = looked()
    assert done.returncode == 0, done.stderr
    body = _body(repository)
    assert f"was changed by `{tool}`" in body
    assert way_back in body
    assert "docs/how-to/keep-or-undo-hand-edits.md" in body
    [block] = [part for part in body.split("```") if part.startswith("sh\n")]
    for line in block.splitlines()[1:]:
        command = line.replace("pulumi refresh", "pulumi refresh --yes").replace(
            "pulumi up", "pulumi up --yes"
        )
        done = deployed.shell(["bash", "-e", "-c", f"{command} --non-interactive"])
        assert done.returncode == 0, done.stdout + done.stderr
    assert "closed #" in looked().stdout


def test_a_deleted_object_is_missing_and_a_preview_that_fails_is_an_error_which_leaves_the_issue(
    looked: Look, deployed: Checkout, repository: Repository, tools: Tools, cluster: Cluster
) -> None:
    metadata = _config_map(cluster)["metadata"]
    Kubectl(tools, cluster.kubeconfig, metadata["namespace"]).run("delete", "configmap", metadata["name"])
    assert looked().returncode == 0
    before = _body(repository)
    assert "is missing" in before
    file = deployed.folder / f"Pulumi.{STACK}.yaml"
    right = file.read_text(encoding="utf-8")
    try:
        deployed.configure(STACK, gpu={"driver": "no such driver"})
        done = looked()
    finally:
        file.write_text(right, encoding="utf-8")
        deployed.pulumi("up", "--yes", "--refresh", "--skip-preview", "--stack", STACK)
    assert done.returncode == 3
    assert done.stdout == ""
    assert "gpu.driver" in done.stderr
    assert "Traceback" not in done.stderr
    assert _body(repository) == before


def test_a_stack_that_was_never_deployed_is_an_error(deployed: Checkout) -> None:
    compared = deployed.step("drift", "drift", "Compare with what exists", STACK="dev")
    assert compared.returncode == 0
    done = deployed.shell(["bash", "-e", "-c", COMMANDS], STACK="dev", GITHUB_TOKEN=TOKEN)
    assert done.returncode == 3
    assert "no stack named 'dev' found" in done.stderr


def _az(checkout: Checkout, words: str) -> None:
    where = f"--resource-group kubeflow-aks-{STACK} --cluster-name kubeflow-aks-{STACK}"
    done = checkout.shell(["bash", "-c", f"az aks nodepool {words} {where}"])
    assert done.returncode == 0, done.stderr


def _config_map(cluster: Cluster) -> Object:
    [config_map] = [
        obj
        for obj in cluster.objects().values()
        if at(obj, "metadata", "name") == CONTRACT and obj["kind"] == "ConfigMap"
    ]
    return config_map
