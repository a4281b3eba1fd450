"""Accepted violations: reads and applies the rows of a project's `policy-exceptions.yaml`."""

import datetime
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final, cast

import yaml

from kubeflow_aks.exit_codes import InconclusiveError
from kubeflow_aks.policy.rule import Violation

FILE: Final = "policy-exceptions.yaml"
"""Name of the file, beside `Pulumi.yaml`."""
_KEYS: Final = ("rule", "stacks", "resource", "message", "reason", "date", "expiresOn", "source")


class ExceptionsError(InconclusiveError, ValueError):
    """The rows have mistakes; the text has one line for each."""


@dataclass(frozen=True)
class Accepted:
    """One row.

    Attributes:
        rule: name of the rule.
        stacks: names of stacks, or globs of them.
        reason: why the violation is accepted, one sentence.
        date: of the decision.
        expires_on: the last day on which it holds; then somebody decides again.
        source: of the reason.
        resource: glob of the resource's name; the whole stack has the name "".
        message: glob of the message, for one container or pool of many in a resource.
    """

    rule: str
    stacks: tuple[str, ...]
    reason: str
    date: datetime.date
    expires_on: datetime.date
    source: str
    resource: str = "*"
    message: str = "*"

    def names(self, stack: str) -> bool:
        """Whether it applies to this stack."""
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


def load(root: Path | None, *, rules: Collection[str]) -> tuple[Accepted, ...]:
    """The rows of a project; none where it has no such file.

    Args:
        root: the project folder; None for no project.
        rules: names of all rules.

    Raises:
        ExceptionsError: the file cannot be read, or rows have mistakes; all are reported at once.
    """
    if root is None:
        return ()
    try:
        rows: Any = yaml.safe_load((root / FILE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise ExceptionsError(f"{FILE}: {error.strerror}") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ExceptionsError(f"{FILE}: not YAML: {' '.join(str(error).split())}") from None
    if not isinstance(rows, list):
        raise ExceptionsError(f"{FILE}: {rows!r} is not allowed; expected a list of rows")
    numbered = list(enumerate(cast(list[Any], rows)))
    if problems := [
        f"{FILE}: {problem}" for number, row in numbered for problem in _problems(number, row, rules)
    ]:
        raise ExceptionsError("\n".join(problems))
    return tuple(_row(row) for _, row in numbered)


def covering(rows: Iterable[Accepted], stack: str, violation: Violation) -> Accepted | None:
    """The first row that accepts a violation, or None."""
    return next((row for row in rows if row.covers(stack, violation)), None)


def stale(rows: Iterable[Accepted], stack: str, violations: Sequence[Violation]) -> Iterator[str]:
    """The rows that name a stack whose rule passes there by all its violations, one line each."""
    for row in rows:
        if stack in row.stacks and not any(row.covers(stack, it) for it in violations):
            yield f"{row.rule} passes on {stack}: take {stack} out of the exception of {row.date}"


def expired(
    rows: Iterable[Accepted], stack: str, violations: Sequence[Violation], day: datetime.date
) -> Iterator[str]:
    """The rows past their last day that a stack still needs, one line each.

    They go on covering violations, so that no `up` fails because a day has passed.
    """
    for row in rows:
        if row.expires_on < day and any(row.covers(stack, it) for it in violations):
            yield (
                f"{row.rule} on {stack}: the exception of {row.date} ended on {row.expires_on}; comply, or decide "
                "again and write a later expiresOn"
            )


def _row(row: dict[str, Any]) -> Accepted:
    return Accepted(stacks=tuple(row.pop("stacks")), expires_on=row.pop("expiresOn"), **row)


def _problems(number: int, row: Any, rules: Collection[str]) -> Iterator[str]:
    """The mistakes of one row."""
    if not isinstance(row, dict):
        yield f"[{number}]: {row!r} is not allowed; expected a mapping of {', '.join(_KEYS)}"
        return
    fields = cast(dict[Any, Any], row)
    for key in fields.keys() - {*_KEYS}:
        yield f"[{number}].{key}: {fields[key]!r} is not allowed; expected one of the keys {', '.join(_KEYS)}"
    if fields.get("rule") not in rules:
        yield f"[{number}].rule: {fields.get('rule')!r} is not allowed; expected the name of a rule"
    stacks: Any = fields.get("stacks")
    if not isinstance(stacks, list) or not stacks or not all(map(_is_text, cast(list[Any], stacks))):
        yield f"[{number}].stacks: {stacks!r} is not allowed; expected a list of names or globs of stacks"
    for key in ("resource", "message", "reason", "source"):
        if not _is_text(fields.get(key)) and (key not in ("resource", "message") or key in fields):
            yield f"[{number}].{key}: {fields.get(key)!r} is not allowed; expected text"
    days: dict[str, Any] = {key: fields.get(key) for key in ("date", "expiresOn")}
    wrong = {key: day for key, day in days.items() if type(day) is not datetime.date}
    for key, day in wrong.items():
        yield f"[{number}].{key}: {day!r} is not allowed; expected a day such as 2026-11-22"
    if not wrong and days["expiresOn"] <= days["date"]:
        yield f"[{number}].expiresOn: {days['expiresOn']} is not allowed; expected a day after date, {days['date']}"


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())
