"""What a change means, in this product's words, from real recorded variants of a stack."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from components.pools.conventions import GPU_KEY, SPOT_KEY
from components.pools.conventions import WORKLOAD_LABEL as REAL_WORKLOAD_LABEL
from kubeflow_aks.pull_request.observed import UNKNOWN, Difference, Observed, Refusal, Resource, Run, Trial
from kubeflow_aks.pull_request.report.impacts import Impact, impacts_of
from kubeflow_aks.pull_request.report.impacts.losses import HOLDS
from kubeflow_aks.pull_request.report.impacts.pools import REPLACED_KEY, TOLERATED, WORKLOAD_LABEL
from kubeflow_aks.pull_request.report.impacts.sides import AGENT_POOL, CLUSTER
from program.planning.conventions import FALLBACK_KEY
from program.planning.conventions import REPLACED_KEY as REAL_REPLACED_KEY
from tests.pull_request.observations import (
    BASE,
    DEMO_POOLS,
    HEAD,
    change,
    observed,
    pools,
    run,
    with_changes,
)

GROUP = "azure-native:resources:ResourceGroup"
ADMINS, OTHERS = "11111111-2222-3333-4444-555555555555", "99999999-2222-3333-4444-555555555555"


def impacts(base: Mapping[str, Any], head: Mapping[str, Any], stack: str = "demo") -> list[Impact]:
    return impacts_of(observed(run(stack, **base), run(stack, **head), stack))


def summaries(result: list[Impact]) -> list[tuple[str, str, str]]:
    return [(impact["kind"], impact["level"], impact["subject"]) for impact in result]


def text(result: list[Impact], kind: str) -> str:
    (hit,) = [impact["text"] for impact in result if impact["kind"] == kind]
    return hit


def test_labels_and_taints_have_the_names_that_the_program_gives_them() -> None:
    assert WORKLOAD_LABEL == REAL_WORKLOAD_LABEL
    assert REPLACED_KEY == REAL_REPLACED_KEY
    assert set(TOLERATED) == {SPOT_KEY, FALLBACK_KEY, GPU_KEY}


def test_a_change_that_up_refuses_says_so_first_and_names_what_is_protected() -> None:
    observation = replace(observed(run("demo"), run("demo"), "demo"), refused=("vnet", "vnet", "identity"))
    [impact] = impacts_of(observation)
    assert (impact["kind"], impact["level"]) == ("refused", "danger")
    assert "protected resources: `vnet`, `identity`." in impact["text"]


def test_what_azure_refuses_comes_first_in_its_words_and_once_for_each_kind_and_code() -> None:
    refusals = [
        Refusal(f"urn::{name}", AGENT_POOL, name, "PropertyChangeNotAllowed", "Changing 'x' is not allowed.")
        for name in ("first", "second")
    ]
    result = impacts_of(with_changes(change("delete", GROUP, "group"), azure=Trial(tuple(refusals))))
    assert summaries(result) == [("azure-refuses", "danger", "first"), ("deleted", "danger", "group")]
    assert result[0]["text"] == (
        "Azure refuses this change, so `pulumi up` fails at AgentPool `first`, `second`: `PropertyChangeNotAllowed`: "
        "Changing 'x' is not allowed. Page `docs/how-to/move-a-pool.md` shows how another pool takes over."
    )


def test_what_azure_has_under_another_name_is_refused_with_the_way_to_keep_it() -> None:
    refusal = Refusal("urn::a", AGENT_POOL, "a", "", "cannot create already existing resource '/x'")
    [impact] = impacts_of(with_changes(azure=Trial((refusal,))))
    assert "at AgentPool `a`: cannot create already existing resource '/x'. An alias keeps" in impact["text"]


def test_an_upgrade_that_azure_refuses_replaces_no_nodes() -> None:
    result = observed(run(kubernetes={"version": "1.33"}), run(kubernetes={"version": "1.34"}))
    [urn] = [urn for urn, one in run().resources.items() if one.type == CLUSTER]
    refused = replace(result, azure=Trial((Refusal(urn, CLUSTER, "c", "OperationNotAllowed", "No."),)))
    assert "made anew pool by pool" in text(impacts_of(result), "version")
    assert "made anew pool by pool" not in text(impacts_of(refused), "version")


def test_many_new_pools_are_one_caution() -> None:
    spot = {"vmSize": "Standard_D8ds_v5", "priority": "Spot", "maxCount": 2}
    result = impacts(pools(), pools(**{f"more{number}": spot for number in range(11)}))
    assert text(result, "pools-added").startswith(
        "11 pools are added, with up to 22 nodes together: `more0`, "
    )
    assert ("pools-added", "caution", "more0") in summaries(result)


def test_no_volume_stays_where_the_cluster_is_replaced() -> None:
    def kinds(before: Mapping[str, Any], after: Mapping[str, Any]) -> set[str]:
        return {impact["kind"] for impact in impacts(before, after)}

    class_only = {"kubeflow": {"storageClass": {"reclaimPolicy": "Retain"}}}
    assert "class-replaced" in kinds({}, class_only)
    both = kinds({}, {**class_only, "location": "northeurope"})
    assert "cluster-replaced" in both
    assert "class-replaced" not in both


def test_a_storage_class_that_is_replaced_changes_no_volume_that_is_there() -> None:
    def replaced(before: Any, after: Any) -> str:
        old, new = ({"kubeflow": {"storageClass": side}} for side in (before, after))
        return text(impacts(old, new), "class-replaced")

    retain, delete = {"reclaimPolicy": "Retain"}, {"reclaimPolicy": "Delete"}
    assert replaced(retain, delete) == (
        "StorageClass `ckf-zrs` is replaced, forced by `reclaimPolicy` (`Retain` → `Delete`): volumes that "
        "are there stay as they are; new ones are deleted with their claims, and their data with them."
    )
    assert replaced(delete, retain).endswith("new ones are kept when their claims are deleted.")
    assert replaced(retain, {**retain, "sku": "Premium_ZRS"}).endswith(
        "new ones are made as the class is then."
    )
    assert replaced({}, {"name": "fast"}).endswith("new claims that name it stay pending.")
    result = impacts({}, {"data": {"checkpoints": {"enabled": False}}})
    assert text(result, "class-deleted").endswith("new claims that name it stay pending.")


def test_another_way_out_is_another_address() -> None:
    nat = {"network": {"outboundType": "userAssignedNATGateway"}}
    assert "from another address" in text(impacts({}, nat), "egress")
    assert "egress" not in {impact["kind"] for impact in impacts(nat, {**nat, "budget": {"monthly": 9}})}
    base = run("prod")
    urn, gateway = next((urn, one) for urn, one in base.resources.items() if one.type.endswith("NatGateway"))
    one, other = (
        replace(gateway, inputs={**gateway.inputs, "publicIpAddresses": [{"id": address}]})
        for address in ("/one", UNKNOWN)
    )
    sides = [replace(base, resources={**base.resources, urn: side}) for side in (one, other)]
    assert text(impacts_of(observed(*sides, stack="prod")), "egress")
    assert impacts_of(observed(sides[0], sides[0], "prod")) == []


def test_a_project_or_stack_of_another_name_is_a_second_cluster() -> None:
    new = observed(None, run("dev"), "dev")
    result = impacts_of(replace(new, other_name="trial"))
    assert summaries(result)[0] == ("second-cluster", "caution", "dev")
    assert "`pulumi stack rename dev --stack trial` keeps its state" in result[0]["text"]
    result = impacts_of(replace(observed(run("dev"), run("dev"), "dev"), former_project="former"))
    assert result[0]["text"].startswith("The project is no longer called `former`")
    assert "a second cluster beside the first" in result[0]["text"]
    [impact] = impacts_of(replace(observed(run("dev"), None, "dev"), other_name="trial"))
    assert "`pulumi stack rename trial --stack dev` keeps its state" in impact["text"]


def test_the_same_stack_says_nothing() -> None:
    assert impacts({}, {}) == []


def test_the_work_of_a_replaced_spot_pool_goes_to_its_fallback() -> None:
    result = impacts(pools(), pools(cpuspot={"vmSize": "Standard_D16ds_v5"}))
    assert summaries(result) == [("pool-replaced", "caution", "cpuspot")]
    assert result[0]["text"] == (
        "Pool `cpuspot` is replaced, forced by `vmSize` (`Standard_D8ds_v5` → `Standard_D16ds_v5`): its nodes "
        "(at most 10) are deleted with all pods on them, then the pool is created again. Its work starts again on "
        "`cpuod` (on demand, at most 4 nodes), until the new pool is ready."
    )


def test_spot_pools_take_work_before_pools_on_demand_do() -> None:
    second = {"vmSize": "Standard_D8ads_v5", "priority": "Spot", "maxCount": 7}
    result = impacts(pools(other=second), pools(cpuspot={"osDisk": {"sizeGib": 200}}, other=second))
    assert "`other` (spot, at most 7 nodes); then `cpuod` (on demand, at most 4 nodes)" in text(
        result, "pool-replaced"
    )


def test_a_pool_that_another_team_keeps_for_itself_takes_no_work() -> None:
    team_pool = {
        "vmSize": "Standard_D8ads_v5",
        "priority": "Spot",
        "maxCount": 7,
        "taints": ["team=a:NoSchedule"],
        "workload": "cpu",
    }
    result = impacts(pools(own=team_pool), pools(cpuspot={"vmSize": "Standard_D16ds_v5"}, own=team_pool))
    assert "`own`" not in text(result, "pool-replaced")
    result = impacts(pools(own=team_pool), pools(own={**team_pool, "vmSize": "Standard_D16ads_v5"}))
    assert "on `cpuspot`" in text(result, "pool-replaced")


def test_a_pool_and_its_fallback_that_are_both_replaced_are_so_at_different_moments() -> None:
    fallback = {"maxCount": 4, "vmSize": "Standard_D16ds_v5"}
    result = impacts(pools(), pools(cpuspot={"vmSize": "Standard_D16ds_v5", "fallback": fallback}))
    assert [impact["subject"] for impact in result] == ["cpuspot", "cpuod"]
    assert "Its work starts again on `cpuod` while that pool exists: it is replaced too" in result[0]["text"]


def test_nobody_takes_the_work_of_the_only_pool_of_its_kind() -> None:
    lonely = {"vmSize": "Standard_NC4as_T4_v3", "priority": "Spot", "maxCount": 2}
    result = impacts(pools(gpu=lonely), pools(gpu={**lonely, "vmSize": "Standard_NC8as_T4_v3"}))
    assert text(result, "pool-replaced").endswith(
        "No other pool accepts its work, which stays pending until the new pool is ready."
    )


def test_a_pool_that_is_added_takes_the_work_of_one_that_goes() -> None:
    base = pools(cpuspot={"fallback": None})
    head = pools(cpuspot=None, batchspot={**DEMO_POOLS["cpuspot"], "fallback": None})
    result = impacts(base, head)
    assert text(result, "pool-removed").endswith(
        "Its work starts again on `batchspot` (spot, at most 10 nodes), from now on."
    )
    assert "pool-added" in {impact["kind"] for impact in result}


def renamed(result: Run, old: str, new: str) -> Run:
    """A run whose agent pools belong to a component of another name."""
    resources = {
        (urn := key.replace(old, new) if one.type == AGENT_POOL else key): replace(one, urn=urn)
        for key, one in result.resources.items()
    }
    return replace(result, resources=resources)


def test_pools_of_a_component_that_is_renamed_without_an_alias_are_lost() -> None:
    base = run(**pools(), protect=True)
    result = impacts_of(observed(base, renamed(base, "::kubeflow-aks-", "::other-")))
    assert summaries(result) == [
        ("pool-remade", "danger", "general"),
        ("pool-remade", "caution", "cpuspot"),
        ("pool-remade", "caution", "cpuod"),
    ]
    assert result[0]["text"] == (
        "Pool `general` is deleted and created again, because its resource has another name or parent in Pulumi: its "
        "nodes (at most 3) are deleted with all pods on them. Charmed Kubeflow runs there and is down until the new "
        "pool is ready; then its pods start again and their volumes are attached again, disks of one zone only to "
        "nodes of that zone. Page `docs/how-to/move-a-pool.md` shows how to move it without downtime. It is "
        "protected: `pulumi up` refuses this."
    )


def test_an_alias_keeps_pools_which_still_take_the_work_of_others() -> None:
    base = run(**pools())
    head = renamed(run(**pools(cpuspot=None)), "::kubeflow-aks-", "::other-")
    same = observed(base, renamed(base, "::kubeflow-aks-", "::other-"))
    assert impacts_of(replace(same, changes=())) == []
    [urn] = [urn for urn in base.resources if urn.endswith("cpuspot")]
    [spot_deleted] = [one for one in observed(base, head).changes if one.urn == urn]
    result = impacts_of(replace(same, head=head, changes=(spot_deleted,)))
    assert "pool-remade" not in {impact["kind"] for impact in result}


def placed(cluster: str, name: str, **inputs: Any) -> Resource:
    """A pool of one of two clusters, as another team's program has them."""
    urn = f"urn:pulumi:demo::team::{AGENT_POOL}::{cluster}-{name}"
    return Resource(
        urn, AGENT_POOL, name, {"resourceName": cluster, "agentPoolName": name, **inputs}, protect=False
    )


