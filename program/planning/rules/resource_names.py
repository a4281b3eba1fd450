"""Names that settings give are ones that Azure takes, each by the rules of its resource."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from pydantic.alias_generators import to_camel

from components.arguments.limits import Form, text_mistakes
from components.arguments.mistakes import Mistake
from components.azure import azure_names
from components.registry.registry_checks import attached_name_mistakes
from program.planning.names import Names, given_names, names
from program.planning.rules.names import is_reserved
from program.settings import Settings


@dataclass(frozen=True)
class Rule:
    """What names of one kind of resource look like."""

    what: str
    """The resource, with its article."""
    form: Form


_IDENTITY: Final = Rule("an identity", azure_names.IDENTITY)
_SUBNET: Final = Rule("a subnet", azure_names.SUBNET)


def _group(what: str, most: int) -> Rule:
    form = f"1 to {most} letters, digits, hyphens, underscores, periods and brackets, no period last"
    return Rule(what, Form(pattern=rf"^[-A-Za-z0-9_.()]{{0,{most - 1}}}[-A-Za-z0-9_()]$", form=form))


_GROUP_WITHOUT_NETWORK: Final = _group("a resource group", 90)
"""That of a stack whose network is another one's, so that it is no label of the nodes."""
RULES: Final[Mapping[str, Rule]] = {
    "resource_group": _group("a resource group", 63),
    "node_resource_group": _group("the group of the nodes", 80),
    "cluster": Rule("a cluster", azure_names.CLUSTER),
    "dns_prefix": Rule("a cluster in DNS", azure_names.DNS_PREFIX),
    "identity": _IDENTITY,
    "virtual_network": Rule(
        "a virtual network",
        Form(
            pattern=r"^[A-Za-z0-9][-A-Za-z0-9_.]{0,61}[A-Za-z0-9_]$",
            form="2 to 63 letters, digits, hyphens, underscores and periods, a letter or digit first and no hyphen or "
            "period last",
        ),
    ),
    "nat_gateway": Rule("a NAT gateway", azure_names.NETWORK_PART),
    "outbound_address": Rule("a NAT gateway's public address", azure_names.NETWORK_PART),
    "ingress_address": Rule("the ingress's public address", azure_names.NETWORK_PART),
    "registry": Rule("a container registry", azure_names.REGISTRY),
    "storage_account": Rule("a storage account", azure_names.STORAGE_ACCOUNT),
    "log_workspace": Rule("a log workspace", azure_names.WORKSPACE),
    "diagnostic_setting": Rule(
        "a diagnostic setting",
        Form(
            pattern=r"^[-A-Za-z0-9_.]{1,260}$",
            form="1 to 260 letters, digits, hyphens, underscores and periods",
        ),
    ),
}
"""Rules of names, by field of `Names`.

Those of the components, but names of groups are ASCII, and those of group, network and subnet have 63 characters at
most, because CNI Overlay makes labels of them (concepts-network-azure-cni-overlay.md). A diagnostic setting's form:
"Naming rules and restrictions for Azure resources".
"""
_PATTERN: Final = "names.pattern"
_CLUSTER: Final = "names.cluster"
_MOST: Final = 3
"""Names that a message shows."""


@dataclass(frozen=True)
class _Name:
    """One name that settings give."""

    key: str
    """Path of its own setting."""
    source: str
    """The setting that gives it: its own, or another one from which it is made."""
    rule: Rule
    text: str

    @property
    def expected(self) -> str:
        """What Azure takes instead; empty if it takes it."""
        if is_reserved(self.text):
            return "a name without microsoft and windows, and without login at its beginning, which Azure reserves"
        wrong = any(text_mistakes(self.key, self.rule.form, self.text))
        return self.rule.form["form"] if wrong else ""


