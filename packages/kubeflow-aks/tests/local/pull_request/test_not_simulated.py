"""What no stand-in knows hides nothing else: it comes up, and an edit of it is reported from the plan."""

from __future__ import annotations

import sys
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Final

from kubeflow_aks.local_aks.engine import Engine
from kubeflow_aks.local_aks.kubernetes_provider import file_cluster
from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.pull_request.changes import changes_of
from kubeflow_aks.pull_request.stand_ins import stand_ins
from kubeflow_aks.tools import Tools

PROGRAM: Final = Path(__file__).parents[1] / "programs" / "unsimulated"
NOT_SIMULATED: Final = (
    "azure-native:keyvault:Vault",
    "azure-native:keyvault:getVault",
    "kubernetes:helm.sh/v3:Release",
    "kubernetes:kubeflow.org/v1:Profile",
)


def test_it_comes_up_and_an_edit_is_reported_from_the_plan(tools: Tools, tmp_path: Path) -> None:
    run = RunDirectory.at(tmp_path / "run")
    with stand_ins(Path(sys.executable), run, today=date(2026, 11, 22)) as serving:
        config = {"kubeconfig": file_cluster.kubeconfig()}
        base = Engine(run, tools, serving.providers, PROGRAM, "test", config)
        assert base.up().changes["create"] == 7
        assert base.preview().changed() == ()
        head = replace(base, extra_config={**config, "sku": "premium"}).preview()
        changes = changes_of(head.steps, serving.not_simulated())
        assert serving.not_simulated() == NOT_SIMULATED
    assert {(change.name, change.action, change.simulated) for change in changes} == {
        ("vault", "update", False),
        ("release", "update", False),
    }
    [vault] = [change for change in changes if change.name == "vault"]
    assert [(difference.path, difference.before, difference.after) for difference in vault.differences] == [
        ("properties.sku.name", "standard", "premium")
    ]
