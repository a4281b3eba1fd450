"""What `kubeflow-aks adopt` writes, prints and refuses; the engine plays its files in tests/local/engine."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from kubeflow_aks.cli.process import main
from kubeflow_aks.local_aks.azure.state import AzureState
from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.recorder.stack_files import read_stack
from tests.adopt.everything import EVERYTHING
from tests.adopt.published import ADOPTED, ANSWERS, REFUSED, SMALL, Published

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in ("__main__.py", "Pulumi.yaml"):
        shutil.copy(PROJECT_ROOT / name, tmp_path)
    return tmp_path


@pytest.fixture
def run(project: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Adopts a cluster as the stack `new`: exit code, stdout and stderr."""

    def call(cluster: Any, *words: str, maintenance: Any = None) -> tuple[int, str, str]:
        (project / "cluster.json").write_text(json.dumps(cluster))
        (project / "maintenance.json").write_text(json.dumps(maintenance))
        files = [
            "--cluster",
            str(project / "cluster.json"),
            "--maintenance",
            str(project / "maintenance.json"),
        ]
        code = main(["adopt", "new", "--root", str(project), *files, "--owner", "ml", *words])
        shown = capsys.readouterr()
        return code, shown.out, shown.err

    return call


def written(project: Path) -> dict[str, Any]:
    """The settings of the new stack, without the project's name in their keys."""
    config: dict[str, Any] = yaml.safe_load((project / "Pulumi.new.yaml").read_text())["config"]
    return {key.partition(":")[2]: value for key, value in config.items()}


def put(published: Published, folder: Path) -> tuple[Any, Any]:
    azure = AzureState(folder / "azure")
    published.put(azure)
    return published.shown(azure)


def named(name: str) -> Published:
    return next(published for published in (*ADOPTED, *REFUSED) if published.name == name)


def test_the_settings_are_those_of_the_cluster(run: Run, project: Path) -> None:
    cluster, maintenance = put(named("avm-aks-production"), project)
    code, out, err = run(cluster, maintenance=maintenance)
    assert (code, err) == (0, "")
    settings = written(project)
    assert settings["adopted"] is True
    assert settings["resourceGroup"] == "rg-avm-aks-production"
    assert settings["names"]["identity"] == "uami-aks"
    assert settings["tags"] == {"owner": "platform", "environment": "new", "costcenter": "17"}
    assert settings["kubernetes"]["tier"] == "Standard"
    assert settings["network"]["podCidr"] == "192.168.0.0/16"
    assert settings["network"]["policy"] == "cilium"
    assert set(settings["network"]["subnetIds"]) == {"system", "general", "cpu", "gpu"}
    assert settings["apiAccess"]["privateCluster"] is True
    assert settings["systemPool"]["osDiskType"] == "Ephemeral"
    assert set(settings["pools"]) == {"workload1", "cpuspot", "gpuspot"}, (
        "its own pool hosts Charmed Kubeflow"
    )
    assert "Replaced or deleted: nothing" in out
    imported = json.loads((project / "build" / "new" / "import.json").read_text())["resources"]
    assert {entry["id"].rpartition("/")[2] for entry in imported if "id" in entry} == {
        "avm-aks-production",
        "uami-aks",
        "workload1",
    }
    names = [entry["name"] for entry in imported]
    assert len(set(names)) == len(names)
    assert all(entry.get("parent", names[0]) in names for entry in imported)


def test_of_a_cluster_with_every_property_all_that_no_setting_states_stays(run: Run, project: Path) -> None:
    cluster, maintenance = put(EVERYTHING, project)
    code, out, err = run(cluster, maintenance=maintenance)
    assert (code, err) == (0, "")
    listed = out.partition("first `pulumi up`:\n")[2].partition("Read before it:")[0]
    assert [line.partition(":")[0].strip() for line in listed.splitlines()] == [
        "everything",
        *(f"agentPoolProfiles[sys].{name}" for name in ("orchestratorVersion", "powerState.code")),
        *(f"agentPoolProfiles[sys].tags.{name}" for name in ("environment", "owner")),
        "autoUpgradeProfile.upgradeChannel",
        "identity.type",
        "identity.userAssignedIdentities",
        "securityProfile.imageCleaner.intervalHours",
        *(f"tags.{name}" for name in ("environment", "owner")),
        "batch",
        *("nodeLabels.kubeflow-aks/workload", "tags.environment", "tags.owner"),
        "spot",
        *("nodeLabels.kubeflow-aks/workload", "tags.environment", "tags.owner"),
        "aksManagedAutoUpgradeSchedule",
        "aksManagedNodeOSUpgradeSchedule",
    ]
    system, pools = written(project)["systemPool"], written(project)["pools"]
    assert system["otherProperties"]["securityProfile"]["enableSecureBoot"] is True
    assert system["tags"] == pools["batch"]["tags"] == {"team": "a"}
    assert not {"batch", "spot"} - set(pools)


