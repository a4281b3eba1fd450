"""A document as a comment on GitHub."""

from urllib.parse import quote

from kubeflow_aks.pull_request.report.document import ChangeDocument
from kubeflow_aks.pull_request.report.page import page
from kubeflow_aks.text import markdown as written


def marker(stack: str) -> str:
    """The hidden first line of a stack's comment, which identifies it."""
    return f"<!-- kubeflow-aks preview: {quote(stack, safe='', errors='surrogatepass')} -->"


def markdown(document: ChangeDocument) -> str:
    """The comment: a pure function of the document, safe for any document that matches the schema."""
    return written.markdown(page(document), marker(document["stack"]))
