"""What the compiler and the driver of Kubeflow Pipelines 2.15 wrote; the file itself says how it was made."""

from __future__ import annotations

import json
from typing import Any, Final

from kubeflow_aks.project import PROJECT_ROOT

RECORDED: Final[dict[str, dict[str, Any]]] = json.loads(
    (PROJECT_ROOT / "packages/ckf-spot/tests/pipelines/data/kfp-2.15-recording.json").read_text(
        encoding="utf-8"
    )
)["pipelines"]
"""Pipelines by name."""
EXAMPLES: Final = tuple(name for name, recording in RECORDED.items() if "workflow" in recording)
"""Those whose workflow is there: the package's examples."""
