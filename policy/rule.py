"""What a rule is: a plain function over the inputs of resources, the same for a recorded plan and for the engine."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NoReturn


class UnknownValueError(Exception):
    """A rule needs a value that it cannot see."""


class Unknown:
    """The type of `UNKNOWN`: nothing can be done with it but to ask whether a value `is UNKNOWN`."""

    def __repr__(self) -> str:
        return "[not known here]"

    def _refuse(self, *_: object) -> NoReturn:
        raise UnknownValueError

    __bool__ = __len__ = __iter__ = __contains__ = __getitem__ = __getattr__ = _refuse
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __hash__ = __str__ = __format__ = _refuse


UNKNOWN: Final = Unknown()
"""Stands for a value that rules don't see: only an `up` knows it, or it is secret.

A rule that expects one asks `is UNKNOWN`; another one that meets it is undecided, which is told and never fails.
"""

STACK: Final = "pulumi:pulumi:Stack"
"""Type of the stack itself; its inputs are the stack's outputs."""

_API_VERSION: Final = re.compile(r"azure-native(?:_\w+?_v\w+)?:(?P<module>\w+)(?:/v\d\w*)?:(?P<name>\w+)")

Severity = Literal["low", "medium", "high"]


@dataclass(frozen=True)
class Resource:
    """One resource as the program asks for it.

    Attributes:
        urn: the engine's name of it.
        type: type token, such as `azure-native:containerservice:AgentPool`.
        name: its name in the program.
        inputs: wire names to plain values; `UNKNOWN` for what only an `up` knows and for what is secret, so that no
            rule can tell a secret in its message.
        secret_inputs: paths of inputs that are secret, as `metadata.labels.app` or `subjects[0].name`.
        protect: whether the engine refuses to delete it.
        ignore_changes: paths of inputs whose later changes the engine leaves alone.
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
        """Its type without the version of Azure's API that a program may name, as a rule asks for it.

        `azure-native:containerservice/v20251001:ManagedCluster` and, of a local package of its own,
        `azure-native_containerservice_v20251001:containerservice:ManagedCluster` are clusters like any other.
        """
        named = _API_VERSION.fullmatch(self.type)
        return f"azure-native:{named['module']}:{named['name']}" if named else self.type


@dataclass(frozen=True)
class Violation:
    """One resource that breaks one rule, or of which the rule cannot say so.

    Attributes:
        rule: the rule.
        urn: the resource; empty for what is about the whole stack.
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
    """One rule; exactly one of `each` and `every` is given.

    Attributes:
        name: words with hyphens, unique.
        says: what must be so, one sentence.
        source: document (repository and file, or address) with its date, or our own test.
        severity: how bad a violation is.
        mandatory: whether a violation fails a preview; else it is only told.
        type: type token of the resources that `each` looks at; empty for all.
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

    def violations(self, resources: Sequence[Resource]) -> Iterator[Violation]:
        """What breaks this rule among all resources of a stack."""
        if self.each:
            for it in resources:
                if self.type in ("", it.kind):
                    yield from self._judged(_about(it, self.each), it.urn)
        if self.every:
            yield from self._judged(_about_all(resources, self.every), "")

    def _judged(self, told: Iterable[tuple[str, str]], urn: str) -> Iterator[Violation]:
        """What was told; inputs that nobody here wrote must not end all rules, nor pass as fine."""
        try:
            for about, message in told:
                yield Violation(self, about, message)
        except UnknownValueError:
            yield Violation(
                self, urn, "cannot be judged: it depends on a value that is not known here", undecided=True
            )
        except Exception as error:  # noqa: BLE001 - whatever a rule of somebody trips over
            yield Violation(self, urn, f"cannot be judged: {type(error).__name__}: {error}")


# Generators, so that nothing runs before `_judged` is ready for what goes wrong.
def _about(resource: Resource, each: Callable[[Resource], Iterable[str]]) -> Iterator[tuple[str, str]]:
    for told in each(resource):
        yield resource.urn, told


def _about_all(
    resources: Sequence[Resource], every: Callable[[Sequence[Resource]], Iterable[tuple[str, str]]]
) -> Iterator[tuple[str, str]]:
    yield from every(resources)
