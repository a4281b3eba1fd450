"""Names that settings give are ones that Azure takes, each by the rules of its resource."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from pydantic.alias_generators import to_camel

from components.mistakes import Mistake
from program.planning.names import Names, given_names, names
from program.planning.rules.names import is_reserved
from program.settings import Settings


@dataclass(frozen=True)
class Rule:
    """What names of one kind of resource look like."""

    what: str
    form: re.Pattern[str]
    words: str


def _rule(what: str, form: str, words: str) -> Rule:
    return Rule(what, re.compile(form, re.ASCII), words)


_ADDRESS: Final = (
    r"[A-Za-z0-9]([-\w.]{0,78}\w)?",
    "1 to 80 letters, digits, hyphens, underscores and periods, a letter or digit first and no hyphen or period last",
)
_IDENTITY: Final = _rule(
    "identity",
    r"[A-Za-z0-9][-\w]{2,127}",
    "3 to 128 letters, digits, hyphens and underscores, a letter or digit first",
)
_SUBNET: Final = _rule(
    "subnet",
    r"[A-Za-z0-9]([-\w.]{0,61}\w)?",
    "1 to 63 letters, digits, hyphens, underscores and periods, a letter or digit first and no hyphen or period last",
)
RULES: Final[Mapping[str, Rule]] = {
    "resource_group": _rule(
        "resource group",
        r"[-\w.()]{0,62}[-\w()]",
        "1 to 63 letters, digits, hyphens, underscores, periods and brackets, no period last",
    ),
    "node_resource_group": _rule(
        "group of the nodes",
        r"[-\w.()]{0,79}[-\w()]",
        "1 to 80 letters, digits, hyphens, underscores, periods and brackets, no period last",
    ),
    "cluster": _rule(
        "cluster",
        r"[A-Za-z0-9]([-\w]{0,61}[A-Za-z0-9])?",
        "1 to 63 letters, digits, inner hyphens and underscores",
    ),
    "dns_prefix": _rule(
        "cluster's DNS prefix",
        r"[A-Za-z0-9]([-A-Za-z0-9]{0,52}[A-Za-z0-9])?",
        "1 to 54 letters, digits and inner hyphens",
    ),
    "identity": _IDENTITY,
    "virtual_network": _rule(
        "virtual network",
        r"[A-Za-z0-9][-\w.]{0,61}\w",
        "2 to 63 letters, digits, hyphens, underscores and periods, a letter or digit first and no hyphen or period "
        "last",
    ),
    "nat_gateway": _rule("NAT gateway", *_ADDRESS),
    "outbound_address": _rule("NAT gateway's public address", *_ADDRESS),
    "ingress_address": _rule("ingress's public address", *_ADDRESS),
    "registry": _rule("container registry", r"[A-Za-z0-9]{5,50}", "5 to 50 letters and digits"),
    "storage_account": _rule("storage account", r"[a-z0-9]{3,24}", "3 to 24 lower-case letters and digits"),
    "log_workspace": _rule(
        "log workspace",
        r"[A-Za-z0-9][-A-Za-z0-9]{2,61}[A-Za-z0-9]",
        "4 to 63 letters, digits and inner hyphens",
    ),
    "diagnostic_setting": _rule(
        "diagnostic setting", r"[-\w.]{1,260}", "1 to 260 letters, digits, hyphens, underscores and periods"
    ),
}
"""By field of `Names`.

Sources: "Naming rules and restrictions for Azure resources"; names of group, network and subnet have 63 characters at
most, because CNI Overlay makes labels of them (concepts-network-azure-cni-overlay.md); the DNS prefix and the group of
the nodes are in "AKS common issues FAQ".
"""
_PATTERN: Final = "names.pattern"


def given_name_problems(project: str, stack: str, settings: Settings) -> Iterator[Mistake]:
    """Names that Azure does not take for their resources, and one name for two of them."""
    if settings.resource_group is not None and settings.names.resource_group is not None:
        yield Mistake(
            "names.resourceGroup",
            settings.names.resource_group,
            "no value with resourceGroup, because that group is there already",
        )
    found = names(project, stack, settings)
    judged = dict(_judged(found, settings))
    wrong = [
        mistake for key, (rule, name) in judged.items() for mistake in _mistakes(key, rule, name, settings)
    ]
    yield from wrong
    yield from _same_names(found, settings) if not wrong else ()


def _judged(found: Names, settings: Settings) -> Iterator[tuple[str, tuple[Rule, str]]]:
    """Every name that settings give and the stack needs, by the key of its own setting."""
    for field in RULES:
        name = getattr(found, field)
        own = field == "resource_group" and settings.resource_group
        single = own or getattr(settings.names, field) is not None
        if field in given_names(settings) and (single or _is_made(field, settings)):
            yield "resourceGroup" if own else f"names.{to_camel(field)}", (RULES[field], name)
    if settings.network.subnet_ids is None:
        for subnet, name in found.subnets.items():
            if name != subnet:
                yield f"names.subnets.{subnet}", (_SUBNET, name)
    if settings.names.pattern is not None:
        for namespace, name in found.data_identities.items():
            yield f"{_PATTERN} of {namespace}", (_IDENTITY, name)


def _is_made(field: str, settings: Settings) -> bool:
    """Whether the program makes such a resource for the stack."""
    monitoring = settings.monitoring
    return {
        "resource_group": settings.resource_group is None,
        "virtual_network": settings.network.subnet_ids is None,
        "nat_gateway": settings.network.makes_gateway,
        "outbound_address": settings.network.makes_gateway,
        "registry": settings.registry.attach is None,
        "storage_account": settings.data.store is not None,
        "log_workspace": bool(monitoring.logs) and monitoring.workspace is None,
        "diagnostic_setting": bool(monitoring.logs),
    }.get(field, True)


def _mistakes(key: str, rule: Rule, name: str, settings: Settings) -> Iterator[Mistake]:
    reserved = is_reserved(name)
    if rule.form.fullmatch(name) and not reserved:
        return
    words = "a name without microsoft, windows and login at the beginning, which Azure reserves"
    expected = words if reserved else rule.words
    if _is_single(key, settings):
        yield Mistake(key, name, f"the name of a {rule.what}: {expected}")
        return
    own = "" if key.startswith(_PATTERN) else f", or the name itself as {key}"
    yield Mistake(
        _PATTERN,
        settings.names.pattern,
        f"a pattern that gives the {rule.what} {expected}; it gives {name!r}{own}",
    )


def _is_single(key: str, settings: Settings) -> bool:
    """Whether the setting of this key gives the name, and no pattern."""
    *_, last = key.split(".")
    given = {
        to_camel(field): value for model in (settings.names, settings.names.subnets) for field, value in model
    }
    return settings.names.pattern is None or key == "resourceGroup" or given.get(last) is not None


def _same_names(found: Names, settings: Settings) -> Iterator[Mistake]:
    """One name for two resources of a type and group."""
    kinds = {
        "resource groups": {
            "names.nodeResourceGroup": found.node_resource_group,
            "the resource group": found.resource_group,
        },
        "public addresses": {
            "names.outboundAddress": found.outbound_address,
            "names.ingressAddress": found.ingress_address,
        },
        "identities": {"names.identity": found.identity, **found.data_identities},
        "subnets": {f"names.subnets.{subnet}": name for subnet, name in found.subnets.items()},
    }
    for what, each in kinds.items():
        count = Counter(name.lower() for name in each.values())
        for key, name in each.items():
            if count[name.lower()] > 1 and key.startswith("names.") and _is_single(key, settings):
                yield Mistake(key, name, f"another name, because two {what} of the stack have this one")
                break