def of(*resources: Resource) -> Run:
    return Run({one.urn: one for one in resources})


def test_a_pool_is_judged_by_its_own_resource_where_another_cluster_has_one_of_its_name() -> None:
    first, second = (placed(cluster, "spot", maxCount=3) for cluster in ("first", "second"))
    result = impacts_of(observed(of(first, second), of(second)))
    assert [(impact["kind"], impact["subject"]) for impact in result] == [("pool-removed", "spot")]
    assert "No other pool accepts its work" in result[0]["text"]


def test_the_loss_of_one_cluster_hides_no_loss_in_another() -> None:
    cluster = Resource(
        "urn:pulumi:demo::team::c::first", CLUSTER, "first", {"resourceName": "first"}, protect=False
    )
    base = of(cluster, *(placed(name, "spot", maxCount=3) for name in ("first", "second")))
    kinds = [(impact["kind"], impact["subject"]) for impact in impacts_of(observed(base, of()))]
    assert kinds == [("cluster-deleted", "first"), ("pool-removed", "spot")]


def test_a_pool_that_moves_to_another_cluster_is_made_anew_there() -> None:
    result = impacts_of(
        observed(of(placed("first", "spot", maxCount=3)), of(placed("second", "spot", maxCount=3)))
    )
    assert "deleted and created again in cluster `second`" in text(result, "pool-remade")