def test_windows_and_second_host_pools_are_left_with_their_reason(run: Run, project: Path) -> None:
    for name, left in (
        ("recordingbot", {"win22: Windows, not Linux"}),
        (
            "avm-kubenet",
            {
                "userpool1: pools.userpool1.minCount: 1 is not allowed",
                "userpool2: pools.userpool2.minCount: 1 is not allowed",
                "- userpool1, userpool2: not managed and without a taint, so Charmed Kubeflow's pods run there",
            },
        ),
    ):
        cluster, maintenance = put(named(name), project / name)
        code, out, err = run(cluster, maintenance=maintenance)
        assert code == 0, err
        assert all(reason in " ".join(out.split()) for reason in left)
        assert not {"win22", "userpool1", "userpool2"} & set(written(project)["pools"])
        (project / "Pulumi.new.yaml").unlink()


@pytest.mark.parametrize("published", REFUSED, ids=lambda it: it.name)
def test_what_cannot_be_adopted_is_refused_in_words(published: Published, run: Run, project: Path) -> None:
    cluster, maintenance = put(published, project)
    code, out, err = run(cluster, maintenance=maintenance)
    assert (code, out) == (1, "")
    assert published.row["reason"] in err
    assert not (project / "Pulumi.new.yaml").exists()
    assert not (project / "build").exists()


def test_names_of_pools_that_are_taken_get_a_start_of_their_own(run: Run, project: Path) -> None:
    others = [
        {"name": name, "mode": "User", "osType": "Windows", "vmSize": "x"} for name in ("cpuod", "general")
    ]
    code, _, _ = run({**SMALL, "agentPoolProfiles": [*SMALL["agentPoolProfiles"], *others]})
    assert code == 0
    assert set(written(project)["pools"]) == {"ckfcpuspot", "ckfgeneral", "gpuspot"}


def test_a_value_that_the_program_refuses_is_listed_with_its_reason(run: Run, project: Path) -> None:
    profile = {"scanInterval": "every day", "maxGracefulTerminationSec": "300"}
    code, out, err = run({**SMALL, "autoScalerProfile": profile})
    assert code == 0, err
    assert written(project)["autoscaler"] == {"maxGracefulTerminationSec": 300}
    assert "Left out of the stack file, because the program refuses them" in out
    assert "  autoscaler.scanInterval: 'every day' is not allowed; expected" in out
    assert out.count("autoscaler.") == 1


def pool(name: str, size: str, **others: Any) -> dict[str, Any]:
    """A user pool as `az aks nodepool list` prints it."""
    return {
        "name": name,
        "type": "Microsoft.ContainerService/managedClusters/agentPools",
        "typePropertiesType": "VirtualMachineScaleSets",
        "mode": "User",
        "osType": "Linux",
        "vmSize": size,
        "enableAutoScaling": True,
        "minCount": 2,
        "maxCount": 5,
        "osDiskType": "Managed",
        "osDiskSizeGb": 128,
        "maxPods": 110,
        "gpuProfile": None,
        **others,
    }


def with_pools(*pools: dict[str, Any], **others: Any) -> dict[str, Any]:
    """The small cluster with these user pools beside its system pool."""
    return {**SMALL, "agentPoolProfiles": [*SMALL["agentPoolProfiles"], *pools], **others}


def test_spot_and_gpu_pools_are_taken_over_and_no_second_one_is_made(run: Run, project: Path) -> None:
    spot = {
        "scaleSetPriority": "Spot",
        "scaleSetEvictionPolicy": "Delete",
        "spotMaxPrice": -1,
        "minCount": 0,
        "nodeTaints": ["kubernetes.azure.com/scalesetpriority=spot:NoSchedule"],
        "nodeLabels": {"kubernetes.azure.com/scalesetpriority": "spot", "team": "a"},
    }
    batch, gpu = pool("batch", "Standard_D8ds_v5", **spot), pool("gpu", "Standard_NC4as_T4_v3", **spot)
    code, out, err = run(with_pools(batch, gpu))
    assert (code, err) == (0, "")
    assert set(written(project)["pools"]) == {"batch", "gpu", "general"}
    assert "  batch:\n" in out
    assert "  gpu:\n" in out
    assert "Not managed" not in out
    assert "- gpu.plugin: the program runs NVIDIA's device plugin" in out


