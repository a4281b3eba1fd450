"""What the terminal shows of a plan."""

import copy
from datetime import date
from typing import Final

import pytest

from kubeflow_aks.preview.control_plane import control_plane
from kubeflow_aks.preview.pools import pool_table
from kubeflow_aks.preview.report import UNKNOWN, output_lines, report
from kubeflow_aks.preview.tree import resource_tree
from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.recorder.document import PlanDocument
from kubeflow_aks.recorder.run import Record

TODAY: Final = date(2026, 11, 21)


def test_every_resource_and_the_stack_is_a_line_of_the_tree(document: PlanDocument) -> None:
    assert len(resource_tree(document, 200)) == len(document["resources"]) + 2  # the head and the stack


def test_the_tree_marks_exactly_the_protected_resources(document: PlanDocument) -> None:
    protected = [item for item in document["resources"] if item["options"].get("protect")]
    marked = [line for line in resource_tree(document, 200) if line.endswith("protect")]
    assert 0 < len(marked) == len(protected) < len(document["resources"])


def test_a_child_stands_under_its_parent(document: PlanDocument) -> None:
    lines = resource_tree(document, 200)
    begin = next(number for number, line in enumerate(lines) if "kubeflow-aks:index:AgentPools" in line)
    children = lines[begin + 1 : begin + 6]
    assert [line.split()[-2 if line.endswith("protect") else -1] for line in children] == [
        "kubeflow-aks-dev-general",
        "kubeflow-aks-dev-cpuspot",
        "kubeflow-aks-dev-cpuod",
        "kubeflow-aks-dev-gpuspot",
        "kubeflow-aks-dev-gpuod",
    ]


def test_what_a_resource_waits_for_stands_before_it(document: PlanDocument) -> None:
    lines = resource_tree(document, 200)
    order = [
        next(n for n, line in enumerate(lines) if kind in line)
        for kind in (":ResourceGroup", ":Network", ":AksCluster", ":AgentPools", ":KubeflowPrerequisites")
    ]
    assert order == sorted(order)


def test_the_table_of_pools_has_every_fact(document: PlanDocument) -> None:
    lines = pool_table(document["pools"], 200)
    assert lines[0].split("  ")[0] == "Pool"
    begin = next(number for number, line in enumerate(lines) if line.startswith("gpuspot"))
    row = "  ".join(lines[begin].split("  ")).split()
    assert row == [
        "gpuspot",
        "Standard_NC4as_T4_v3",
        "Spot",
        "0–4",
        "Delete",
        "≤",
        "on",
        "demand",
        "Managed",
        "128",
        "GiB",
        "gpuod",
    ]
    assert [line.strip() for line in lines[begin + 1 : begin + 5]] == [
        "labels  kubeflow-aks/workload=gpu",
        "kubernetes.azure.com/scalesetpriority=spot",
        "taints  kubernetes.azure.com/scalesetpriority=spot:NoSchedule",
        "nvidia.com/gpu=present:NoSchedule",
    ]


def test_a_fallback_says_whose_it_is(document: PlanDocument) -> None:
    line = next(line for line in pool_table(document["pools"], 200) if line.startswith("cpuod"))
    assert line.endswith("of cpuspot")


def test_a_price_of_its_own_is_shown(document: PlanDocument) -> None:
    pools = copy.deepcopy(document["pools"])
    pools[2]["maxPrice"] = 0.125
    assert "0.125 USD/h" in "\n".join(pool_table(pools, 200))


def test_the_report_has_the_quota_under_azures_names(recorded: Record, document: PlanDocument) -> None:
    needed = {"standardDSv5Family": (2 + 1) * 4 + (3 + 1) * 8, "cores": 104, "lowPriorityCores": 96}
    shown = report(document, recorded.messages, 200, TODAY)
    rows = {line.split("  ")[0]: int(line.split()[-1]) for line in shown if line.split("  ")[0] in needed}
    assert rows == needed


def test_outputs_mask_secrets_and_say_what_is_unknown(document: PlanDocument) -> None:
    lines = {line.partition(":")[0].strip(): line for line in output_lines(document, 200)}
    assert lines["kubeconfig"].endswith(": [secret]")
    assert lines["fqdn"].endswith(f": {UNKNOWN}")


def test_an_output_that_is_left_out_is_not_unknown(document: PlanDocument) -> None:
    [budget] = [line for line in output_lines(document, 100) if "budget" in line]
    assert budget.endswith("budget: none")


def test_an_output_of_several_lines_stays_under_its_name() -> None:
    plan: PlanDocument = {
        "version": 1,
        "stack": "s",
        "resources": [],
        "outputs": {"ca": "one\ntwo", "none": []},
        "secretOutputs": [],
        "unknownOutputs": [],
        "pools": [],
    }
    assert output_lines(plan, 80) == ["ca  : one", "      two", "none: none"]


@pytest.mark.parametrize("width", [60, 80, 110, 200])
def test_the_report_keeps_to_the_width(recorded: Record, document: PlanDocument, width: int) -> None:
    assert max(map(len, report(document, recorded.messages, width, TODAY))) <= width


def test_the_report_has_warnings_and_the_count(recorded: Record, document: PlanDocument) -> None:
    lines = report(document, recorded.messages, 200, TODAY)
    assert any(line.startswith("warning:  systemPool.minCount is 1") for line in lines)
    assert lines[-1] == f"Resources: + {len(document['resources']) + 1} to create"


def test_a_plan_without_warnings_shows_none(document: PlanDocument) -> None:
    assert "warning" not in "\n".join(report(document, (), 200, TODAY))


@pytest.mark.parametrize(
    ("day", "instead"),
    [
        (TODAY, "; 1.35 with `acceptUnvalidated`: $73 (Standard) or $0 (Free)"),
        (date(2027, 1, 1), "; 1.36 with `acceptUnvalidated`: $73 (Standard) or $0 (Free)"),
        (date(2030, 1, 1), ""),
    ],
)
def test_long_term_support_has_its_price_beside_it(document: PlanDocument, day: date, instead: str) -> None:
    why = "because Kubernetes 1.34 with long-term support needs the Premium tier"
    assert control_plane(document, day) == [f"control plane: $438 a month, {why}{instead}"]
    assert "control plane: $438 a month" in "\n".join(report(document, (), 200, day))


def test_a_cluster_without_long_term_support_and_a_plan_without_a_cluster_have_no_such_line(
    document: PlanDocument,
) -> None:
    plan = copy.deepcopy(document)
    [cluster] = [it for it in plan["resources"] if it["type"].endswith(":ManagedCluster")]
    cluster["inputs"]["supportPlan"] = "KubernetesOfficial"
    assert control_plane(plan, TODAY) == []
    plan["resources"] = []
    assert control_plane(plan, TODAY) == []


@pytest.mark.parametrize("stack", ["dev", "demo"])
def test_a_small_stack_states_its_support_with_the_price_that_the_preview_shows(
    stack: str, document: PlanDocument
) -> None:
    text = (PROJECT_ROOT / f"Pulumi.{stack}.yaml").read_text(encoding="utf-8")
    assert "supportPlan: AKSLongTermSupport" in text
    assert control_plane(document, TODAY)[0].split("$")[1].split()[0] == "438"
    assert " 438 " in text
