"""A document as a comment on GitHub."""

from urllib.parse import quote

from pull_request.telling.document import ChangeDocument
from pull_request.telling.page import page
from writing import markdown as written


def marker(stack: str) -> str:
    """The hidden first line of a stack's comment, by which it is found again."""
    return f"<!-- kubeflow-aks preview: {quote(stack, safe='', errors='surrogatepass')} -->"


def markdown(document: ChangeDocument) -> str:
    """The comment: a pure function of the document, and safe whoever wrote it, as long as it has the schema's form."""
    return written.markdown(page(document), marker(document["stack"]))