def test_a_pool_without_a_driver_of_aks_belongs_to_the_gpu_operator(run: Run, project: Path) -> None:
    code, _, err = run(with_pools(pool("gpunp", "Standard_NC4as_T4_v3", gpuProfile={"driver": "None"})))
    assert (code, err) == (0, "")
    assert written(project)["gpu"] == {"driver": "None", "plugin": "none"}
    assert "gpunp" in written(project)["pools"]


def test_the_first_pool_that_is_large_enough_hosts_charmed_kubeflow(run: Run, project: Path) -> None:
    small, large = pool("small", "Standard_D2s_v5"), pool("large", "Standard_D8s_v5")
    code, out, _ = run(with_pools(small, large, {**large, "name": "third"}))
    assert code == 0
    assert set(written(project)["pools"]) == {"large", "cpuspot", "gpuspot"}
    assert "  small: pools.small.minCount: 2 is not allowed" in out
    assert "  third: the settings describe one Regular pool" in out


def test_a_burstable_system_pool_is_left_where_there_is_another(run: Run, project: Path) -> None:
    cluster = ANSWERS["burstable"]
    second = {**pool("second", "Standard_D4s_v5"), "mode": "System"}
    code, out, err = run({**cluster, "agentPoolProfiles": [*cluster["agentPoolProfiles"], second]})
    assert (code, err) == (0, "")
    assert written(project)["systemPool"]["name"] == "second"
    assert "  nodepool1: systemPool.vmSize: 'Standard_B2s' is not allowed" in out
    assert "- autoscaler.skipNodesWithLocalStorage is false" in out


