"""The components as a Pulumi plugin, for programs in any language: `python components <address of the engine>`."""

import gc
import sys
from importlib import import_module, util
from pathlib import Path
from typing import Final

from pulumi.provider import main

_COLLECT_AFTER: Final = 100_000
"""Objects between two collections of garbage: at Python's 700 they take a third of the plugin's time, for the SDKs make
a million objects, none of them garbage."""
PACKAGE: Final = "kubeflow_aks_components"
"""What the wheel calls this folder; Pulumi's Python host takes it from the name of the distribution."""


def _package() -> str:
    """Loads this folder as the package: Pulumi runs it by its path, and its name may be any."""
    del sys.path[0]  # this folder: `network`, `errors` and the others are modules of the package only
    spec = util.spec_from_file_location(PACKAGE, Path(__file__).with_name("__init__.py"))
    if spec is None or spec.loader is None:
        raise ImportError(PACKAGE)
    sys.modules[PACKAGE] = util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[PACKAGE])
    return PACKAGE


if __name__ == "__main__":
    gc.set_threshold(_COLLECT_AFTER)
    main(import_module(f"{__package__ or _package()}.package").Package(), sys.argv[1:])
