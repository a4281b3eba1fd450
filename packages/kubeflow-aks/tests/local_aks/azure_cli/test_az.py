"""`az` on the local AKS against a served Azure: in this process, and as the script that a shell finds."""

import io
import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import redirect_stderr, redirect_stdout
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from kubeflow_aks.local_aks.azure import server
from kubeflow_aks.local_aks.azure.state import AzureState
from kubeflow_aks.local_aks.azure_cli import __main__
from kubeflow_aks.local_aks.azure_http import server as azure_http
from kubeflow_aks.local_aks.azure_http.compute import Compute
from kubeflow_aks.local_aks.lifecycle import programs, service_files
from kubeflow_aks.local_aks.lifecycle.service_files import Endpoints
from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.local_aks.simulation.market import Market
from kubeflow_aks.tools.manifest import KUBERNETES_VERSION
from tests.local_aks.azure.azure_bodies import (
    SPOT_TAINT,
    TODAY,
    pool_id,
    put_pool,
    spot_pool,
    system_pool,
    with_cluster,
    without,
)

CLUSTER = "--resource-group kubeflow --cluster-name aks"

Az = Callable[[str], subprocess.CompletedProcess[str]]


@pytest.fixture
def state(run: RunDirectory) -> AzureState:
    """A cluster with a system pool and a spot pool."""
    state = AzureState(run.azure)
    manager = with_cluster(state)
    put_pool(manager, "cpuspot", spot_pool())
    return state


@pytest.fixture
def run(tmp_path: Path) -> RunDirectory:
    return RunDirectory.at(tmp_path / "a folder")


@pytest.fixture
def az(run: RunDirectory, state: AzureState) -> Generator[Az]:
    """Runs a command line."""
    azure = server.serve(state, token=run.azure_token(), kubeconfig=str, today=lambda: TODAY)
    service_files.write_endpoints(run, Endpoints(azure.port, 0))
    yield lambda line: _az(run, line)
    azure.stop()


def _az(run: RunDirectory, line: str) -> subprocess.CompletedProcess[str]:
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
        try:
            code: Any = __main__.main([str(run.root), *shlex.split(line)])
        except SystemExit as end:  # how the parser ends
            code = end.code
    return subprocess.CompletedProcess(line, code, out.getvalue(), err.getvalue())


def test_a_shell_finds_it(run: RunDirectory, az: Az) -> None:
    def in_a_shell(line: str) -> tuple[int, str, str]:
        environment = programs.with_az(run, os.environ)
        done = subprocess.run(
            ["/bin/sh", "-c", f"az {line}"],
            env=environment,
            cwd=run.root,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    for line in (
        f"aks nodepool show {CLUSTER} --name cpuspot --output json",
        f"aks nodepool show {CLUSTER} -n more",
        f"aks nodepool delete {CLUSTER}",
    ):
        here = az(line)
        assert in_a_shell(line) == (here.returncode, here.stdout, here.stderr)


def test_commands_without_a_channel_import_neither_grpc_nor_pulumi() -> None:
    """They take over half a second, and tests and workflows start `az` hundreds of times."""
    code = "import sys, kubeflow_aks.local_aks.azure_cli.__main__; print({'grpc', 'psutil', 'pulumi'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_list_shows_every_pool_as_a_table(az: Az) -> None:
    done = az(f"aks nodepool list {CLUSTER} --output table")
    assert done.stderr == ""
    heading, rule, *rows = done.stdout.splitlines()
    assert heading.split() == [
        "Name", "OsType", "KubernetesVersion", "VmSize", "Count", "MaxPods", "ProvisioningState", "Mode",
    ]  # fmt: skip
    assert set(rule) == {"-", " "}
    assert [(row.split()[0], row.split()[-1]) for row in rows] == [("system", "System"), ("cpuspot", "User")]


def test_show_spells_names_as_the_original_and_finds_the_cluster_in_any_case(az: Az) -> None:
    done = az("aks nodepool show -g KUBEFLOW --cluster-name AKS -n cpuspot")
    pool = json.loads(done.stdout)
    assert (pool["name"], pool["osSku"], pool["enableNodePublicIp"]) == ("cpuspot", "Ubuntu", False)
    assert pool["osDiskSizeGb"] > 0
    assert pool["nodeTaints"] == [SPOT_TAINT]
    assert "azureApiVersion" not in pool
    types = ("Microsoft.ContainerService/managedClusters/agentPools", "VirtualMachineScaleSets")
    for it in (pool, *json.loads(az(f"aks nodepool list {CLUSTER}").stdout)):
        assert (it["type"], it["typePropertiesType"]) == types


def test_the_sign_in_is_the_runs_own_token(az: Az, run: RunDirectory) -> None:
    for options in (
        "",
        "--resource https://management.azure.com/",
        "--scope https://management.azure.com/.default",
    ):
        signed_in = json.loads(az(f"account get-access-token {options}").stdout)
        assert signed_in["accessToken"] == run.bearer_token() != run.azure_token()
        assert signed_in["tokenType"] == "Bearer"
        assert signed_in["expires_on"] > time.time()
        ends = datetime.strptime(signed_in["expiresOn"], "%Y-%m-%d %H:%M:%S.%f").astimezone()
        assert abs(ends.timestamp() - signed_in["expires_on"]) < 1
    account = json.loads(az("account show").stdout)
    assert (account["id"], account["tenantId"]) == (signed_in["subscription"], signed_in["tenant"])
    assert f"/subscriptions/{account['id']}/" in pool_id("cpuspot")


def test_there_is_a_token_for_the_resource_manager_only(az: Az) -> None:
    done = az("account get-access-token --resource https://vault.azure.net")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "ERROR: the local AKS has tokens for its resource manager only, not for https://vault.azure.net\n"
    )


