"""Violations that are accepted: rows of `exceptions.yaml`, read and applied."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final, cast

import yaml

from policy.rule import Violation

FILE: Final = Path(__file__).parent / "exceptions.yaml"
_KEYS: Final = ("rule", "stacks", "resource", "message", "reason", "date", "source")


class ExceptionsError(ValueError):
    """The rows cannot be used; the text holds one line per mistake."""


@dataclass(frozen=True)
class Accepted:
    """One row.

    Attributes:
        rule: name of the rule.
        stacks: names of stacks, or globs of them.
        reason: why the violation is accepted, one sentence.
        date: the day on which somebody decided so.
        source: where the reason comes from.
        resource: glob of the resource's name; what is about the whole stack has the name "".
        message: glob of what is told, for one container or pool of many in a resource.
    """

    rule: str
    stacks: tuple[str, ...]
    reason: str
    date: datetime.date
    source: str
    resource: str = "*"
    message: str = "*"

    def names(self, stack: str) -> bool:
        """Whether it is about this stack."""
        return any(fnmatchcase(stack, glob) for glob in self.stacks)

    def covers(self, stack: str, violation: Violation) -> bool:
        """Whether it accepts a violation of a stack."""
        name = violation.urn.rpartition("::")[2]
        return (
            self.rule == violation.rule.name
            and self.names(stack)
            and fnmatchcase(name, self.resource)
            and fnmatchcase(violation.message, self.message)
        )


def load(path: Path = FILE, *, rules: Collection[str]) -> tuple[Accepted, ...]:
    """The rows of a file.

    Args:
        path: the file.
        rules: names of all rules.

    Raises:
        ExceptionsError: the file cannot be read, or rows have mistakes; all are told at once.
    """
    try:
        rows: Any = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ExceptionsError(f"{path.name}: {error.strerror}") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ExceptionsError(f"{path.name}: not YAML: {' '.join(str(error).split())}") from None
    if not isinstance(rows, list):
        raise ExceptionsError(f"{path.name}: {rows!r} is not allowed; expected a list of rows")
    numbered = list(enumerate(cast(list[Any], rows)))
    if problems := [
        f"{path.name}: {told}" for number, row in numbered for told in _problems(number, row, rules)
    ]:
        raise ExceptionsError("\n".join(problems))
    return tuple(_row(row) for _, row in numbered)


def covering(rows: Iterable[Accepted], stack: str, violation: Violation) -> Accepted | None:
    """The first row that accepts a violation, or None."""
    return next((row for row in rows if row.covers(stack, violation)), None)


def stale(rows: Iterable[Accepted], stack: str, found: Sequence[Violation]) -> Iterator[str]:
    """The rows that name a stack whose rule passes there, one line each.

    Args:
        rows: what is accepted.
        stack: its name.
        found: all its violations.
    """
    for row in rows:
        if stack in row.stacks and not any(row.covers(stack, it) for it in found):
            yield f"{row.rule} passes on {stack}: take {stack} out of the exception of {row.date}"


def useless(rows: Iterable[Accepted], found: Mapping[str, Sequence[Violation]]) -> Iterator[str]:
    """The rows with a glob that no stack needs, one line each: a stack may do better than others it is named with.

    Args:
        rows: what is accepted.
        found: all violations of every stack.
    """
    for row in rows:
        stacks = [stack for stack in found if row.names(stack) and stack not in row.stacks]
        if stacks and not any(row.covers(stack, it) for stack in stacks for it in found[stack]):
            yield f"{row.rule} passes on {', '.join(stacks)}: take out the exception of {row.date}"


def _row(row: dict[str, Any]) -> Accepted:
    return Accepted(stacks=tuple(row.pop("stacks")), **row)


def _problems(number: int, row: Any, rules: Collection[str]) -> Iterator[str]:
    """Mistakes of one row, in the form of every message of the project."""
    if not isinstance(row, dict):
        yield f"[{number}]: {row!r} is not allowed; expected a mapping of {', '.join(_KEYS)}"
        return
    given = cast(dict[Any, Any], row)
    for key in given.keys() - {*_KEYS}:
        yield f"[{number}].{key}: {given[key]!r} is not allowed; expected one of the keys {', '.join(_KEYS)}"
    if given.get("rule") not in rules:
        yield f"[{number}].rule: {given.get('rule')!r} is not allowed; expected the name of a rule"
    stacks: Any = given.get("stacks")
    if not isinstance(stacks, list) or not stacks or not all(map(_is_text, cast(list[Any], stacks))):
        yield f"[{number}].stacks: {stacks!r} is not allowed; expected a list of names or globs of stacks"
    for key in ("resource", "message", "reason", "source"):
        if not _is_text(given.get(key)) and (key not in ("resource", "message") or key in given):
            yield f"[{number}].{key}: {given.get(key)!r} is not allowed; expected text"
    date: Any = given.get("date")
    if type(date) is not datetime.date:
        yield f"[{number}].date: {date!r} is not allowed; expected a day such as 2026-11-22"


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())
