"""Packs what lies beside this folder in the repository: the facts as a module, and the notice of third parties."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_CONTENTS = {"aks_facts": "aks_facts", "NOTICE": "kubeflow_aks/NOTICE"}
"""What is packed, and where to."""


class CustomBuildHook(BuildHookInterface[Any]):
    """Adds them to a wheel, and to an sdist for the wheel that is built from it."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - hatchling's signature
        """Names what to add before the build starts."""
        for name, place in _CONTENTS.items():
            packed = Path(self.root, name)  # in an sdist
            source = packed if packed.exists() else Path(self.root, "../..", name)
            build_data["force_include"][str(source)] = name if self.target_name == "sdist" else place
