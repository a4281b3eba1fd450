"""A cluster made anew while its logs are collected: Azure keeps the setting of a cluster that goes."""

from __future__ import annotations

from pathlib import Path

from kubeflow_aks.local_aks.azure.state import DIAGNOSTIC_SETTING, MANAGED_CLUSTER, AzureState
from kubeflow_aks.local_aks.run.directory import RunDirectory
from tests.local.components.conftest import Make

PROGRAM = Path(__file__).parents[1] / "programs" / "monitored"


def test_the_setting_goes_before_its_cluster_so_that_the_next_one_has_its_own_and_nothing_is_left(
    make: Make, run: RunDirectory
) -> None:
    azure = AzureState(run.azure)
    make(PROGRAM).up()
    done = make(PROGRAM, pods="10.240.0.0/16").up()
    steps = [(step.type, step.op) for step in done.steps]
    gone = [(kind, "delete-replaced") for kind in (DIAGNOSTIC_SETTING, MANAGED_CLUSTER)]
    assert [step for step in steps if step in gone] == gone
    [cluster], [setting] = azure.all(MANAGED_CLUSTER), azure.all(DIAGNOSTIC_SETTING)
    assert cluster.outputs["networkProfile"]["podCidr"] == "10.240.0.0/16"
    assert setting.id.startswith(cluster.id)
    assert make(PROGRAM, pods="10.240.0.0/16").up().changed() == ()
    make(PROGRAM).destroy()
    assert azure.all() == []
