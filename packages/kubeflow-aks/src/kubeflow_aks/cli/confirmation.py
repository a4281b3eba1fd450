"""A question that only a person at a terminal answers."""

import sys

from kubeflow_aks.exit_codes import UsageError


def confirmed(question: str) -> bool:
    """Whether somebody at a terminal says yes.

    Raises:
        UsageError: stdin is not a terminal.
    """
    if not sys.stdin or not sys.stdin.isatty():
        raise UsageError("cannot ask for confirmation: stdin is not a terminal; pass --yes")
    try:
        return input(f"{question} [y/N] ").strip().lower() in {"y", "yes"}
    except EOFError:
        return False