def test_a_pool_of_one_resource_that_has_another_name_in_azure_is_replaced() -> None:
    before = placed("first", "spot", maxCount=3)
    after = replace(before, inputs={**before.inputs, "agentPoolName": "batch"})
    changed = Difference("agentPoolName", "update", "spot", "batch")
    forced = replace(observed(of(before), of(after)).changes[0], action="replace", differences=(changed,))
    result = impacts_of(
        replace(observed(of(before), of(after)), changes=(replace(forced, forced_by=("agentPoolName",)),))
    )
    assert text(result, "pool-replaced").startswith(
        "Pool `spot` is replaced, forced by `agentPoolName` (`spot` → `batch`)"
    )


def test_the_home_of_kubeflow_that_is_replaced_is_a_loss() -> None:
    result = impacts(pools(), pools(general={"vmSize": "Standard_D16s_v5"}))
    assert summaries(result) == [("pool-replaced", "danger", "general")]
    assert "Charmed Kubeflow runs there and is down until the new pool is ready" in result[0]["text"]
    assert "protected" not in result[0]["text"]
    protected = impacts(
        pools() | {"protect": True}, pools(general={"vmSize": "Standard_D16s_v5"}) | {"protect": True}
    )
    assert text(protected, "pool-replaced").endswith(" It is protected: `pulumi up` refuses this.")


