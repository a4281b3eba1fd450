"""The table of meanings has words for all that edits of a stack file change, and its pages and modules exist."""

import importlib
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.pull_request.observed import UNKNOWN, Difference, Refusal, Resource, Run, Trial
from kubeflow_aks.pull_request.report.impacts import Impact, impacts_of, meanings
from kubeflow_aks.pull_request.report.impacts.meanings import Meaning, table
from kubeflow_aks.pull_request.report.impacts.sides import CLUSTER
from tests.local.engine import matrix
from tests.local.engine.matrix import Row
from tests.pull_request.observations import (
    DEMO_POOLS,
    change,
    observed,
    pools,
    run,
    with_changes,
)

COMPONENTS = {"Alerting", "DataStore", "Monitoring"}
"""What the matrix lists of this program's own components, which are nothing in Azure or in the cluster."""
LISTED = [Row(*match.groups()) for match in matrix.LISTED.finditer(matrix.FILE.read_text(encoding="utf-8"))]
CHANGING = [row for row in LISTED if row.outcome != matrix.REFUSED_BY_PROGRAM and row.details]
EVERYTHING: Mapping[str, Any] = {
    "kubeflow": {"returnToSpot": True},
    "network": {"outboundType": "userAssignedNATGateway", "policy": "cilium"},
    "monitoring": {"logs": ["kube-audit-admin"]},
}
WARM: Mapping[str, Any] = pools(
    cpuspot={"headroom": {"images": ["busybox:1.36"], "hours": {"timeZone": "Europe/London"}}}
)
ENTRA = {"adminGroupObjectIds": ["11111111-2222-3333-4444-555555555555"]}


def meanings_of(part: matrix.Change) -> list[Meaning]:
    name = part.name if part.name.startswith("kubeflowaks") else f"kubeflow-aks-demo-{part.name}"
    return [row for row in table() if row.covers(part.kind, name, part.op, part.path)]


def impacts(base: Mapping[str, Any], head: Mapping[str, Any]) -> list[Impact]:
    return impacts_of(observed(run(**base), run(**head)))


def texts(base: Mapping[str, Any], head: Mapping[str, Any]) -> str:
    return "\n".join(f"{impact['level']}: {impact['text']}" for impact in impacts(base, head))


def test_the_matrix_is_read() -> None:
    assert len(CHANGING) > 80


@pytest.mark.parametrize("row", CHANGING, ids=lambda row: row.edit)
def test_all_that_an_edit_changes_is_in_the_table(row: Row) -> None:
    for part in matrix.parts(row):
        if not isinstance(part, matrix.Change):  # Azure's refusal, which is shown in its own words
            assert row.outcome == "**refused by Azure**", part
        elif part.kind not in COMPONENTS:
            path = part.path.removeprefix("agentPoolProfiles[0].")
            kind = "AgentPool" if path != part.path else part.kind
            assert meanings_of(replace(part, kind=kind, path=path)), part


@pytest.mark.parametrize(
    "row", table(), ids=lambda row: f"{row.kind} {row.name} {row.path} {row.before}{row.after}"
)
def test_each_row_has_words_or_names_who_has_them_or_means_nothing(row: Meaning) -> None:
    assert row.concerns in {"work", "access", "data", "money", "nothing"}
    assert row.actions <= {"create", "update", "replace", "delete"}
    assert [bool(row.text), bool(row.worded_by), row.concerns == "nothing"].count(True) == 1
    assert bool(row.text) == (row.level in {"danger", "caution", "news"})
    if row.worded_by:
        importlib.import_module(f"{meanings.__package__}.{row.worded_by}")
    else:
        assert row.source
    for page in (*re.findall("`(docs/[^`]+)`", row.text), row.source):
        if page.startswith("docs/"):
            assert (PROJECT_ROOT / page.partition("#")[0]).is_file(), page
    row.text.format(names="n", before="b", after="a")


def test_all_that_a_stack_has_is_in_the_table_whether_it_comes_or_goes() -> None:
    resources = {**run().resources, **run(**EVERYTHING).resources, **run(**WARM).resources}.values()
    assert {"Secret", "NatGateway", "NetworkPolicy"} <= {one.type.rpartition(":")[2] for one in resources}
    for one in resources:
        kind = one.type.rpartition(":")[2]
        if not one.type.startswith(("kubeflow-aks:", "pulumi:")):
            for action in ("create", "replace", "delete"):
                assert any(row.covers(kind, one.name, action, "") for row in table()), (action, one.urn)


def test_no_row_is_hidden_by_one_above_it() -> None:
    for number, row in enumerate(table()):
        for above in table()[:number]:
            hides = not (above.before or above.after) and row.actions <= above.actions
            same = (above.kind, above.name) in {(row.kind, row.name), ("*", "*")}
            inside = not above.path or (f"{row.path}.").startswith(f"{above.path}.")
            assert not (hides and same and inside), (above, row)


