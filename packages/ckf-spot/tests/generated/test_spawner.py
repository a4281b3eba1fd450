"""The notebook form's options, as the charm jupyter-ui checks them (charms/jupyter-ui/src/config_validators.py)."""

import json
from dataclasses import replace
from typing import Any

import pytest

from ckf_spot import PlacementError, Pools
from ckf_spot.agent_pool import Taint
from ckf_spot.generated import spawner

SPOT = "kubernetes.azure.com/scalesetpriority"
KEYS = {
    "gpu-vendors": ("limitsKey", {"limitsKey", "uiName"}),
    "affinity-options": ("configKey", {"configKey", "displayName", "affinity"}),
    "tolerations-options": ("groupKey", {"groupKey", "displayName", "tolerations"}),
}
"""By option: the key that the default names, and the keys that the charm wants."""


@pytest.fixture
def options(pools: Pools) -> dict[str, str]:
    return spawner.jupyter_ui_config(pools)


@pytest.mark.parametrize("name", KEYS)
def test_every_choice_has_exactly_the_charms_keys(options: dict[str, str], name: str) -> None:
    choices: list[dict[str, Any]] = json.loads(options[name])
    assert [set(choice) for choice in choices] == [KEYS[name][1]] * len(choices)


@pytest.mark.parametrize("name", KEYS)
def test_every_default_is_one_of_the_choices(options: dict[str, str], name: str) -> None:
    keys = {choice[KEYS[name][0]] for choice in json.loads(options[name])}
    assert options[f"{name}-default"] in keys | {""}


def test_notebooks_stay_on_the_general_nodes_by_default(options: dict[str, str]) -> None:
    assert options["affinity-options-default"] == "general"
    assert options["tolerations-options-default"] == ""
    assert options["gpu-number-default"] == "0"


def test_on_demand_gpus_are_offered(options: dict[str, str]) -> None:
    assert [choice["configKey"] for choice in json.loads(options["affinity-options"])] == [
        "general",
        "gpu-on-demand",
    ]
    (group,) = json.loads(options["tolerations-options"])
    assert [toleration["key"] for toleration in group["tolerations"]] == [
        "kubeflow-aks/fallback",
        "nvidia.com/gpu",
    ]


def test_spot_is_never_offered(options: dict[str, str]) -> None:
    groups = json.loads(options["tolerations-options"])
    assert SPOT not in [toleration.get("key") for group in groups for toleration in group["tolerations"]]


def test_without_on_demand_gpus_the_form_offers_none(pools: Pools) -> None:
    without = Pools(tuple(pool for pool in pools.all if pool.name != "gpuod"))
    options = spawner.jupyter_ui_config(without)
    assert (options["gpu-vendors"], options["gpu-vendors-default"]) == ("[]", "")
    assert options["tolerations-options"] == "[]"


def test_while_the_general_pool_moves_the_form_stays_as_it_is(pools: Pools, options: dict[str, str]) -> None:
    """The old pool has a taint that nothing tolerates, so the label that both share leads to the new one."""
    [home] = [pool for pool in pools.all if pool.role == "general"]
    old = replace(home, name="old", taints=(Taint.parse("kubeflow-aks/replaced-by=new:NoSchedule"),))
    assert spawner.jupyter_ui_config(Pools((old, *pools.all))) == options


def test_a_cluster_without_general_nodes_is_refused(pools: Pools) -> None:
    without = Pools(tuple(pool for pool in pools.all if pool.role != "general"))
    with pytest.raises(
        PlacementError, match="notebooks need an on-demand pool of the role 'general'; the pools are: "
    ):
        spawner.jupyter_ui_config(without)
