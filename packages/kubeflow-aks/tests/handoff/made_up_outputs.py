"""Outputs of a stack as the program makes them, with a certificate and a token that look like real ones."""

from __future__ import annotations

import copy
import json
from functools import cache
from typing import Any

from kubeflow_aks.deployed.outputs import Outputs, parse
from kubeflow_aks.recorder.run import record

CERTIFICATE = "-----BEGIN CERTIFICATE-----\nMIIBkTCB+wIJAKHBfpE=\n-----END CERTIFICATE-----\n"
TOKEN = "eyJhbGciOi.J1bmRlcnN0b29k.hush-hush_Zz09"  # noqa: S105 - of nobody


@cache
def _recorded() -> dict[str, Any]:
    # Through JSON, as the engine writes them.
    return json.loads(json.dumps(dict(record("dev").outputs)))


def values(**changed: Any) -> dict[str, Any]:
    """The outputs of the stack dev; `changed` takes the place of theirs."""
    recorded_values = copy.deepcopy(_recorded())
    return {**recorded_values, "jujuCaCertificate": CERTIFICATE, "jujuToken": TOKEN, **changed}


def with_basis(**changed: Any) -> dict[str, Any]:
    """The same, with other values in `clusterBasis`, key by key."""
    basis = values()["clusterBasis"]
    merged: dict[str, Any] = {
        key: {**basis[key], **value} if isinstance(value, dict) else value for key, value in changed.items()
    }
    return values(clusterBasis={**basis, **merged})


def with_options(**changed: Any) -> dict[str, Any]:
    """The same, with other options of Charmed Kubeflow."""
    options = values()["clusterBasis"]["kubeflow"]["options"]
    return with_basis(kubeflow={"options": {**options, **changed}})


def outputs(raw_outputs: dict[str, Any] | None = None) -> Outputs:
    return parse("dev", json.dumps(raw_outputs if raw_outputs is not None else values()), "outputs.json")
