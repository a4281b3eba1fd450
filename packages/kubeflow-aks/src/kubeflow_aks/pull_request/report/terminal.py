"""The top of a document for a terminal."""

from kubeflow_aks.pull_request.report.document import ChangeDocument
from kubeflow_aks.pull_request.report.page import page
from kubeflow_aks.text import terminal as written


def terminal(document: ChangeDocument, width: int) -> list[str]:
    """The top of the comment, as lines of at most `width` columns."""
    shown = page(document)
    lines = written.terminal(shown, width)
    if shown.sections:
        more = ", ".join(section.title for section in shown.sections)
        lines += written.wrapped(f"The comment has more: {more}.", width)
    return lines
