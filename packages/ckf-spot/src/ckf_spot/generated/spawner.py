"""Options of Charmed Kubeflow's notebook form: charm jupyter-ui, Terraform variable `jupyter_ui_config`."""

from __future__ import annotations

import json
from typing import Any, Final

from ckf_spot.agent_pool import GPU, WORKLOAD_LABEL
from ckf_spot.errors import ABSENT, refusal
from ckf_spot.placement import Expression, Placement
from ckf_spot.pools import Pools

GENERAL: Final = "general"
"""Role of the pools that notebooks run on, and key of the option."""


def jupyter_ui_config(pools: Pools) -> dict[str, str]:
    """The charm's options by name, each as the text that the charm expects (charms/jupyter-ui/config.yaml).

    A notebook is offered the general pools, and on-demand GPUs where there are any; never spot: it holds somebody's
    work, and the cluster's guard refuses notebooks that tolerate spot nodes. A GPU notebook takes two choices, the
    affinity and the tolerations of the same name, because the form keeps them apart.

    Raises:
        PlacementError: there is no pool that notebooks may run on.
    """
    general = tuple(pool for pool in pools.all if pool.role == GENERAL and not pool.spot)
    if not general:
        names = ", ".join(pool.name for pool in pools.all)
        problem = f"notebooks need an on-demand pool of the role {GENERAL!r}"
        raise refusal("", ABSENT, f"the pools are: {names}", problem)
    workloads = tuple(dict.fromkeys(pool.workload for pool in general))
    at_home = Placement(general, (Expression(WORKLOAD_LABEL, "In", workloads),), ())
    on_demand_gpus = dict.fromkeys(pool.workload for pool in pools.all if pool.gpus and not pool.spot)
    gpus = {workload: pools[workload].placement(require="on-demand") for workload in on_demand_gpus}
    vendors = [{"limitsKey": GPU, "uiName": "NVIDIA"}] if gpus else []
    return {
        "affinity-options": _text([
            _affinity(GENERAL, "General nodes", at_home),
            *(_affinity(_key(name), _title(name, placement), placement) for name, placement in gpus.items()),
        ]),
        "affinity-options-default": GENERAL,
        "tolerations-options": _text([
            {"groupKey": _key(name), "displayName": _title(name, placement), "tolerations": placement.tolerations}
            for name, placement in gpus.items()
        ]),
        "tolerations-options-default": "",
        "gpu-vendors": _text(vendors),
        "gpu-vendors-default": GPU if vendors else "",
        "gpu-number-default": "0",
    }  # fmt: skip


def _affinity(key: str, title: str, placement: Placement) -> dict[str, Any]:
    return {
        "configKey": key,
        "displayName": title,
        "affinity": {"nodeAffinity": placement.node_affinity},
    }


def _key(workload: str) -> str:
    return f"{workload}-on-demand"


def _title(workload: str, placement: Placement) -> str:
    sizes = ", ".join(dict.fromkeys(pool.vm_size.removeprefix("Standard_") for pool in placement.pools))
    return f"{workload.upper()} on demand ({sizes})"


def _text(value: list[Any]) -> str:
    return json.dumps(value)
