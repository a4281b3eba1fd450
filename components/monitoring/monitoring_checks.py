"""Rules of the control plane's logs and of the budget. Pure: planning calls the same without the SDKs."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from ..arguments.limits import text_mistakes
from ..arguments.mistakes import Mistake
from ..azure import azure_names
from ..azure.arm_ids import ACTION_GROUP, arm_id_mistakes

_MAIL: Final = re.compile(r"[^@\s,;]+@[^@\s,;]+\.[^@\s,;]+")
_MOST_WEBHOOKS: Final = 10


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


def budget_mistakes(emails: Sequence[str], action_groups: Sequence[str]) -> Iterator[Mistake]:
    """Somebody is notified."""
    yield from _mail_mistakes(emails)
    for number, group in enumerate(action_groups):
        yield from arm_id_mistakes(f"actionGroups[{number}]", group, ACTION_GROUP)
    if not emails and not action_groups:
        yield Mistake(
            "emails", list(emails), "a mail address, or one of actionGroups, because nobody is notified"
        )


def alert_mistakes(emails: Sequence[str], webhooks: Sequence[str]) -> Iterator[Mistake]:
    """Somebody is notified, by addresses that an action group takes.

    Source: "Azure Monitor service limits", action groups (2023-04-25): 10 webhooks.
    """
    yield from _mail_mistakes(emails)
    for number, address in enumerate(webhooks):
        yield from text_mistakes(f"webhooks[{number}]", azure_names.HTTPS, address)
    if len(webhooks) > _MOST_WEBHOOKS:
        yield Mistake("webhooks", len(webhooks), f"at most {_MOST_WEBHOOKS} addresses")
    if not emails and not webhooks:
        yield Mistake(
            "emails", list(emails), "a mail address, or one of webhooks, because nobody is notified"
        )


def _mail_mistakes(emails: Sequence[str]) -> Iterator[Mistake]:
    for number, email in enumerate(emails):
        if not _MAIL.fullmatch(email):
            yield Mistake(f"emails[{number}]", email, "a mail address")


def node_group_mistakes(node_resource_group: str | None) -> Iterator[Mistake]:
    """The group of the nodes is named where its cost is watched."""
    if not node_resource_group:
        expected = "the name of the resource group of the nodes, with budget or costExport"
        yield Mistake("nodeResourceGroupName", node_resource_group, expected)
