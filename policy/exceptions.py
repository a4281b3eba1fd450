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
_KEYS: Final = ("rule", "stacks", "resource", "reason", "date", "source")
_GLOB: Final = frozenset("*?[")


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
    """

    rule: str
    stacks: tuple[str, ...]
    reason: str
    date: datetime.date
    source: str
    resource: str = "*"

    def names(self, stack: str) -> bool:
        """Whether it is about this stack."""
        return any(fnmatchcase(stack, glob) for glob in self.stacks)

    def covers(self, stack: str, violation: Violation) -> bool:
        """Whether it accepts a violation of a stack."""
        name = violation.urn.rpartition("::")[2]
        return self.rule == violation.rule.name and self.names(stack) and fnmatchcase(name, self.resource)


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


def stale(rows: Iterable[Accepted], found: Mapping[str, Sequence[Violation]]) -> Iterator[str]:
    """What is to be taken out of the rows, one line each, judged by what was found in some stacks.

    A stack that a row names must need it; of the stacks that a glob stands for, one must, so that a stack which does
    better than others is no error.
    """
    for row in rows:
        exact = [name for name in row.stacks if not _GLOB & {*name} and name in found]
        globbed = [name for name in found if row.names(name) and name not in exact]
        needed = {name for name in (*exact, *globbed) if any(row.covers(name, it) for it in found[name])}
        for name in exact:
            if name not in needed:
                yield f"{row.rule}: it passes on {name}; take {name} out of the exception of {row.date}"
        if globbed and not needed & {*globbed}:
            yield f"{row.rule}: it passes on {', '.join(globbed)}; take the exception of {row.date} out"


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
    for key in ("resource", "reason", "source"):
        if not _is_text(given.get(key)) and (key != "resource" or key in given):
            yield f"[{number}].{key}: {given.get(key)!r} is not allowed; expected text"
    date: Any = given.get("date")
    if type(date) is not datetime.date:
        yield f"[{number}].date: {date!r} is not allowed; expected a day such as 2026-11-22"


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())