def test_the_clouds_resource_manager_is_on_this_machine(az: Az, run: RunDirectory) -> None:
    ports = json.loads(service_files.endpoints_file(run).read_text())
    service_files.endpoints_file(run).write_text(json.dumps({**ports, "resource_manager": 4711}))
    shown = json.loads(az("cloud show --output json").stdout)
    assert shown["endpoints"]["resourceManager"] == "http://127.0.0.1:4711/"
    for_it = az("account get-access-token --resource http://127.0.0.1:4711/")
    assert for_it.returncode == 0


def test_delete_removes_a_pool(az: Az, state: AzureState) -> None:
    done = az(f"aks nodepool delete {CLUSTER} --name cpuspot")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert [pool["name"] for pool in state.agent_pools()] == ["system"]


def test_the_last_system_pool_stays_and_azures_message_is_printed(az: Az, state: AzureState) -> None:
    done = az(f"aks nodepool delete {CLUSTER} --name system")
    assert done.returncode == 1
    assert done.stderr.splitlines()[0] == (
        "ERROR: (OperationNotAllowed) There has to be at least one system agent pool."
    )
    assert len(state.agent_pools()) == 2


def test_a_system_pool_goes_when_there_is_another(az: Az, state: AzureState) -> None:
    put_pool(with_cluster(state), "system2", without(system_pool(), "name"))
    assert az(f"aks nodepool delete {CLUSTER} --name system").returncode == 0
    assert [pool["name"] for pool in state.agent_pools()] == ["cpuspot", "system2"]


@pytest.mark.parametrize("wait", ["", "--no-wait"])
def test_upgrade_puts_the_version(az: Az, state: AzureState, wait: str) -> None:
    done = az(
        f"aks nodepool upgrade {CLUSTER} -n cpuspot --kubernetes-version {KUBERNETES_VERSION} --yes {wait}"
    )
    assert done.stderr == ""
    stored = state.get(pool_id("cpuspot"))
    assert stored is not None
    assert stored.outputs["orchestratorVersion"] == KUBERNETES_VERSION
    assert stored.outputs["nodeTaints"] == [SPOT_TAINT]
    assert (
        (json.loads(done.stdout)["orchestratorVersion"] == KUBERNETES_VERSION)
        if not wait
        else done.stdout == ""
    )


def test_upgrade_beyond_the_control_plane_is_refused_in_azures_words(az: Az) -> None:
    done = az(f"aks nodepool upgrade {CLUSTER} -n cpuspot -k 1.35 --yes")
    assert done.returncode == 1
    assert "(NodePoolMcVersionIncompatible) Node pool version 1.35" in done.stderr


def test_upgrade_needs_confirmation_for_the_version_that_the_pool_has(az: Az) -> None:
    command = f"aks nodepool upgrade {CLUSTER} -n cpuspot -k"
    version = json.loads(az(f"aks nodepool show {CLUSTER} -n cpuspot").stdout)["orchestratorVersion"]
    again = az(f"{command} {version}")
    assert again.returncode == 1
    assert again.stderr.startswith(f"ERROR: The cluster is already on version {version}")
    assert az(f"{command} {version} --yes").returncode == 0


