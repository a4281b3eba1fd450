"""A cache of answers of Azure's price list, valid for an hour."""

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, cast

from kubeflow_aks.ownership import is_only_ours
from kubeflow_aks.text.files import write_whole
from kubeflow_aks.tools.places import cache

_LONGEST: Final = timedelta(hours=1)


def folder() -> Path:
    """The folder of the cache."""
    return cache() / "prices"


def load(question: str, now: datetime) -> tuple[datetime, list[Mapping[str, Any]]] | None:
    """The answer to a query and its time; None where there is none that is recent enough and written by this user."""
    try:
        file = _file(question)
        if not is_only_ours(file.parent) or not is_only_ours(file):
            return None
        content: Any = json.loads(file.read_text(encoding="utf-8"))
        time, rows = datetime.fromisoformat(content["time"]), content["rows"]
        if not isinstance(rows, list) or not now - _LONGEST <= time <= now:
            return None
    except (OSError, RuntimeError, ValueError, TypeError, KeyError):
        return None  # RuntimeError: a user without a home, JSON that is too deep
    return time, [row for row in cast(list[Any], rows) if isinstance(row, dict)]


def store(question: str, time: datetime, rows: list[Mapping[str, Any]]) -> None:
    """Stores an answer; if that fails, the next bill queries again."""
    text = json.dumps({"time": time.astimezone(UTC).isoformat(), "rows": rows})
    with suppress(OSError, RuntimeError):  # RuntimeError: a user without a home
        file = _file(question)
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if is_only_ours(file.parent):
            write_whole(file, text, mode=0o600)


def _file(question: str) -> Path:
    return folder() / f"{hashlib.sha256(question.encode()).hexdigest()}.json"
