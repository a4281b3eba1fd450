"""The base of every client's error."""

from kubeflow_aks.exit_codes import InconclusiveError


class ClientError(InconclusiveError):
    """A request failed; the text is one line for the user and holds no secret."""