def test_protection_can_be_removed_in_the_same_up() -> None:
    result = impacts(pools() | {"protect": True}, pools(general={"vmSize": "Standard_D16s_v5"}))
    assert "refuses" not in text(result, "pool-replaced")
    assert "`kubeflow-aks-demo-general`" in text(result, "protection-removed")


def test_pools_that_come_and_go() -> None:
    result = impacts(
        pools(),
        pools(cpuspot=None, fresh={"vmSize": "Standard_D4s_v5", "maxCount": 2, "taints": ["a=b:NoSchedule"]}),
    )
    assert summaries(result) == [
        ("pool-removed", "caution", "cpuspot"),
        ("pool-removed", "caution", "cpuod"),
        ("pool-added", "news", "fresh"),
    ]
    assert text(result, "pool-added") == (
        "Pool `fresh` is added: `Standard_D4s_v5`, on demand, 0 to 2 nodes, for work that selects "
        "`kubeflow-aks/workload=cpu`."
    )
    assert "stays pending from now on" in result[0]["text"]


def test_a_base_that_has_no_contract_yet_lost_no_fallback() -> None:
    base = replace(run(), outputs={})
    assert impacts_of(observed(base, run())) == []
    assert impacts_of(observed(run(), base)) == []


def test_scale_fallback_priority_and_price() -> None:
    spot = DEMO_POOLS["cpuspot"]
    assert text(impacts(pools(), pools(cpuspot={"maxCount": 12})), "pool-scale") == (
        "Pool `cpuspot` scales from 0 to 12 nodes, until now from 0 to 10."
    )
    bare = {"cpuspot": {name: value for name, value in spot.items() if name != "fallback"}}
    without = {"pools": {**DEMO_POOLS, **bare}}
    assert text(impacts(pools(), without), "pool-fallback") == (
        "Pool `cpuspot` loses its fallback `cpuod`: its work stays pending while spot is sold out."
    )
    assert text(impacts(without, pools()), "pool-fallback") == "Pool `cpuspot` has `cpuod` as its fallback."
    regular = {"vmSize": "Standard_D8ds_v5", "maxCount": 10, "taints": ["a=b:NoSchedule"]}
    result = impacts(pools(), {"pools": {**DEMO_POOLS, "cpuspot": regular}})
    assert (
        text(result, "pool-priority") == "Pool `cpuspot` becomes on demand: Azure evicts none of its nodes."
    )
    result = impacts(pools(), pools(cpuspot={"maxPrice": 0.2}))
    assert text(result, "pool-price") == ("Highest price in USD per hour of pool `cpuspot`: `-1` → `0.2`.")
    result = impacts(pools(), pools(cpuspot={"evictionPolicy": "Deallocate", "osDisk": {"type": "Managed"}}))
    assert text(result, "pool-eviction") == "Eviction policy of pool `cpuspot`: `Delete` → `Deallocate`."