@pytest.mark.parametrize(
    ("base", "head", "expected"),
    [
        (
            {},
            {"kubernetes": {"osSku": "Ubuntu2404"}},
            "caution: All nodes of `system`, `general`, `cpuspot`, `cpuod`, `gpuspot`, `gpuod` are made anew",
        ),
        (
            pools(),
            pools(cpuspot={"taints": ["team=a:NoExecute"]}),
            "Taints of pool `cpuspot`: `team=a:NoExecute` added; pods without the toleration are ended at once",
        ),
        (
            {"kubernetes": {"version": "1.33", "upgradeChannel": "none"}},
            {"kubernetes": {"version": "1.34", "upgradeChannel": "none"}},
            "caution: The nodes of `system` stay on `1.33`",
        ),
        (
            {},
            {"kubeflow": {"evictionHandler": False}},
            "caution: Nothing acts on Azure's eviction notices any more",
        ),
        (WARM, pools(), "news: Nodes are no longer kept warm (`kubeflow-aks-demo-headroom-cpuspot`)"),
        (
            pools(),
            WARM,
            "news: Spot nodes are kept warm for work to come (`kubeflow-aks-demo-headroom-cpuspot`)",
        ),
        (
            {},
            {"kubeflow": {"returnToSpot": True}},
            "caution: Work on a fallback that agrees by a label is ended there",
        ),
        (
            {"kubeflow": {"returnToSpot": True}},
            {},
            "news: Work that went to a fallback on demand stays there",
        ),
        ({}, {"kubeflow": {"guards": False}}, "caution: The guard is off"),
        (
            {},
            {"data": {"checkpoints": {"enabled": False}}},
            "caution: The driver for Blob storage is turned off",
        ),
        ({}, {"apiAccess": ENTRA}, "caution: Sign-in with Entra is turned on for good"),
        (
            {},
            {"officeHours": {"timeZone": "Europe/London", "from": "08:00"}},
            "from `08:00`, timeZone `Europe/London`, to `19:00`: when they end the cluster is stopped, which ends all",
        ),
        (
            {"officeHours": {"timeZone": "Europe/London"}},
            {"officeHours": {"timeZone": "Europe/London", "from": "08:00"}},
            "caution: Office hours change, `07:00` → `08:00`",
        ),
        ({"officeHours": {"timeZone": "Europe/London"}}, {}, "news: There are no office hours any more"),
        (
            pools(),
            pools(general={"vmSize": "Standard_D16s_v5"}),
            "danger: Pool `general` is replaced",
        ),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else "",
)
def test_what_ends_work_access_or_data_is_reported(base: Any, head: Any, expected: str) -> None:
    assert expected in texts(base, head)


def test_charmed_kubeflow_restarts_also_where_another_pool_takes_its_pods() -> None:
    second = {"general2": {**DEMO_POOLS["general"], "replaces": "general"}}
    words = texts(pools(**second), pools(**second, general={"vmSize": "Standard_D16s_v5"}))
    assert "Charmed Kubeflow runs there and restarts: its pods start again on `general2`" in words


def test_without_spot_or_gpu_pools_what_serves_them_is_not_missed() -> None:
    taken = {"fresh": {"vmSize": "Standard_D4s_v5", "maxCount": 2, "taints": ["a=b:NoSchedule"]}}
    words = texts(pools(), pools(cpuspot=None, **taken))
    assert "eviction notices" not in words
    assert "order in which the autoscaler" not in words


@pytest.mark.parametrize("action", ["delete", "replace"])
@pytest.mark.parametrize("name", ["c-pull", "c-read"])
def test_rights_on_the_registry_that_go_are_reported(name: str, action: str) -> None:
    kind = "azure-native:authorization:RoleAssignment"
    base = Run({"urn": Resource("urn", kind, name, {})})
    [impact] = impacts_of(with_changes(change(action, kind, name), base=base))
    assert impact["level"] == ("danger" if action == "delete" else "caution")
    assert "can't" in impact["text"]


def test_resources_of_which_the_same_is_to_be_reported_share_it() -> None:
    kind = "azure-native:containerservice:MaintenanceConfiguration"
    day = Difference("maintenanceWindow.schedule.weekly.dayOfWeek", "update", "Monday", "Sunday")
    base = Run({"urn": Resource("urn", kind, "one", {})})
    [impact] = impacts_of(
        with_changes(*(change("update", kind, name, day) for name in ("one", "two")), base=base)
    )
    assert "`Monday` → `Sunday` (`one`, `two`)" in impact["text"]


def test_what_the_table_lacks_is_reported_as_not_judged_once() -> None:
    base = Run({"urn": Resource("urn", CLUSTER, "c", {})})
    unknown = [
        change("update", CLUSTER, "c", Difference("addonProfiles.x", "add", None, {"enabled": True})),
        *(change("delete", "a:b:Thing", f"thing{number}") for number in range(20)),
    ]
    [impact] = impacts_of(with_changes(*unknown, base=base))
    assert (impact["kind"], impact["level"]) == ("not-judged", "caution")
    assert "update ManagedCluster `c` (`addonProfiles.x`); delete Thing `thing0`; " in impact["text"]
    assert impact["text"].endswith("; and 9 more.")


def test_a_value_that_only_up_knows_and_what_azure_refuses_are_not_called_unjudged() -> None:
    base = Run({"urn": Resource("urn", CLUSTER, "c", {})})
    one = change("update", CLUSTER, "c", Difference("diskEncryptionSetID", "update", "a", UNKNOWN))
    [impact] = impacts_of(with_changes(one, base=base))
    assert (impact["kind"], impact["level"]) == ("known-after-up", "news")
    refused = replace(one, differences=(Difference("diskEncryptionSetID", "update", "a", "b"),))
    refusal = Refusal(refused.urn, CLUSTER, "c", "PropertyChangeNotAllowed", "No.")
    assert [it["kind"] for it in impacts_of(with_changes(refused, base=base, azure=Trial((refusal,))))] == [
        "azure-refuses"
    ]


def test_tags_and_a_new_stack_mean_nothing_for_what_runs() -> None:
    assert impacts({}, {"tags": {"owner": "a", "environment": "b"}}) == []
    assert not [it for it in impacts_of(observed(None, run())) if it["kind"] != "pool-added"]
    assert Path(meanings.__file__).with_name("meanings.csv").is_file()
