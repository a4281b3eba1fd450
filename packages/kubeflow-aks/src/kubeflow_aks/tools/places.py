"""Where the tools' sources and everything built from them lie."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Final

SOURCE: Final = Path(__file__).parent
_KEPT_DAYS: Final = 30


def cache() -> Path:
    """The folder outside the tree that keeps what is expensive to make."""
    root = os.environ.get("XDG_CACHE_HOME")
    return (Path(root) if root else Path.home() / ".cache") / "kubeflow-aks" / "tools"


def is_unused(note: Path, made: Path) -> bool:
    """Whether nobody has used something for 30 days: by its note, touched at each use, or else since it was made."""
    used = (note if note.exists() else made).stat().st_mtime
    return time.time() - used > _KEPT_DAYS * 86_400


def build_cache() -> Path:
    """What Go downloads and compiles on the way: there while tools are built, and after a build that failed."""
    return cache() / "build"
