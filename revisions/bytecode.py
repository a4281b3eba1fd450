"""Where Python keeps what it compiles of trees that are only looked at, for nothing is written into them."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from tools.places import cache


def bytecode() -> Path:
    """The folder, as the variable PYTHONPYCACHEPREFIX takes it."""
    return cache().parent / "bytecode"


def remove_stale_bytecode() -> None:
    """Removes what was compiled of folders that are gone: trees that were looked at, environments nobody used."""
    for folder, names, _ in os.walk(bytecode()):
        source = Path("/", Path(folder).relative_to(bytecode()))
        gone = [name for name in names if not (source / name).is_dir()]
        for name in gone:
            shutil.rmtree(Path(folder, name), ignore_errors=True)
        names[:] = [] if source.name == "site-packages" else [name for name in names if name not in gone]
