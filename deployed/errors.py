"""What can go wrong with a deployed stack before anything is asked of it."""

from __future__ import annotations


class StackError(Exception):
    """The stack can't be worked with; the text is one line for the user, with what to do."""
