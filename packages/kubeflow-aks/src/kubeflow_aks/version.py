"""The version of this repository, which stands in `components/PulumiPlugin.yaml` and nowhere else."""

import re
from importlib import metadata
from pathlib import Path
from typing import Final

_DECLARED: Final = Path(__file__).resolve().parents[4] / "components" / "PulumiPlugin.yaml"
_LINE: Final = re.compile(r"^version: (.+)$", re.MULTILINE)


def version() -> str:
    """The checkout's, or that of the installed package, from its metadata."""
    try:
        return _LINE.findall(_DECLARED.read_text(encoding="utf-8"))[0]
    except FileNotFoundError:
        return metadata.version("kubeflow-aks")
