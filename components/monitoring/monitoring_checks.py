"""Rules of the control plane's logs. Pure: planning calls the same without the SDKs."""

from collections.abc import Iterator, Sequence

from ..arguments.mistakes import Mistake


def log_mistakes(logs: Sequence[str]) -> Iterator[Mistake]:
    """Each category once."""
    if len(set(logs)) != len(logs):
        yield Mistake("logs", list(logs), "each log once")


def workspace_name_mistakes(workspace: str | None, name: str | None) -> Iterator[Mistake]:
    """Only a new workspace is given a name."""
    if workspace is not None and name is not None:
        yield Mistake("workspaceName", name, "no value with workspace, because that one has its name")


def workspace_mistakes(workspace: str | None, days: int | None, *, at: str = "") -> Iterator[Mistake]:
    """A workspace that is given keeps logs as long as its owner decides.

    Args:
        workspace: ARM id of the workspace, if one is given.
        days: how long logs are kept, if that is given.
        at: path of the group that these belong to, with its dot.
    """
    if workspace is not None and days is not None:
        expected = f"no value with {at}workspace, because its owner decides how long it keeps logs"
        yield Mistake(f"{at}retentionDays", days, expected)