def test_labels_and_taints_that_decide_who_finds_a_pool() -> None:
    result = impacts(pools(), pools(cpuspot={"workload": "batch"}))
    assert summaries(result) == [
        ("pool-workload", "caution", "cpuspot"),
        ("pool-workload", "caution", "cpuod"),
    ]
    assert "no longer `cpu`: pods that still select that stay pending" in result[0]["text"]
    result = impacts(pools(), pools(cpuspot={"taints": ["team=a:NoSchedule"]}))
    assert text([result[0]], "pool-taints") == (
        "Taints of pool `cpuspot`: `team=a:NoSchedule` added; new pods need the tolerations."
    )


def test_a_home_that_is_handed_over() -> None:
    heir = {"vmSize": "Standard_D16s_v5", "minCount": 2, "maxCount": 3, "replaces": "general"}
    result = impacts(pools(), pools(general2=heir))
    assert text(result, "pool-handed-over") == (
        "Pool `general` is replaced by `general2`: running pods stay, new ones go there."
    )
    result = impacts(pools(general2=heir), pools(general=None, general2={**heir, "replaces": None}))
    assert summaries(result)[0] == ("pool-removed", "caution", "general")
    assert "on `general2` (on demand, at most 3 nodes), from now on" in result[0]["text"]


def test_the_clusters_own_pool() -> None:
    result = impacts({}, {"systemPool": {"maxCount": 5}})
    assert summaries(result) == [("pool-scale", "news", "system")]
    moved = {"systemPool": {"name": "system2", "vmSize": "Standard_D8s_v5"}}
    assert summaries(impacts({}, moved)) == [
        ("pool-forgotten", "caution", "system"),
        ("pool-added", "news", "system2"),
    ]


