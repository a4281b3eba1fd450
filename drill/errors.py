"""What can go wrong with a drill before or while it is played."""

from __future__ import annotations

from deployed.errors import StackError
from story.scene_runner import NotSeenError


class DrillError(StackError):
    """The drill can't go on; the text is one line for the user, with what to do."""


class OverError(NotSeenError):
    """A limit of the drill was reached: what is not seen by now says nothing of the cluster."""
