"""Situations that advice starts from."""

from __future__ import annotations

from typing import Any

from kubeflow_aks.cost.advice.situation import Situation
from kubeflow_aks.cost.billing import bill
from kubeflow_aks.recorder.stack_settings import StackFile
from tests.cost.examples import FixedMarket, stack

SIZES = {
    "Standard_D4s_v3": (0.232, 0.0487),
    "Standard_D4s_v5": (0.23, 0.05),
    "Standard_NC24ads_A100_v4": (4.8, 1.6),
}


def situation(
    workload: dict[str, Any], *pools: dict[str, Any], fallbacks: dict[str, str] | None = None
) -> Situation:
    """A stack with these pools and this work, billed."""
    made = stack(*pools, basis={"workload": workload}, fallbacks=fallbacks)
    values: dict[str, Any] = {"pools": {it["agentPoolName"]: {} for it in pools}, "workload": workload}
    file = StackFile("kubeflow-aks", values, frozenset(values), frozenset())
    market = FixedMarket(SIZES)
    return Situation(file, made, bill(made, market), (), lambda other: bill(other, market))
