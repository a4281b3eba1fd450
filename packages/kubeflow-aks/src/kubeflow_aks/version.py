"""The version of this repository, which stands in `components/PulumiPlugin.yaml` and nowhere else."""

import re
from importlib import metadata
from typing import Final

from kubeflow_aks.project import PROJECT_ROOT

_DECLARED: Final = PROJECT_ROOT / "components" / "PulumiPlugin.yaml"
_LINE: Final = re.compile(r"^version: (.+)$", re.MULTILINE)


def version() -> str:
    """The checkout's, or that of the installed package, from its metadata."""
    try:
        return _LINE.findall(_DECLARED.read_text(encoding="utf-8"))[0]
    except FileNotFoundError:
        return metadata.version("kubeflow-aks")