def resource_name_problems(project: str, stack: str, settings: Settings) -> Iterator[Mistake]:
    """Names that Azure does not take for their resources, and one name for two of them."""
    if settings.resource_group is not None and settings.names.resource_group is not None:
        yield Mistake(
            "names.resourceGroup",
            settings.names.resource_group,
            "no value with resourceGroup, because that group is there already",
        )
    yield from attached_name_mistakes(
        settings.registry.attach, settings.names.registry, keys=("registry.attach", "names.registry")
    )
    all_names = names(project, stack, settings)
    wrong = [name for name in _stated(all_names, settings) if name.expected]
    for name in wrong:
        if name.key == name.source:
            yield Mistake(name.key, name.text, f"the name of {name.rule.what}: {name.expected}")
    for source, value in ((_CLUSTER, all_names.cluster), (_PATTERN, settings.names.pattern)):
        made = [name for name in wrong if name.source == source]
        if made and all(name.key != source for name in made):
            shown = "; ".join(_shown(name) for name in made[:_MOST])
            yield Mistake(source, value, f"one from which other names follow that Azure takes; {shown}")
    if not wrong:
        yield from _same_names(all_names, settings)


def _shown(name: _Name) -> str:
    way_out = f", or set {name.key}" if name.key.startswith("names.") else ""
    return f"it gives {name.rule.what} the name {name.text!r}: expected {name.expected}{way_out}"


def _stated(all_names: Names, settings: Settings) -> Iterator[_Name]:
    """Every name that settings give and the stack needs."""
    fields = given_names(settings)
    rules = RULES if settings.makes_network else {**RULES, "resource_group": _GROUP_WITHOUT_NETWORK}
    for field, rule in rules.items():
        if field == "resource_group" and settings.resource_group is not None:
            yield _Name("resourceGroup", "resourceGroup", rule, settings.resource_group)
        elif getattr(settings.names, field) is not None or (field in fields and _is_made(field, settings)):
            key = f"names.{to_camel(field)}"
            yield _Name(key, _source(key, field, settings), rule, getattr(all_names, field))
    for subnet, text in all_names.subnets.items() if settings.makes_network else ():
        key = f"names.subnets.{subnet}"
        single = getattr(settings.names.subnets, subnet) is not None
        if text != subnet:
            yield _Name(key, key if single else _PATTERN, _SUBNET, text)
    for namespace, text in all_names.data_identities.items() if settings.names.pattern is not None else ():
        yield _Name(f"data.store.profiles.{namespace}", _PATTERN, _IDENTITY, text)


def _source(key: str, field: str, settings: Settings) -> str:
    if getattr(settings.names, field) is not None:
        return key
    of_cluster = settings.names.pattern is None or field == "dns_prefix"
    return _CLUSTER if of_cluster and settings.names.cluster is not None else _PATTERN


def _is_made(field: str, settings: Settings) -> bool:
    """Whether the program makes such a resource for the stack."""
    monitoring = settings.monitoring
    return {
        "virtual_network": settings.makes_network,
        "nat_gateway": settings.makes_gateway,
        "outbound_address": settings.makes_gateway,
        "registry": settings.registry.attach is None,
        "storage_account": settings.data.store is not None,
        "log_workspace": bool(monitoring.logs) and monitoring.workspace is None,
        "diagnostic_setting": bool(monitoring.logs),
    }.get(field, True)


def _same_names(all_names: Names, settings: Settings) -> Iterator[Mistake]:
    """One name for two resources of a type and group; a pattern alone gives none twice."""
    single = settings.names
    kinds: dict[str, dict[str, tuple[str | None, str]]] = {
        "resource groups": {
            "names.nodeResourceGroup": (single.node_resource_group, all_names.node_resource_group),
            "": (None, all_names.resource_group),
        },
        "public addresses": {
            "names.outboundAddress": (single.outbound_address, all_names.outbound_address),
            "names.ingressAddress": (single.ingress_address, all_names.ingress_address),
        },
        "identities": {
            "names.identity": (single.identity, all_names.identity),
            **{f"of {namespace}": (None, name) for namespace, name in all_names.data_identities.items()},
        },
        "subnets": {
            f"names.subnets.{subnet}": (getattr(single.subnets, subnet), name)
            for subnet, name in all_names.subnets.items()
        },
    }
    for what, entries in kinds.items():
        count = Counter(name.lower() for _, name in entries.values())
        twice = [
            (key, text) for key, (text, _) in entries.items() if text is not None and count[text.lower()] > 1
        ]
        for key, text in twice[:1]:
            yield Mistake(key, text, f"another name, because two {what} of the stack have this one")