def test_a_cluster_that_is_replaced_is_reported_once_and_first() -> None:
    result = impacts({}, {"location": "northeurope", "pools": {"general": DEMO_POOLS["general"]}})
    assert summaries(result)[0] == ("cluster-replaced", "danger", "kubeflow-aks-demo")
    assert (
        "forced by `location` (`westeurope` → `northeurope`): EVERYTHING in it is lost" in result[0]["text"]
    )
    assert not any(impact["kind"] in ("pool-replaced", "pool-removed") for impact in result)


@pytest.mark.parametrize(
    ("base", "head", "kind", "expected"),
    [
        (
            {"kubernetes": {"version": "1.33"}},
            {"kubernetes": {"version": "1.34"}},
            "version",
            "spot nodes evicted; pods on them end and start again. AKS supports this until `2027-11-30`.",
        ),
        (
            {"kubernetes": {"version": "1.34"}},
            {"kubernetes": {"version": "1.33"}},
            "version",
            "Kubernetes `1.34` → `1.33`. AKS refuses a downgrade.",
        ),
        (
            {},
            {"kubernetes": {"supportPlan": "KubernetesOfficial"}},
            "support-plan",
            (
                "Support plan: `AKSLongTermSupport` → `KubernetesOfficial`. AKS supports this until `2026-11-30`. "
                "AKS refuses to switch long-term support off after `2026-11-30`."
            ),
        ),
        (
            {"kubernetes": {"supportPlan": "KubernetesOfficial"}},
            {"kubernetes": {"supportPlan": "KubernetesOfficial", "tier": "Standard"}},
            "ManagedCluster.sku.tier",
            "Pricing tier: `Premium` → `Standard`.",
        ),
        (
            {},
            {"kubernetes": {"upgradeChannel": "none"}},
            "ManagedCluster.autoUpgradeProfile.upgradeChannel",
            "Channel of Kubernetes upgrades: `patch` → `none`.",
        ),
        (
            {},
            {"kubernetes": {"nodeOsUpgradeChannel": "SecurityPatch"}},
            "ManagedCluster.autoUpgradeProfile.nodeOSUpgradeChannel",
            "Channel of node images: `NodeImage` → `SecurityPatch`.",
        ),
    ],
)
def test_versions_and_support(base: Any, head: Any, kind: str, expected: str) -> None:
    result = impacts(base, head)
    assert expected in text(result, kind)


@pytest.mark.parametrize(
    ("base", "head", "level", "expected"),
    [
        (
            {},
            {"authorizedIpRanges": ["198.51.100.0/24"]},
            "caution",
            "The API server can be reached only from `198.51.100.0/24`, no longer from everywhere.",
        ),
        (
            {"authorizedIpRanges": ["198.51.100.0/24"]},
            {},
            "danger",
            "The API server can be reached from every address, no longer only from `198.51.100.0/24`.",
        ),
        (
            {"authorizedIpRanges": ["198.51.100.0/24"]},
            {"authorizedIpRanges": ["198.51.100.0/24", "192.0.2.0/24"]},
            "caution",
            "Ranges that can reach the API server: `192.0.2.0/24` added.",
        ),
        (
            {"authorizedIpRanges": ["198.51.100.0/24", "192.0.2.0/24"]},
            {"authorizedIpRanges": ["192.0.2.0/24"]},
            "caution",
            "Ranges that can reach the API server: `198.51.100.0/24` removed.",
        ),
        (
            {},
            {"privateCluster": True},
            "caution",
            "The API server becomes private, which AKS refuses for an existing cluster.",
        ),
        (
            {"runCommand": False},
            {},
            "caution",
            "Commands can be run through Azure again (`az aks command invoke`), also from outside allowed ranges.",
        ),
        (
            {},
            {"runCommand": False},
            "news",
            "Commands can no longer be run through Azure (`az aks command invoke`).",
        ),
        (
            {"adminGroupObjectIds": [ADMINS]},
            {"adminGroupObjectIds": [ADMINS], "localAccounts": False},
            "caution",
            "Local accounts are off: only members of Entra groups sign in from now on.",
        ),
        (
            {"adminGroupObjectIds": [ADMINS], "localAccounts": False},
            {"adminGroupObjectIds": [ADMINS]},
            "danger",
            "Local accounts are on again: an admin kubeconfig gives access without Entra.",
        ),
        (
            {"adminGroupObjectIds": [ADMINS]},
            {"adminGroupObjectIds": [OTHERS]},
            "caution",
            f"Admin groups: `{OTHERS}` added; `{ADMINS}` removed.",
        ),
    ],
)
def test_who_may_reach_the_api_server(base: Any, head: Any, level: str, expected: str) -> None:
    result = impacts({"apiAccess": base}, {"apiAccess": head})
    assert [(impact["level"], impact["text"]) for impact in result if impact["kind"] == "api-access"] == [
        (level, expected)
    ]


