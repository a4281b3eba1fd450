"""The rules of `policy`, asked about what each of the two programs wants."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

from policy.exceptions import Accepted
from policy.rule import STACK, Violation
from policy.rule import UNKNOWN as NOT_KNOWN
from policy.rule import Resource as Judged
from policy.verdict import told, verdicts
from pull_request.observed import SECRET, Run, shown


def violations(stack: str, run: Run | None, accepted: Sequence[Accepted]) -> list[Violation]:
    """What nobody accepted, and what is undecided of the mandatory rules; nothing where the program did not run."""
    if run is None or run.failure:
        return []
    resources = [
        Judged(
            urn=each.urn,
            type=each.type,
            name=each.name,
            inputs=shown(each.inputs, NOT_KNOWN),
            secret_inputs=frozenset(_secret("", each.inputs)),
            protect=each.protect,
            ignore_changes=frozenset(each.ignore_changes),
        )
        for each in run.resources.values()
    ]
    outputs = Judged(
        f"stack::{stack}", STACK, stack, shown(run.outputs, NOT_KNOWN), frozenset(_secret("", run.outputs))
    )
    return told(verdicts(stack, [outputs, *resources], accepted))


def _secret(path: str, value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in cast(dict[str, Any], value).items():
            yield from _secret(f"{path}.{key}" if path else key, item)
    elif isinstance(value, list):
        for number, item in enumerate(cast(list[Any], value)):
            yield from _secret(f"{path}[{number}]", item)
    elif value == SECRET:
        yield path
