"""Names that project and stack give are ones that Azure takes; those of settings are judged in `resource_names`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from components.arguments.mistakes import Mistake
from program.planning.names import given_names
from program.settings import Settings

_STACK: Final = re.compile(r"[a-z][a-z0-9-]{0,18}[a-z0-9]|[a-z]")
_LONGEST_STACK: Final = 20
_DNS_PREFIX: Final = re.compile(r"[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?")
_DNS_LABEL: Final = re.compile(r"[a-z]([a-z0-9-]*[a-z0-9])?")
_HASH: Final = 8
"""Letters that `program.planning.names.dns_label` and, for a registry, azure-native add to a name."""
_TRADEMARKS: Final = ("microsoft", "windows")
_START: Final = "login"
"""Words that no name may hold, or begin with ("Errors for reserved resource names")."""
_WHOLE: Final = re.compile(
    "access|azure|bing|bizspark|biztalk|cortana|directx|dotnet|dynamics|excel|exchange|forefront|groove|hololens"
    "|hyperv|kinect|lync|msdn|o365|office|office365|onedrive|onenote|outlook|powerpoint|sharepoint|skype|visio"
    "|visualstudio|xbox"
)
"""Words that are no name by themselves (same page)."""


@dataclass(frozen=True)
class Derived:
    """A name made from project and stack."""

    what: str
    length: int
    most: int
    """Longest that Azure takes."""
    field: str = ""
    """Field of `Names`, which a setting may give instead."""


def derived_names(project: str, stack: str, settings: Settings) -> list[Derived]:
    """Every kind of name that project and stack give, and how long it may be.

    Source: "Naming rules and restrictions for Azure resources" and, for the DNS prefix and the group of the nodes,
    "AKS common issues FAQ". Group and network are labels of every node with CNI Overlay, so they have 63 and not 90 and
    64 (concepts-network-azure-cni-overlay.md, "Limitations with Azure CNI Overlay").
    """
    base = f"{project}-{stack}"
    named = [
        Derived("resource group", len(base), 63, "resource_group"),
        Derived("virtual network", len(f"{base}-vnet"), 63, "virtual_network"),
        Derived("NAT gateway", len(f"{base}-nat"), 80, "nat_gateway"),
        Derived("public address", len(f"{base}-outbound"), 80, "outbound_address"),
        Derived("identity", len(f"{base}-identity"), 128, "identity"),
        Derived("cluster", len(base), 63, "cluster"),
        Derived("cluster's DNS prefix", len(base), 54, "dns_prefix"),
        Derived("group of the nodes", len(f"{base}-nodes"), 80, "node_resource_group"),
    ]
    if settings.kubeflow.dns_label is None:
        named.append(Derived("dashboard's DNS label", len(base) + 1 + _HASH, 63))
    if settings.registry.attach is None:
        named.append(Derived("container registry", len(base.replace("-", "")) + _HASH, 50, "registry"))
    if settings.monitoring.logs and settings.monitoring.workspace is None:
        named.append(Derived("log workspace", len(f"{base}-logs"), 63, "log_workspace"))
    if settings.budget and settings.budget.watched:
        named.append(Derived("budget", len(f"{base}-budget"), 63))
    if settings.alerts:
        named.append(Derived("metrics workspace", len(f"{base}-metrics"), 63))
    decided = given_names(settings)
    return [name for name in named if name.field not in decided]


def name_problems(project: str, stack: str, settings: Settings) -> Iterator[Mistake]:
    """The names of project and stack are valid as parts of the names of Azure resources."""
    if not _STACK.fullmatch(stack):
        yield Mistake(
            "stack", stack, "a name of 1 to 20 lower-case letters, digits and inner hyphens, a letter first"
        )
    if settings.kubeflow.dns_label is None and not _DNS_LABEL.fullmatch(project):
        yield Mistake(
            "project",
            project,
            "a name of lower-case letters, digits and inner hyphens, a letter first, in Pulumi.yaml; it begins the "
            "cluster's and the dashboard's DNS names",
        )
    elif "dns_prefix" not in given_names(settings) and not _DNS_PREFIX.fullmatch(project):
        yield Mistake(
            "project",
            project,
            "a name of letters, digits and inner hyphens in Pulumi.yaml; it begins the cluster's DNS name",
        )
    yield from _label_problems(settings.kubeflow.dns_label)
    name = f"{project}-{stack}"
    if is_reserved(name):
        yield Mistake(
            "project",
            project,
            f"with stack {stack!r} a name that does not begin with {_START} and does not hold "
            f"{' or '.join(_TRADEMARKS)}, which Azure reserves",
        )
    derived = derived_names(project, stack, settings)
    longest = max(derived, key=lambda named: named.length - named.most, default=None)
    if longest and len(stack) <= _LONGEST_STACK and (excess := longest.length - longest.most) > 0:
        yield Mistake(
            "project",
            project,
            f"with stack {stack!r} names that are {excess} characters shorter together, because that of the "
            f"{longest.what} has {longest.length} and Azure takes {longest.most}",
        )


def is_reserved(name: str) -> bool:
    """Whether a name holds a word that Azure keeps for itself."""
    return name.lower().startswith(_START) or any(word in name.lower() for word in _TRADEMARKS)


def _label_problems(label: str | None) -> Iterator[Mistake]:
    if label is not None and (is_reserved(label) or _WHOLE.fullmatch(label)):
        yield Mistake(
            "kubeflow.dnsLabel",
            label,
            f"a label that does not begin with {_START}, does not hold {' or '.join(_TRADEMARKS)} and is no product of "
            "Microsoft's; Azure reserves these",
        )
