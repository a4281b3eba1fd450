"""Names of stacks, as a caller gives them."""

from __future__ import annotations

import re
from typing import Final

from kubeflow_aks.exit_codes import UsageError
from kubeflow_aks.text.sentences import shown

_STACK: Final = re.compile(r"[a-z]([a-z0-9-]{0,18}[a-z0-9])?")
"""The only names under which the program deploys anything (program/planning/rules/names.py)."""


def stack_name(text: str) -> str:
    """The name of a stack, looked at before it becomes part of a command or a path.

    Raises:
        UsageError: no stack of this program has such a name.
    """
    if _STACK.fullmatch(text):
        return text
    raise UsageError(
        f"stack: {shown(text)} is not allowed; expected a name of 1 to 20 lower-case letters, digits and inner "
        "hyphens, a letter first"
    )