def test_the_first_command_of_the_page_takes_what_az_prints(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Local accounts are off there, and role assignments give access."""
    cluster = ANSWERS["azure-rbac"]
    listed = {"type": "Microsoft.ContainerService/managedClusters/agentPools"}
    pools = [{**it, **listed, "typePropertiesType": it["type"]} for it in cluster["agentPoolProfiles"]]
    for name, answer in (("show", cluster), ("nodepool", pools), ("maintenanceconfiguration", [])):
        (project / f"{name}.json").write_text(json.dumps(answer))
    (project / "az").write_text(f'#!/bin/sh\ncat "{project}/$2.json"\n')
    (project / "az").chmod(0o755)
    monkeypatch.setenv("PATH", str(project), prepend=":")
    words = ["--resource-group", "aks-test-rg", "--name", "skg-aks-cluster", "--owner", "ml-platform"]
    code = main(["adopt", "new", "--root", str(project), *words])
    out, err = capsys.readouterr()
    assert (code, err) == (0, "")
    settings = written(project)
    assert settings["apiAccess"] == {"localAccounts": False}
    assert "created" not in settings
    assert "  app1: of the type VirtualMachines, not VirtualMachineScaleSets" in out
    assert "- aadProfile.enableAzureRBAC: who runs Pulumi needs kubelogin" in out


def test_node_auto_provisioning_without_its_default_pools_stays_beside(run: Run) -> None:
    cluster = ANSWERS["node-auto-provisioning"]
    code, out, err = run({**cluster, "nodeProvisioningProfile": {"mode": "Auto", "defaultNodePools": "None"}})
    assert (code, err) == (0, "")
    assert "- nodeProvisioningProfile.mode: Auto; beside autoscaled pools it needs" in out
    assert "- networkPlugin: none; pods get their addresses" in out


@pytest.mark.parametrize(
    ("outbound", "start"),
    [
        ("none", "- networkProfile.outboundType: none; AKS gives nodes no way out"),
        ("managedNATGateway", "- network.outboundType: loadBalancer stands in for managedNATGateway"),
    ],
)
def test_a_network_that_no_setting_describes_is_named(outbound: str, start: str, run: Run) -> None:
    assert start in run({**SMALL, "networkProfile": {"outboundType": outbound}})[1]


def test_numbers_as_text_stay_text_for_pulumi(run: Run, project: Path) -> None:
    assert run({**SMALL, "tags": {"cost": "0815", "0816": "1e3"}})[0] == 0
    settings = read_stack(project, "new").settings
    assert settings["kubeflow-aks:tags"] == {
        "owner": "ml",
        "environment": "new",
        "cost": "0815",
        "0816": "1e3",
    }


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_file_is_read_in_the_encodings_of_shells(encoding: str, project: Path) -> None:
    (project / "cluster.json").write_bytes(
        json.dumps({**SMALL, "tags": {"owner": "Müller"}}).encode(encoding)
    )
    assert main(["adopt", "new", "--root", str(project), "--cluster", str(project / "cluster.json")]) == 0
    assert written(project)["tags"]["owner"] == "Müller"


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"id": None}, "id: missing; expected the ARM id"),
        ({"location": ""}, "location: missing"),
        ({"agentPoolProfiles": None}, "agentPoolProfiles: missing"),
        ({"agentPoolProfiles": {}}, "pools: not a list"),
        ({"agentPoolProfiles": [None]}, "pools[0]: without a name"),
    ],
)
def test_what_is_not_a_cluster_is_unjudged(changed: dict[str, Any], words: str, run: Run) -> None:
    code, _, err = run({**SMALL, **changed})
    assert (code, err.count("\n")) == (3, 1)
    assert words in err


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (
            {"sku": {"name": "Automatic"}},
            "with a system pool of your own, `az aks update --resource-group rg --name small --sku base` makes it",
        ),
        (
            {"sku": {"name": "Automatic"}, "agentPoolProfiles": None},
            "no pool that can be the system pool (none is listed); add one by `az aks nodepool add",
        ),
        ({"enableRbac": False}, "enableRbac: false"),
        ({"aadProfile": {"managed": False}}, "aadProfile: Entra sign-in of the old kind"),
        ({"networkProfile": {"loadBalancerSku": "basic"}}, "networkProfile.loadBalancerSku: basic"),
        ({"kubernetesVersion": None}, "kubernetesVersion: missing"),
        ({"kubernetesVersion": 1.33}, "kubernetesVersion: 1.33 is not allowed; expected the version"),
        (
            {"agentPoolProfiles": [{"name": "a", "mode": "User"}]},
            "no pool that can be the system pool (a: mode User)",
        ),
        (
            {"agentPoolProfiles": [{"name": "a", "mode": "System", "type": "AvailabilitySet"}]},
            "of the type AvailabilitySet",
        ),
        (
            {"agentPoolProfiles": [{"name": "a", "mode": "System", "type": "AvailabilitySet"}]},
            "az aks update --resource-group rg --name small --migrate-vmas-to-vms` first",
        ),
        (
            {"agentPoolProfiles": [{"name": "system", "mode": "ManagedSystem"}]},
            "--cluster-name small --name system2 --mode System",
        ),
        (ANSWERS["burstable"], "--cluster-name adhr-es-eks-cluster --name system --mode System"),
        (
            ANSWERS["node-auto-provisioning"],
            "--name island-cilium-aks --node-provisioning-mode Manual` first",
        ),
        ({"networkProfile": {"outboundType": "block"}}, "--name small --outbound-type loadBalancer` first"),
        ({"nodeResourceGroup": None}, "nodeResourceGroup: – → small-nodes"),
        ({"disableLocalAccounts": True}, "neither a group of admins nor Azure RBAC, so nobody can sign in"),
        (
            {"agentPoolProfiles": [{"name": "a", "mode": "System", "vmSize": "Standard_B4ms", "count": 1}]},
            "a size other than B-series",
        ),
    ],
)
def test_a_cluster_that_cannot_be_adopted_has_one_reason_each(
    changed: dict[str, Any], words: str, run: Run
) -> None:
    code, out, err = run({**SMALL, **changed})
    assert (code, out) == (1, "")
    assert words in err


def test_a_stack_that_has_a_file_is_never_overwritten(run: Run, project: Path) -> None:
    (project / "Pulumi.new.yaml").write_text("config: {}\n")
    code, _, err = run(SMALL)
    assert (code, err) == (2, "error: Pulumi.new.yaml: exists already; expected the name of a new stack\n")
    assert (project / "Pulumi.new.yaml").read_text() == "config: {}\n"


@pytest.mark.parametrize("words", [["../new"], ["new"], ["new", "--name", "aks"]])
def test_a_wrong_command_line_is_2(
    words: list[str], project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["adopt", *words, "--root", str(project)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_nobody_owns_it(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "cluster.json").write_text(json.dumps(SMALL))
    assert main(["adopt", "new", "--root", str(project), "--cluster", str(project / "cluster.json")]) == 2
    assert capsys.readouterr().err.startswith("error: --owner: missing")
