"""The page shows what the command really prints, for a cluster that a week of hand edits has changed."""

from __future__ import annotations

import re
from dataclasses import replace

from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.verify.checks import CHECKS
from kubeflow_aks.verify.findings import run_checks
from kubeflow_aks.verify.report import lines
from kubeflow_aks.verify.snapshot import ClusterSnapshot, Result
from tests.verify import clusters as c
from tests.verify.breakages import INVENTED, MISSED_BEFORE, NAMED, OTHERS

PAGE = PROJECT_ROOT / "docs/how-to/verify-a-cluster.md"
_WIDTH = 118


def a_week_later() -> ClusterSnapshot:
    """The good cluster without GPU nodes, a taint and a ConfigMap, and with a second default storage class."""

    def change(nodes: dict[str, c.Object]) -> None:
        del nodes["gpuspot-0"]
        nodes["cpuspot-0"]["spec"]["taints"] = []

    classes = [*c.good().storage_classes.required(), c.storage_class("fast", default="true")]
    return replace(
        c.with_nodes(change),
        storage_classes=Result(classes),
        argo=Result(c.config_map(config="{}")),
        contract=Result({}),
    )


def test_the_sample_is_what_the_command_prints() -> None:
    findings = list(run_checks(CHECKS, a_week_later(), c.outputs(kubeflow={"argoRetries": False})))
    printed = "\n".join(lines("dev", findings, _WIDTH))
    sample = re.search(r"```text\n(.*?)\n```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert sample is not None
    assert sample[1] == printed


def test_the_numbers_of_what_was_tried_are_those_of_the_tests() -> None:
    breakages = (*MISSED_BEFORE, *OTHERS, *NAMED, *INVENTED)
    fine = [breakage for breakage in breakages if not breakage.checks]
    words = " ".join(PAGE.read_text(encoding="utf-8").split())
    assert f"Tests break {len(breakages)} things in a simulated API server" in words
    assert f"{len(fine)} of the former must not be reported" in words
