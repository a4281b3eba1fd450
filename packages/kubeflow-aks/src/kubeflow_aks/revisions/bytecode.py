"""The folder for Python's bytecode of other trees, so that nothing is written into them."""

import os
import shutil
from pathlib import Path

from kubeflow_aks.tools.places import cache


def bytecode() -> Path:
    """The folder, for the variable PYTHONPYCACHEPREFIX."""
    return cache().parent / "bytecode"


def remove_stale_bytecode() -> None:
    """Removes the bytecode of folders that no longer exist, such as other trees and unused environments."""
    for folder, names, _ in os.walk(bytecode()):
        source = Path("/", Path(folder).relative_to(bytecode()))
        gone = [name for name in names if not (source / name).is_dir()]
        for name in gone:
            shutil.rmtree(Path(folder, name), ignore_errors=True)
        names[:] = [] if source.name == "site-packages" else [name for name in names if name not in gone]
