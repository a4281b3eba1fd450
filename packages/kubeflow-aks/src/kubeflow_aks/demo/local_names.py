"""Names in the simulated Azure that are not the real stack's: a command copied from there finds nothing in Azure."""

from __future__ import annotations

import json
from typing import Any, Final, cast

from kubeflow_aks.recorder.stack_files import StackConfig

_MARK: Final = "local-"
_LONGEST: Final = {"cluster": 63, "nodeResourceGroup": 80, "resourceGroup": 63}
"""Characters that the program takes at most (`program.planning.rules.given_names`)."""


def local_names(config: StackConfig) -> dict[str, Any]:
    """Settings that mark what commands of `az` name: the cluster, its resource group and that of its nodes.

    The cluster's DNS prefix stays as it is, so that a name which Azure takes is not too long here. A program without
    the setting `names` gets no marks.
    """
    choices = _mapping(config.values.get(f"{config.project}:names", ""))
    if choices is None:
        return {}
    base = f"{config.project}-{config.stack}"
    cluster = choices.get("cluster") or base
    names = {
        "cluster": cluster,
        "nodeResourceGroup": f"{cluster}-nodes",
        "dnsPrefix": cluster,
        **{key: value for key, value in choices.items() if value},
    }
    group = config.values.get(f"{config.project}:resourceGroup")
    if not group:
        names.setdefault("resourceGroup", base)
    marked = {key: _marked(key, value) for key, value in names.items()}
    return {"names": marked, **({"resourceGroup": _marked("resourceGroup", group)} if group else {})}


def _marked(key: str, name: object) -> object:
    if key not in _LONGEST or not isinstance(name, str):
        return name  # the program refuses what is no text
    return f"{_MARK}{name}"[: _LONGEST[key]].rstrip("-._")


def _mapping(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None
