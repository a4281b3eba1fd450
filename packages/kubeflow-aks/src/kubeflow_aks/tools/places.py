"""Where the tools' sources and everything built from them lie."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

SOURCE: Final = Path(__file__).parent


def cache() -> Path:
    """The folder outside the tree that keeps what is expensive to make."""
    root = os.environ.get("XDG_CACHE_HOME")
    return (Path(root) if root else Path.home() / ".cache") / "kubeflow-aks" / "tools"


def build_cache() -> Path:
    """What Go downloads and compiles on the way: there while tools are built, and after a build that failed."""
    return cache() / "build"
