"""The report on a change: a document for machines, and from it alone a comment and lines for a terminal."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kubeflow_aks.cost.report.change import CostChange
from kubeflow_aks.policy.rule import Violation
from kubeflow_aks.pull_request.observed import Observed
from kubeflow_aks.pull_request.report.comment import markdown, marker
from kubeflow_aks.pull_request.report.document import SCHEMA, ChangeDocument, change_document
from kubeflow_aks.pull_request.report.terminal import terminal

__all__ = ["SCHEMA", "ChangeDocument", "RenderedChange", "markdown", "marker", "render"]


@dataclass(frozen=True)
class RenderedChange:
    """One stack's change in all forms.

    Attributes:
        document: what `kubeflow_aks/pull_request/report/change.schema.json` describes.
        markdown: a comment of at most 60,000 bytes, with the stack's hidden marker as its first line.
        terminal: the top of the comment, as lines of at most the given columns.
    """

    document: ChangeDocument
    markdown: str
    terminal: Callable[[int], list[str]]


def render(
    observed: Observed,
    base_violations: Sequence[Violation],
    head_violations: Sequence[Violation],
    cost: CostChange | None = None,
) -> RenderedChange:
    """Renders the report on one stack.

    Args:
        observed: the stack under both trees.
        base_violations: violations of the base; empty if it did not run.
        head_violations: violations of the head; empty if it did not run.
        cost: the change of the expected bill; None if nothing is paid for.
    """
    document = change_document(observed, base_violations, head_violations, cost)
    return RenderedChange(document, markdown(document), lambda width: terminal(document, width))
