"""The recorded calls of the real provider, and what may differ from them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Json = dict[str, Any]

_FILE = Path(__file__).parent / "data" / "kubernetes-provider-recording.json"

PURE = ("CheckConfig", "DiffConfig", "Configure", "Check", "Diff")
"""Calls whose answer needs no API server."""

ALLOWED_DIFFERENCES = {
    "metadata.uid": "the API server's choice; cut from the recording",
    "metadata.creationTimestamp": "the API server's clock; cut from the recording",
    "metadata.resourceVersion": "the API server's count; cut from the recording",
    "metadata.generation": "cut from the recording",
    "metadata.managedFields": "cut from the recording",
    "__fieldManager": "eight random digits of a create; its form is compared, and an update must keep it",
    "metadata.annotations.kubernetes.io/service-account.uid": "a uid",
    "status": "a ValidatingAdmissionPolicy's: its controller writes it a moment after the create, when nobody waits",
    "data": "the values of a token; their keys are compared",
}
"""What of an object's properties may differ from the recording, and why."""


def calls() -> list[Json]:
    """All recorded calls, in order."""
    return json.loads(_FILE.read_text())["calls"]
