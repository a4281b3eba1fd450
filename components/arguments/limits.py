"""Limits of single values, which the settings of a program unpack as well. Pure data, and the checks of it.

Sources: MicrosoftDocs/azure-aks-docs (2026-08-21), articles/aks/planned-maintenance.md, cluster-autoscaler.md,
upgrade-aks-node-pools-rolling.md;
Azure/azure-rest-api-specs, containerservice/aks/stable/2025-09-01/managedClusters.json.
"""

import re
from collections.abc import Iterator
from typing import Final, TypedDict

from .mistakes import Mistake


class Form(TypedDict):
    """The form of a text: a regular expression, and words that follow "expected"."""

    pattern: str
    form: str


class Bounds(TypedDict):
    """The least and the most of a number."""

    ge: float
    le: float


SECONDS: Final = Form(pattern=r"^[1-9][0-9]{0,5}s$", form="whole seconds, like 10s")
MINUTES: Final = Form(pattern=r"^[1-9][0-9]{0,5}m$", form="whole minutes, like 10m")
MINUTES_OR_NONE: Final = Form(pattern=r"^(0|[1-9][0-9]{0,5})m$", form="whole minutes, like 10m or 0m")
DURATION: Final = Form(
    pattern=r"^(0|[1-9][0-9]{0,5})[smh]$", form="whole seconds, minutes or hours, like 30s or 2m"
)
TIME_OF_DAY: Final = Form(
    pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$", form="a time of day as HH:MM, like 22:00"
)
UTC_OFFSET: Final = Form(
    pattern=r"^(\+(0[0-9]|1[0-3]):[0-5][0-9]|\+14:00|-(0[0-9]|1[01]):[0-5][0-9]|-12:00)$",
    form="an offset between -12:00 and +14:00, like +01:00",
)
MINOR_VERSION: Final = Form(
    pattern=r"^1\.[0-9]{1,2}$", form="a minor version without a patch release, like 1.34"
)
VERSION: Final = Form(
    pattern=r"^1\.[0-9]{1,2}(\.[0-9]{1,3})?$", form="a version of Kubernetes, like 1.34 or 1.34.2"
)
KUBERNETES_NAME: Final = Form(
    pattern=r"^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$",
    form="1 to 63 lower-case letters, digits and inner hyphens",
)
NODES_OR_SHARE: Final = Form(
    pattern=r"^(0|[1-9][0-9]{0,2}|1000|([1-9]|[1-9][0-9]|100)%)$",
    form="a number of nodes from 0 to 1000, or a share of the pool like 33%",
)
NAMESPACE_WITH_TRIES: Final = Form(
    pattern=r"^[a-z0-9]([-a-z0-9]{0,46}[a-z0-9])?$",
    form="1 to 48 lower-case letters, digits and inner hyphens, because that of the placeholders is named after it",
)
NODES: Final = Bounds(ge=0, le=1000)
"""Nodes of one pool (quotas-skus-regions.md)."""
TIME_SLICES: Final = Bounds(ge=2, le=48)
"""Our choice; NVIDIA's plugin has no upper limit."""
PRICE: Final = Bounds(ge=0, le=1_000_000)
"""USD per hour."""


def text_mistakes(key: str, form: Form, text: str) -> Iterator[Mistake]:
    """A text of another form."""
    if not re.search(form["pattern"], text) or text.endswith("\n"):
        yield Mistake(key, text, form["form"])


def number_mistakes(key: str, bounds: Bounds, number: float) -> Iterator[Mistake]:
    """A number below the least or above the most."""
    if number < bounds["ge"]:
        yield Mistake(key, number, f"at least {bounds['ge']}")
    elif number > bounds["le"]:
        yield Mistake(key, number, f"at most {bounds['le']}")
