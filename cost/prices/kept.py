"""Answers of Azure's price list, kept for an hour, so that the next bill needn't ask again."""

from __future__ import annotations

import hashlib
import json
import os
import stat
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, cast

from tools.places import cache

_LONGEST: Final = timedelta(hours=1)


def folder() -> Path:
    """Where they are kept."""
    return cache() / "prices"


def kept(question: str, now: datetime) -> tuple[datetime, list[Mapping[str, Any]]] | None:
    """The answer to a question and when it was given; None where there is none that is young enough and ours."""
    try:
        file = _file(question)
        if not _ours(file.parent) or not _ours(file):
            return None
        found: Any = json.loads(file.read_text(encoding="utf-8"))
        asked, rows = datetime.fromisoformat(found["asked"]), found["rows"]
        if not isinstance(rows, list) or not now - _LONGEST <= asked <= now:
            return None
    except (OSError, RuntimeError, ValueError, TypeError, KeyError):
        return None  # RuntimeError: a user without a home, JSON that is too deep
    return asked, [row for row in cast(list[Any], rows) if isinstance(row, dict)]


def keep(question: str, asked: datetime, rows: list[Mapping[str, Any]]) -> None:
    """Keeps an answer; where the disk refuses, the next bill asks again."""
    text = json.dumps({"asked": asked.astimezone(UTC).isoformat(), "rows": rows})
    with suppress(OSError, RuntimeError):  # RuntimeError: a user without a home
        file = _file(question)
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _ours(file.parent):
            return
        handle, name = tempfile.mkstemp(dir=file.parent)
        draft = Path(name)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as opened:
                opened.write(text)
            draft.replace(file)
        finally:
            draft.unlink(missing_ok=True)


def _file(question: str) -> Path:
    return folder() / f"{hashlib.sha256(question.encode()).hexdigest()}.json"


def _ours(path: Path) -> bool:
    """Whether nobody else can have written it."""
    found = path.lstat()
    others = stat.S_IWGRP | stat.S_IWOTH
    return found.st_uid == os.getuid() and not found.st_mode & others
