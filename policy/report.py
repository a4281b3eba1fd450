"""The verdicts as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from policy.rule import Violation
from policy.verdict import Verdict, counts

_WORDS: Final = ("satisfied", "exception", "undecided", "violated")


def as_text(stack: str, found: Sequence[Verdict], stale: Sequence[str]) -> Iterator[str]:
    """One line for each rule, with what broke it or why that is accepted below; then counts and stale exceptions."""
    width = max(len(verdict.rule.name) for verdict in found)
    for verdict in found:
        ids = f"  {', '.join(verdict.rule.ids)}" if verdict.rule.ids else ""
        yield f"{verdict.status:9}  {verdict.rule.name:{width}}  {verdict.rule.says}{ids}"
        for violation in verdict.violated:
            yield f"{'':9}  {'mandatory' if violation.mandatory else 'advisory'}: {line(violation)}"
        yield from (f"{'':9}  undecided: {line(violation)}" for violation in verdict.undecided)
        for row in dict.fromkeys(row for _, row in verdict.accepted):
            names = [line(violation) for violation, by in verdict.accepted if by == row]
            yield f"{'':9}  {row.date}: {row.reason} ({row.source})"
            yield from (f"{'':11}  {name}" for name in names)
    yield ""
    number = counts(found)
    yield f"{stack}: {', '.join(f'{number[word]} {word}' for word in _WORDS)} of {len(found)} rules"
    yield from (f"stale: {told}" for told in stale)


def as_json(stack: str, found: Sequence[Verdict], stale: Sequence[str]) -> dict[str, Any]:
    """The same as data."""
    number = counts(found)
    return {
        "stack": stack,
        "counts": {word: number[word] for word in _WORDS},
        "stale": list(stale),
        "rules": [
            {
                "rule": verdict.rule.name,
                "says": verdict.rule.says,
                "severity": verdict.rule.severity,
                "mandatory": verdict.rule.mandatory,
                "ids": list(verdict.rule.ids),
                "status": verdict.status,
                "violated": [_told(violation) for violation in verdict.violated],
                "undecided": [_told(violation) for violation in verdict.undecided],
                "accepted": [
                    _told(violation)
                    | {"reason": row.reason, "date": row.date.isoformat(), "source": row.source}
                    for violation, row in verdict.accepted
                ],
            }
            for verdict in found
        ],
    }


def line(violation: Violation) -> str:
    """What was told, with the resource's name in front where it is about one."""
    name = violation.urn.rpartition("::")[2]
    text = f"{name}: {violation.message}" if name else violation.message
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


def _told(violation: Violation) -> dict[str, str]:
    return {"urn": violation.urn, "message": violation.message}
