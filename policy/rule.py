"""What a rule is: a plain function over the inputs of resources, the same for a recorded plan and for the engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal


class Unknown:
    """The type of `UNKNOWN`."""

    def __repr__(self) -> str:
        return "[known after up]"


UNKNOWN: Final = Unknown()
"""Stands for a value that only an `up` knows; a rule says for itself what it makes of one."""

Severity = Literal["low", "medium", "high"]


@dataclass(frozen=True)
class Resource:
    """One resource as the program asks for it.

    Attributes:
        urn: the engine's name of it.
        type: type token, such as `azure-native:containerservice:AgentPool`.
        name: its name in the program.
        inputs: wire names to plain values; `UNKNOWN` for what only an `up` knows.
        secret_inputs: paths of inputs that are secret, as `metadata.labels.app` or `subjects[0].name`.
        protect: whether the engine refuses to delete it.
    """

    urn: str
    type: str
    name: str
    inputs: Mapping[str, Any]
    secret_inputs: frozenset[str] = frozenset()
    protect: bool = False


@dataclass(frozen=True)
class Violation:
    """One resource that breaks one rule.

    Attributes:
        rule: the rule.
        urn: the resource; empty for what is about the whole stack.
        message: what is wrong, with the offending value.
    """

    rule: Rule
    urn: str
    message: str


@dataclass(frozen=True)
class Rule:
    """One rule; exactly one of `each` and `every` is given.

    Attributes:
        name: words with hyphens, unique.
        says: what must be so, one sentence.
        source: document (repository and file, or address) with its date, or our own test.
        severity: how bad a violation is.
        mandatory: whether a violation fails a preview; else it is only told.
        type: type token of the resources that `each` looks at.
        each: messages about one resource.
        every: (URN, message) about all resources together; URN is empty for the whole stack.
        ids: names of the same rule elsewhere, such as `CKV_AZURE_5`.
        url: where to read more.
    """

    name: str
    says: str
    source: str
    severity: Severity = "medium"
    mandatory: bool = False
    type: str = ""
    each: Callable[[Resource], Iterable[str]] | None = None
    every: Callable[[Sequence[Resource]], Iterable[tuple[str, str]]] | None = None
    ids: tuple[str, ...] = ()
    url: str = ""

    def violations(self, resources: Sequence[Resource]) -> Iterable[Violation]:
        """What breaks this rule among all resources of a stack."""
        if self.each:
            for resource in resources:
                if resource.type == self.type:
                    yield from (Violation(self, resource.urn, told) for told in self.each(resource))
        if self.every:
            yield from (Violation(self, urn, told) for urn, told in self.every(resources))
