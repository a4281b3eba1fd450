"""Our own comments and issues, known again by a hidden marker in their first line and by their author."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, Final

BOT: Final = "github-actions[bot]"
"""Who a job's own token writes as; people's names on GitHub have no brackets, so that nobody else is called so."""


def author(environment: Mapping[str, str] = os.environ) -> str:
    """Who our comments are from; `COMMENT_AUTHOR` names another app."""
    return environment.get("COMMENT_AUTHOR") or BOT


def ours(entries: Iterable[Mapping[str, Any]], name: str) -> dict[str, Mapping[str, Any]]:
    """Comments or issues of one author, as GitHub lists them, by the marker in their first line; the oldest of each.

    A marker proves nothing: everybody can write one. The author does.
    """
    by_marker: dict[str, Mapping[str, Any]] = {}
    for entry in entries:
        user: Mapping[str, Any] = entry.get("user") or {}
        first = ((entry.get("body") or "").splitlines() or [""])[0]
        if user.get("login") == name and first.startswith("<!-- "):
            by_marker.setdefault(first, entry)
    return by_marker
