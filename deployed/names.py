"""Names of stacks, as a caller gives them."""

from __future__ import annotations

import re
from typing import Final

from deployed.errors import StackError

_STACK: Final = re.compile(r"[a-z]([a-z0-9-]{0,18}[a-z0-9])?")
"""The only names under which the program deploys anything (planning/rules/names.py)."""
_LONGEST: Final = 100


def stack_name(text: str) -> str:
    """The name of a stack, looked at before it becomes part of a command or a path.

    Raises:
        StackError: no stack of this program has such a name.
    """
    if _STACK.fullmatch(text):
        return text
    short = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    shown = short if short.isprintable() else ascii(short)
    raise StackError(
        f"stack: {shown} is not allowed; expected a name of 1 to 20 lower-case letters, digits and inner hyphens, a "
        "letter first"
    )
