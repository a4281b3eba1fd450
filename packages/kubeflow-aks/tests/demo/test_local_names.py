"""What a person could name in a command of `az` is called otherwise on the local AKS than in Azure."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

from kubeflow_aks.demo.bring_up import local_names
from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.recorder.run import Record, record
from kubeflow_aks.recorder.stack_files import read_stack, stack_names

GROUP: Final = "azure-native:resources:ResourceGroup"
CLUSTER: Final = "azure-native:containerservice:ManagedCluster"


def _recorded(stack: str, settings: dict[str, Any]) -> Record:
    marks = local_names(read_stack(PROJECT_ROOT, stack, settings))
    return record(stack, extra={**settings, **marks})


def _named(recorded: Record) -> set[str]:
    """Names of the groups, the cluster and the nodes' group."""
    [cluster] = recorded.of(CLUSTER)
    groups = {
        r.inputs["resourceGroupName"] for r in recorded.resources.values() if "resourceGroupName" in r.inputs
    }
    made = {group.inputs["resourceGroupName"] for group in recorded.of(GROUP)}
    return groups | made | {cluster.inputs["resourceName"], cluster.inputs["nodeResourceGroup"]}


@pytest.mark.parametrize("stack", stack_names(PROJECT_ROOT))
def test_cluster_and_groups_of_every_stack_are_marked(stack: str) -> None:
    assert _named(_recorded(stack, {})) == {
        f"local-kubeflow-aks-{stack}",
        f"local-kubeflow-aks-{stack}-nodes",
    }


LONG: Final = "c" * 63


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        (
            {"names": {"pattern": "<type>-ml-<stack>-weu-001"}},
            {"local-kubeflow-aks-demo", "local-kubeflow-aks-demo-nodes"},
        ),
        (
            {"names": {"cluster": "ml"}, "resourceGroup": "theirs"},
            {"local-ml", "local-ml-nodes", "local-theirs"},
        ),
        (
            {
                "names": {
                    "cluster": LONG,
                    "dnsPrefix": "d",
                    "resourceGroup": LONG,
                    "nodeResourceGroup": "n" * 80,
                }
            },
            {f"local-{LONG}"[:63], f"local-{'n' * 74}"},
        ),
    ],
)
def test_a_companys_names_are_marked_too(settings: dict[str, Any], expected: set[str]) -> None:
    assert _named(_recorded("demo", settings)) == expected


@pytest.mark.parametrize("names", ["", "[]", "{", '"ml"'])
def test_a_program_without_the_setting_gets_no_marks(tmp_path: Path, names: str) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: theirs\nruntime: python\n")
    (tmp_path / "Pulumi.dev.yaml").write_text("config: {theirs:size: 3}\n")
    extra = {"names": names} if names else {}
    assert local_names(read_stack(tmp_path, "dev", extra)) == {}


def test_other_names_stay_as_the_stack_gives_them() -> None:
    settings = {"names": {"pattern": "<type>-ml", "cluster": 5, "identity": "id"}}
    names = local_names(read_stack(PROJECT_ROOT, "demo", settings))["names"]
    assert names["pattern"] == "<type>-ml"
    assert names["identity"] == "id"
    assert names["cluster"] == 5, "the program refuses it"
