"""What is told of a change: a document for machines, and from it alone a comment and lines for a terminal."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cost.report.change import CostChange
from policy.rule import Violation
from pull_request.observed import Observed
from pull_request.telling.comment import markdown, marker
from pull_request.telling.document import SCHEMA, ChangeDocument, change_document
from pull_request.telling.terminal import terminal

__all__ = ["SCHEMA", "ChangeDocument", "Told", "markdown", "marker", "told"]


@dataclass(frozen=True)
class Told:
    """One stack's change in all forms.

    Attributes:
        document: what `pull_request/telling/change.schema.json` describes.
        markdown: a comment of at most 60,000 bytes, with the stack's hidden marker as its first line.
        terminal: the top of the same, as lines of at most so many columns.
    """

    document: ChangeDocument
    markdown: str
    terminal: Callable[[int], list[str]]


def told(
    observed: Observed,
    base_violations: Sequence[Violation],
    head_violations: Sequence[Violation],
    cost: CostChange | None = None,
) -> Told:
    """What is told of one stack.

    Args:
        observed: what was seen of the stack under both trees.
        base_violations: what the base breaks; none where it did not run.
        head_violations: what the head breaks; none where it did not run.
        cost: what it does to the expected bill; None where there is nothing to pay for.
    """
    document = change_document(observed, base_violations, head_violations, cost)
    return Told(document, markdown(document), lambda width: terminal(document, width))
