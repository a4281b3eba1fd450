"""Names of Azure resources, all made from project and stack, so that an environment is found by its name."""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass

from settings.problems import Problem

_STACK = re.compile(r"[a-z][a-z0-9-]{0,19}")


@dataclass(frozen=True)
class Names:
    """Names of Azure resources of one stack."""

    base: str
    """`<project>-<stack>`: resource group, cluster, network and identities carry it."""
    dns_label: str
    """First part of the ingress's public name."""


def names(project: str, stack: str, owner: str, dns_label: str | None) -> Names:
    """Names for one stack.

    Args:
        project: Pulumi project name.
        stack: Pulumi stack name.
        owner: the owner tag; it keeps two teams' DNS labels in one region apart.
        dns_label: the label a stack asks for, or None for a derived one.
    """
    base = f"{project}-{stack}"
    derived = f"{base}-{hashlib.sha256(owner.encode()).hexdigest()[:8]}"
    return Names(base=base, dns_label=dns_label or derived)


def name_problems(stack: str) -> Iterator[Problem]:
    """The stack's name must be valid as part of the names of Azure resources."""
    if not _STACK.fullmatch(stack) or stack.endswith("-"):
        yield Problem(
            "stack", stack, "a name of 1 to 20 lower-case letters, digits and inner hyphens, a letter first"
        )