@pytest.mark.parametrize(
    ("base", "head", "expected"),
    [
        (["192.0.2.1"], [UNKNOWN], []),
        (["192.0.2.1", "192.0.2.2"], ["192.0.2.2", UNKNOWN], []),
        (["192.0.2.1"], ["192.0.2.2", UNKNOWN], ["Ranges that can reach the API server: `192.0.2.2` added."]),
    ],
)
def test_a_range_that_only_an_up_knows_may_be_the_one_that_seems_to_go(
    base: list[str], head: list[str], expected: list[str]
) -> None:
    stack = run()
    urn, cluster = next((urn, one) for urn, one in stack.resources.items() if one.type == CLUSTER)

    def reached_from(ranges: list[str]) -> Run:
        inputs = {**cluster.inputs, "apiServerAccessProfile": {"authorizedIPRanges": ranges}}
        return replace(stack, resources={**stack.resources, urn: replace(cluster, inputs=inputs)})

    result = impacts_of(observed(reached_from(base), reached_from(head)))
    assert [impact["text"] for impact in result if impact["kind"] == "api-access"] == expected


def test_registry_address_and_data() -> None:
    result = impacts({}, {"registry": {"sku": "Premium"}})
    assert text(result, "Registry.sku.name").startswith("Registry `kubeflowaksdemo`: `Standard` → `Premium`.")
    group = "/subscriptions/0a1b2c3d-0000-0000-0000-000000000000/resourceGroups/g"
    attach = f"{group}/providers/Microsoft.ContainerRegistry/registries/teamimages"
    result = impacts({}, {"registry": {"attach": attach}})
    assert text(result, "deleted") == "Registry `kubeflowaksdemo` is deleted: all images in it are lost."
    result = impacts({"kubeflow": {"dnsLabel": "one-kubeflow"}}, {"kubeflow": {"dnsLabel": "two-kubeflow"}})
    assert text(result, "dns-name").startswith(
        "DNS label of `kubeflow-aks-demo-ingress`: `one-kubeflow` → `two-kubeflow`"
    )
    profiles: dict[str, Any] = {"data": {"store": {"profiles": {"team-a": {}, "team-b": {}}}}}
    result = impacts(profiles, {"data": {"store": {"profiles": {"team-a": {}}}}})
    assert [impact["text"] for impact in result if "BlobContainer" in impact["text"]] == [
        "BlobContainer `kubeflow-aks-demo-team-b` is deleted: its data can be restored only while soft delete keeps it."
    ]
    assert "Container of the data store" in text(
        impacts({}, {"data": {"store": {"profiles": {"team-a": {}}}}}), "data-store"
    )


def test_types_that_hold_something_are_spelt_as_the_program_has_them() -> None:
    store = run(data={"store": {"profiles": {"team-a": {}}}})
    stable = {one.type for observation in (run("prod"), store) for one in observation.resources.values()}
    assert set(HOLDS) - stable == {
        "azure-native:compute:Disk",
        "azure-native:keyvault:Vault",
        "kubernetes:core/v1:PersistentVolume",
        "kubernetes:core/v1:PersistentVolumeClaim",
        "kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition",
    }


