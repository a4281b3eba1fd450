"""Rules: plain functions of the inputs of resources, for a recorded plan and for the engine."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Literal, NoReturn


class UnknownValueError(Exception):
    """A rule needs a value that is not known."""


class Unknown:
    """The type of `UNKNOWN`; every use except `is UNKNOWN` raises `UnknownValueError`."""

    def __repr__(self) -> str:
        return "[not known here]"

    def _refuse(self, *_: object) -> NoReturn:
        raise UnknownValueError

    __bool__ = __len__ = __iter__ = __contains__ = __getitem__ = __getattr__ = _refuse
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __hash__ = __str__ = __format__ = _refuse


UNKNOWN: Final = Unknown()
"""A value that rules cannot read: it is secret, or known only after an `up`.

A rule that expects it tests `is UNKNOWN`; any other rule that uses it is undecided, which is reported and never fails.
"""

STACK: Final = "pulumi:pulumi:Stack"
"""Type of the stack itself; its inputs are the stack's outputs."""

_API_VERSION: Final = re.compile(r"azure-native(?:_\w+?_v\w+)?:(?P<module>\w+)(?:/v\d\w*)?:(?P<name>\w+)")

Severity = Literal["low", "medium", "high"]


@dataclass(frozen=True)
class Resource:
    """One resource as the program registers it.

    Attributes:
        urn: the engine's name of it.
        type: type token, such as `azure-native:containerservice:AgentPool`.
        name: its name in the program.
        inputs: wire names to plain values; `UNKNOWN` for unknown and for secret values, so that no message
            contains a secret.
        secret_inputs: paths of inputs that are secret, as `metadata.labels.app` or `subjects[0].name`.
        protect: whether the engine refuses to delete it.
        ignore_changes: paths of inputs whose later changes the engine ignores.
    """

    urn: str
    type: str
    name: str
    inputs: Mapping[str, Any]
    secret_inputs: frozenset[str] = frozenset()
    protect: bool = False
    ignore_changes: frozenset[str] = frozenset()

    @property
    def kind(self) -> str:
        """Its type without the version of Azure's API that a program may name.

        `azure-native:containerservice/v20251001:ManagedCluster` and, of a local package of its own,
        `azure-native_containerservice_v20251001:containerservice:ManagedCluster` are clusters like any other.
        """
        named = _API_VERSION.fullmatch(self.type)
        return f"azure-native:{named['module']}:{named['name']}" if named else self.type


@dataclass(frozen=True)
class Violation:
    """One resource that violates one rule, or for which the rule is undecided.

    Attributes:
        rule: the rule.
        urn: the resource; empty for the whole stack.
        message: what is wrong, with the offending value.
        undecided: whether the rule needs a value that is not known here.
    """

    rule: Rule
    urn: str
    message: str
    undecided: bool = False

    @property
    def mandatory(self) -> bool:
        """Whether this fails a preview."""
        return self.rule.mandatory and not self.undecided


@dataclass(frozen=True)
class Rule:
    """One rule; exactly one of `per_resource` and `every` is given.

    Attributes:
        name: words with hyphens, unique.
        description: the requirement, one sentence.
        source: document (repository and file, or address) with its date, or our own test.
        severity: how bad a violation is.
        mandatory: whether a violation fails a preview; otherwise it is only reported.
        type: type token of the resources that `per_resource` checks; empty for all.
        per_resource: messages about one resource.
        every: (URN, message) about all resources together; URN is empty for the whole stack.
        ids: names of the same rule elsewhere, such as `CKV_AZURE_5`.
    """

    name: str
    description: str
    source: str
    severity: Severity = "medium"
    mandatory: bool = False
    type: str = ""
    per_resource: Callable[[Resource], Iterable[str]] | None = None
    every: Callable[[Sequence[Resource]], Iterable[tuple[str, str]]] | None = None
    ids: tuple[str, ...] = ()

    def violations(self, resources: Sequence[Resource]) -> Iterator[Violation]:
        """The violations of this rule by all resources of a stack."""
        for it in resources:
            if self.per_resource and self.type in ("", it.kind):
                yield from self._violations(partial(_about, it, self.per_resource), it.urn)
        if self.every:
            yield from self._violations(partial(self.every, resources), "")

    def _violations(self, look: Callable[[], Iterable[tuple[str, str]]], urn: str) -> Iterator[Violation]:
        """The violations; an input that a rule cannot handle neither stops the other rules nor passes."""
        try:
            for about, message in look():
                yield Violation(self, about, message)
        except UnknownValueError:
            yield Violation(
                self, urn, "cannot be decided: it depends on a value that is not known here", undecided=True
            )
        except Exception as error:  # noqa: BLE001 - any error in a rule
            yield Violation(self, urn, f"cannot be decided: {type(error).__name__}: {error}")


def _about(resource: Resource, look: Callable[[Resource], Iterable[str]]) -> Iterator[tuple[str, str]]:
    for message in look(resource):
        yield resource.urn, message
