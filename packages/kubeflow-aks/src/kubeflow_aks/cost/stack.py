"""What a bill is made from: a stack's resources and its output `costBasis`, as the program exports them.

A plan document (`kubeflow_aks/recorder/plan.schema.json`) and a run that a pull request compares both have them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Resource:
    """One registered resource; secret values, and those known after an `up` only, are left out.

    Attributes:
        type: Pulumi type token without its version, `azure-native:containerservice:AgentPool`.
        inputs: under their wire names.
    """

    type: str
    name: str
    inputs: Mapping[str, Any]


@dataclass(frozen=True)
class Stack:
    """What one stack registers and exports.

    Attributes:
        outputs: with `poolContract`, which has each spot pool's fallback, and `costBasis`; a program from before that
            output has none, and its bill is made from the defaults.
    """

    name: str
    resources: tuple[Resource, ...]
    outputs: Mapping[str, Any]
