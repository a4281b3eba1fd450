"""The report on a change: a document for machines, and from it alone a comment and lines for a terminal."""

from kubeflow_aks.pull_request.report.comment import MARKER, comment, is_quiet
from kubeflow_aks.pull_request.report.document import SCHEMA, ChangeDocument, change_document
from kubeflow_aks.pull_request.report.page import terminal

__all__ = ["MARKER", "SCHEMA", "ChangeDocument", "change_document", "comment", "is_quiet", "terminal"]