@pytest.mark.parametrize("kind", HOLDS)
@pytest.mark.parametrize("action", ["delete", "replace", "update", "create"])
def test_what_goes_with_a_resource_is_reported_where_it_goes(kind: str, action: str) -> None:
    result = impacts_of(with_changes(change(action, kind, "n")))
    level, means = HOLDS[kind]
    goes = action in ("delete", "replace")
    assert [(impact["level"], f" is {action}d: {means}." in impact["text"]) for impact in result] == [
        (level, True)
    ] * goes


def test_what_stays_of_a_stack_without_a_file() -> None:
    (impact,) = impacts_of(observed(run("dev"), None, "dev"))
    assert impact["kind"] == "stack-removed"
    assert "which deletes nothing" in impact["text"]
    assert "`system`, `general`, `cpuspot`" in impact["text"]


def test_a_stack_without_pools_that_goes_names_none() -> None:
    (impact,) = impacts_of(observed(Run(), None))
    assert "its 0 resources (0 of them protected) stay" in impact["text"]


def test_a_new_stack_is_reported_by_its_pools() -> None:
    result = impacts_of(observed(None, run()))
    assert {impact["kind"] for impact in result} == {"pool-added"}
    assert len(result) == 6
    assert result == impacts_of(observed(Run(failure="broken"), run()))


def test_a_head_that_does_not_run_means_nothing() -> None:
    assert impacts_of(observed(run(), Run(failure="broken"))) == []


def test_what_only_an_up_knows_is_no_change_of_the_clusters_own_pool() -> None:
    base = run()
    urn, cluster = next((urn, one) for urn, one in base.resources.items() if one.type == CLUSTER)
    profile = {**cluster.inputs["agentPoolProfiles"][0], "osDiskSizeGB": UNKNOWN}
    head = replace(cluster, inputs={**cluster.inputs, "agentPoolProfiles": [profile]})
    observation = observed(base, replace(base, resources={**base.resources, urn: head}))
    assert impacts_of(observation) == []


def test_values_that_force_a_replacement_are_named_where_they_are_short() -> None:
    long = Difference("tags", "update", {"a": 1}, {"a": 2})
    observation = with_changes(change("replace", CLUSTER, "c", long, forced_by="tags"))
    assert "is replaced, forced by `tags`: EVERYTHING" in impacts_of(observation)[0]["text"]


_keys: tuple[str, ...] = (
    "agentPoolName", "agentPoolProfiles", "name", "nodeLabels", "nodeTaints", "maxCount", "minCount", "vmSize",
    "scaleSetPriority", "kubernetesVersion", "supportPlan", "apiServerAccessProfile", "authorizedIPRanges", "sku",
    "aadProfile", "adminGroupObjectIDs", "poolContract", "vcpuQuota", "mode", WORKLOAD_LABEL,
)  # fmt: skip
_inputs: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["", "a", "1.34", UNKNOWN, *_keys[:4]]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_keys), inner, max_size=4),
    max_leaves=10,
)
_mappings: st.SearchStrategy[dict[str, Any]] = st.dictionaries(st.sampled_from(_keys), _inputs, max_size=6)


@st.composite
def _runs(draw: st.DrawFn) -> Run:
    kinds = (
        AGENT_POOL,
        CLUSTER,
        "azure-native:containerregistry:Registry",
        "azure-native:network:PublicIPAddress",
    )
    made = {
        f"urn:{kind}": Resource(f"urn:{kind}", kind, "n", draw(_mappings), draw(st.booleans()))
        for kind in kinds
    }
    return Run(made, draw(_mappings))


@given(_runs(), _runs(), st.sampled_from(["update", "replace", "delete", "create"]))
@settings(max_examples=60)
def test_no_form_of_values_stops_the_report(base: Run, head: Run, action: Any) -> None:
    changes = tuple(
        replace(change(action, one.type, one.name, forced_by="vmSize"), urn=urn)
        for urn, one in head.resources.items()
    )
    for impact in impacts_of(Observed("demo", BASE, HEAD, base, head, changes)):
        assert impact["text"]
