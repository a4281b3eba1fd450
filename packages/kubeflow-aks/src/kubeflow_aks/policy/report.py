"""The results as text and as JSON."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from kubeflow_aks.policy.results import RuleResult, counts
from kubeflow_aks.policy.rule import Violation
from kubeflow_aks.text.sentences import printable

_WORDS: Final = ("satisfied", "exception", "undecided", "violated")


def as_text(
    stack: str, results: Sequence[RuleResult], stale: Sequence[str], expired: Sequence[str]
) -> Iterator[str]:
    """One line for each rule, its violations or exceptions below it; then counts, stale and expired exceptions."""
    width = max(len(result.rule.name) for result in results)
    for result in results:
        ids = f"  {', '.join(result.rule.ids)}" if result.rule.ids else ""
        yield f"{result.status:9}  {result.rule.name:{width}}  {result.rule.description}{ids}"
        for violation in result.violated:
            yield f"{'':9}  {'mandatory' if violation.mandatory else 'advisory'}: {line(violation)}"
        yield from (f"{'':9}  undecided: {line(violation)}" for violation in result.undecided)
        for row in dict.fromkeys(row for _, row in result.accepted):
            names = [line(violation) for violation, by in result.accepted if by == row]
            yield f"{'':9}  {row.date} until {row.expires_on}: {row.reason} ({row.source})"
            yield from (f"{'':11}  {name}" for name in names)
    yield ""
    number = counts(results)
    yield f"{stack}: {', '.join(f'{number[word]} {word}' for word in _WORDS)} of {len(results)} rules"
    yield from (f"stale: {row}" for row in stale)
    yield from (f"expired: {row}" for row in expired)


def as_json(
    stack: str, results: Sequence[RuleResult], stale: Sequence[str], expired: Sequence[str]
) -> dict[str, Any]:
    """The same as data."""
    number = counts(results)
    return {
        "stack": stack,
        "counts": {word: number[word] for word in _WORDS},
        "stale": list(stale),
        "expired": list(expired),
        "rules": [
            {
                "rule": result.rule.name,
                "description": result.rule.description,
                "severity": result.rule.severity,
                "mandatory": result.rule.mandatory,
                "ids": list(result.rule.ids),
                "status": result.status,
                "violated": [_as_dict(violation) for violation in result.violated],
                "undecided": [_as_dict(violation) for violation in result.undecided],
                "accepted": [
                    _as_dict(violation)
                    | {
                        "reason": row.reason,
                        "date": row.date.isoformat(),
                        "expiresOn": row.expires_on.isoformat(),
                        "source": row.source,
                    }
                    for violation, row in result.accepted
                ],
            }
            for result in results
        ],
    }


def line(violation: Violation) -> str:
    """The message, after the resource's name if it is about one."""
    name = violation.urn.rpartition("::")[2]
    text = f"{name}: {violation.message}" if name else violation.message
    return printable(text)


def _as_dict(violation: Violation) -> dict[str, str]:
    return {"urn": violation.urn, "message": violation.message}