def test_update_changes_in_place(az: Az, state: AzureState) -> None:
    changes = f"-u --min-count 1 --max-count 6 --labels a=1 b= --node-taints {SPOT_TAINT},x=y:NoSchedule"
    done = az(f"aks nodepool update {CLUSTER} -n cpuspot {changes}")
    assert done.stderr == ""
    stored = state.get(pool_id("cpuspot"))
    assert stored is not None
    changed = {key: stored.outputs[key] for key in ("minCount", "maxCount", "nodeLabels", "nodeTaints")}
    assert changed == {
        "minCount": 1,
        "maxCount": 6,
        "nodeLabels": {"a": "1", "b": ""},
        "nodeTaints": [SPOT_TAINT, "x=y:NoSchedule"],
    }


def test_no_wait_returns_while_azure_works(run: RunDirectory, state: AzureState) -> None:
    """A pool takes Azure 90 s to delete: at this speed 45 s, which nobody waits for."""
    azure = server.serve(
        state, token=run.azure_token(), kubeconfig=str, speed=2.0, today=lambda: TODAY + timedelta(0)
    )
    service_files.write_endpoints(run, Endpoints(azure.port, 0))
    try:
        assert _az(run, f"aks nodepool delete {CLUSTER} -n cpuspot --no-wait").returncode == 0
        shown = _az(run, f"aks nodepool show {CLUSTER} -n cpuspot")
        assert json.loads(shown.stdout)["provisioningState"] == "Deleting"
        second = _az(run, f"aks nodepool upgrade {CLUSTER} -n system -k {KUBERNETES_VERSION} --yes --no-wait")
        assert "(OperationNotAllowed) Operation is not allowed: Another agentpool operation" in second.stderr
    finally:
        azure.stop()


def test_update_brings_an_engine_for_network_policies(az: Az) -> None:
    done = az("aks update -g kubeflow -n aks --network-dataplane cilium --network-policy cilium")
    assert (done.returncode, done.stderr) == (0, "")
    network = json.loads(done.stdout)["networkProfile"]
    assert (network["networkDataplane"], network["networkPolicy"]) == ("cilium", "cilium")


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("group delete --name kubeflow", 2, "does not know 'az group delete"),
        (
            "aks scale -g kubeflow -n aks",
            2,
            "it knows az account get-access-token, az account show, az aks nodepool delete, ",
        ),
        ("aks stop -g kubeflow -n ask", 3, "managedClusters/ask' under resource group"),
        ("aks start -g kubeflow -n aks", 1, "(OperationNotAllowed) managed cluster is in Provisioning State"),
        ("monitor activity-log list --resource-id x --start-time today", 1, "Unable to parse: 'today'"),
        ("aks nodepool", 2, "does not know 'az aks nodepool'"),
        ("aks update -g kubeflow -n aks", 1, "No argument specified to update"),
        (
            "aks update -g kubeflow -n ask --network-policy calico",
            3,
            "managedClusters/ask' under resource group",
        ),
        (
            "aks update -g kubeflow -n aks --network-policy cilium",
            1,
            "(NetworkPolicyNotSupported) Network Policy cilium requires NetworkDataplane cilium",
        ),
        ("aks update -g kubeflow -n aks --tier Free", 2, "unrecognized arguments: --tier Free"),
        ("", 2, "does not know 'az '"),
        (f"aks nodepool add {CLUSTER} --name more", 2, "does not know 'az aks nodepool add'"),
        (f"aks nodepool list {CLUSTER} --query [].name", 2, "unrecognized arguments: --query [].name"),
        (f"aks nodepool delete {CLUSTER}", 2, "required: --nodepool-name/--name/-n"),
        (
            f"aks nodepool update {CLUSTER} -n cpuspot --mode Master",
            2,
            "az aks nodepool update: 'Master' is not a valid value for '--mode'. Allowed values: System, User.",
        ),
        ("aks nodepool list -g kubeflow --cluster-name ask", 3, "managedClusters/ask' under resource group"),
        (f"aks nodepool show {CLUSTER} -n more", 3, "managedClusters/agentPools/more' under resource group"),
        (f"aks nodepool delete {CLUSTER} -n more", 1, "Node pool more doesnt exist, use 'aks nodepool list'"),
        (f"aks nodepool update {CLUSTER} -n cpuspot --min-count 1", 1, "are required for --enable-cluster"),
        (
            f"aks nodepool update {CLUSTER} -n cpuspot -u --min-count 1",
            1,
            "specify both min-count and max-count",
        ),
        (
            f"aks nodepool update {CLUSTER} -n cpuspot -u --min-count 4 --max-count 3",
            1,
            "min-count should be less than or equal",
        ),
    ],
)
def test_what_it_cannot_do_is_reported_and_nothing_is_done(
    az: Az, state: AzureState, line: str, code: int, message: str
) -> None:
    before = state.agent_pools()
    done = az(line)
    assert done.returncode == code
    assert message in done.stderr.splitlines()[0]
    assert done.stderr.startswith("ERROR: ")
    assert "Traceback" not in done.stderr
    assert state.agent_pools() == before


