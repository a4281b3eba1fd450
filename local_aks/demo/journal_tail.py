"""The journal's new lines as they are written."""

import json
from pathlib import Path
from typing import Any

Line = dict[str, Any]


class JournalTail:
    """Follows a journal file from its present end."""

    def __init__(self, path: Path) -> None:
        path.touch()
        self._path = path
        self._offset = path.stat().st_size

    def read(self) -> list[Line]:
        """The lines that were completed since the last reading."""
        with self._path.open("rb") as file:
            file.seek(self._offset)
            complete, _, _ = file.read().rpartition(b"\n")
        if not complete:
            return []
        self._offset += len(complete) + 1
        return [json.loads(line) for line in complete.splitlines()]
