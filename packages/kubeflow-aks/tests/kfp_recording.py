"""What the compiler and the driver of Kubeflow Pipelines 2.16 wrote; the files themselves say how they were made."""

from __future__ import annotations

import json
from typing import Any, Final

from kubeflow_aks.project import PROJECT_ROOT


def _recorded(release: str) -> dict[str, dict[str, Any]]:
    file = PROJECT_ROOT / f"packages/ckf-spot/tests/pipelines/data/kfp-{release}-recording.json"
    return json.loads(file.read_text(encoding="utf-8"))["pipelines"]


RECORDED: Final = {name: recording | _recorded("2.16")[name] for name, recording in _recorded("2.15").items()}
"""Pipelines by name; their compiled documents and the runs of their workflows are in the recording of 2.15."""
EXAMPLES: Final = tuple(name for name, recording in RECORDED.items() if "workflow" in recording)
"""Those whose workflow is there: the package's examples."""