@pytest.mark.parametrize("wait", ["", "--no-wait"])
def test_a_cluster_is_stopped_started_and_both_are_in_the_activity_log(az: Az, wait: str) -> None:
    where = "-g kubeflow -n aks"
    done = az(f"aks stop {where} {wait}")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    stopped = json.loads(az(f"aks show {where}").stdout)
    assert stopped["powerState"] == {"code": "Stopped"}
    assert az(f"aks nodepool update {CLUSTER} -n cpuspot --mode User").returncode == 1
    done = az(f"aks start {where} {wait}")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert json.loads(az(f"aks show {where}").stdout)["powerState"] == {"code": "Running"}
    listed = f"monitor activity-log list --resource-id {stopped['id']} --start-time"
    assert json.loads(az(f"{listed} 2026-01-01T00:00:00Z").stdout) == [], "of the 6 hours from there on"
    entries = json.loads(az(f"{listed} 2026-01-01T00:00:00Z --end-time 2100-01-01T00:00:00Z").stdout)
    assert [entry["operationName"]["value"].partition("managedClusters/")[2] for entry in entries] == [
        "start/action",
        "stop/action",
        "write",
    ]
    assert json.loads(az(f"{listed} 2100-01-01T00:00:00Z").stdout) == []


def test_placement_scores_are_those_of_the_simulated_market(
    az: Az, run: RunDirectory, state: AzureState
) -> None:
    nothing: Any = None  # scores are of pools, not of VMs
    compute = Compute(state, nothing, Market(), nothing)
    resource_manager = azure_http.serve(compute, token=run.bearer_token())
    ports = json.loads(service_files.endpoints_file(run).read_text())
    service_files.endpoints_file(run).write_text(
        json.dumps({**ports, "resource_manager": resource_manager.port})
    )
    [spot] = [pool for pool in state.agent_pools() if pool["name"] == "cpuspot"]
    command = "compute-recommender spot-placement-score --location westeurope --desired-locations '[\"westeurope\"]'"
    sizes = [{"sku": spot["vmSize"]}] * 6
    try:
        done = az(f"{command} --desired-sizes '{json.dumps(sizes[:1])}' --desired-count 3")
        too_many = az(f"{command} --desired-sizes '{json.dumps(sizes)}'")
    finally:
        resource_manager.stop()
    answer = json.loads(done.stdout)
    assert (done.returncode, answer["desiredCount"], answer["availabilityZones"]) == (0, 3, False)
    assert [row["score"] for row in answer["placementScores"]] == ["High"]
    assert (too_many.returncode, too_many.stderr[:20]) == (1, "ERROR: (BadRequest) ")
    zones = az(f"{command} --desired-sizes '[]' --availability-zones true")
    assert (zones.returncode, zones.stdout) == (2, "")
    gone = az(f"{command} --desired-sizes '[]'")
    assert (gone.returncode, gone.stderr) == (1, "ERROR: the local AKS does not answer\n")


def test_a_local_aks_that_stopped_is_reported(run: RunDirectory, state: AzureState) -> None:
    assert state.agent_pools()
    done = _az(run, f"aks nodepool list {CLUSTER}")
    assert (done.returncode, done.stderr) == (
        1,
        "ERROR: no local AKS is running here; `./kubeflow-aks local up` starts one\n",
    )


def test_a_stranger_with_another_token_gets_nothing(run: RunDirectory, state: AzureState) -> None:
    azure = server.serve(state, token="another", kubeconfig=str, today=lambda: TODAY)  # noqa: S106
    service_files.write_endpoints(run, Endpoints(azure.port, 0))
    try:
        done = _az(run, f"aks nodepool list {CLUSTER}")
    finally:
        azure.stop()
    assert done.returncode == 1
    assert "clientSecret is not the token" in done.stderr
