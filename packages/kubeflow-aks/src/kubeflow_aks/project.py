"""The project that the commands work on: the nearest folder with a `Pulumi.yaml`."""

import os
import re
from pathlib import Path
from typing import Final

from kubeflow_aks.exit_codes import UsageError

_SOURCES: Final = Path(__file__).resolve().parents[1]
_CHECKOUT: Final = _SOURCES.parents[2]
IS_CHECKOUT: Final = (_CHECKOUT / "kubeflow-aks").is_file()
"""Whether this runs in a checkout of this repository; where the package is installed there is no launcher."""
PROJECT_ROOT: Final = _CHECKOUT if IS_CHECKOUT else _SOURCES
"""The checkout that this package is part of; where it is installed, the folder of all packages."""
IMPORT_PATH: Final = os.pathsep.join(map(str, dict.fromkeys((_SOURCES, PROJECT_ROOT))))
"""`PYTHONPATH` of another process that runs code of this package: its folder, and that of `aks_facts`."""
COMMAND: Final = "./kubeflow-aks" if IS_CHECKOUT else "kubeflow-aks"
"""How the user calls the commands."""
_FILE: Final = "Pulumi.yaml"
_STACK: Final = re.compile(r"[A-Za-z0-9_.-]{1,100}")
"""Stack names that Pulumi accepts: sdk/go/common/tokens/stack_name.go."""


def is_stack_name(text: str) -> bool:
    """Whether Pulumi accepts a text as the name of a stack; a leading hyphen would make it an option."""
    return bool(_STACK.fullmatch(text)) and not text.startswith(("-", "."))


def nearest_project() -> Path | None:
    """The nearest folder with a `Pulumi.yaml` from the working folder upwards, if there is one."""
    start = Path.cwd()
    return next((folder for folder in (start, *start.parents) if (folder / _FILE).is_file()), None)


def project_root(root: Path | None = None) -> Path:
    """The folder that the user gave, or the nearest one with a `Pulumi.yaml` from the working folder upwards.

    Raises:
        UsageError: there is none.
    """
    if root:
        return root.resolve()
    if nearest := nearest_project():
        return nearest
    raise UsageError(f"{Path.cwd()}: no {_FILE} here or in a folder above; pass --root DIR")
