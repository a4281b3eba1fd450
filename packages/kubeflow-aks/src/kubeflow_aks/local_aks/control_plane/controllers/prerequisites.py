"""What a controller needs in the cluster before it starts: its custom resources and its namespace."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any, Final

import yaml

from kubeflow_aks.clients.kubernetes.api import ApiServer
from kubeflow_aks.clients.kubernetes.errors import NoSuchKindError
from kubeflow_aks.clients.kubernetes.objects import Kind, fields, is_object, items
from kubeflow_aks.local_aks.run import processes

NAMESPACE: Final = "kubeflow"
"""Juju's model, in which the charms live."""
MANAGER: Final = "local-aks"
"""Field manager of what is installed."""
_Loader: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""libyaml's where it is there: the training operator's definitions have 3.5 MB, 8 s in Python alone."""
_ESTABLISHED_SECONDS: Final = 30.0
_POLL_SECONDS: Final = 0.1


def custom_resources(api: ApiServer, files: Iterable[Path]) -> None:
    """Creates or updates custom resource definitions, and waits until their kinds are served.

    Raises:
        TimeoutError: a kind is not served.
    """
    definitions: list[dict[str, Any]] = [
        yaml.load(file.read_text(encoding="utf-8"), _Loader)  # noqa: S506 - a safe loader
        for file in files
    ]
    for definition in definitions:
        definition.pop("status", None)
        _drop_descriptions(definition["spec"])
        api.apply(definition, MANAGER, force=True)
    for definition in definitions:
        spec = definition["spec"]
        kind = Kind(spec["group"], spec["versions"][0]["name"], spec["names"]["kind"])
        if not processes.comes_true(partial(_served, api, kind), _ESTABLISHED_SECONDS, _POLL_SECONDS):
            raise TimeoutError(f"{kind} is not served after {_ESTABLISHED_SECONDS:g} s")


def _drop_descriptions(node: Any) -> None:
    """Drops descriptions: half of the text, and half of the API server's time for it."""
    if is_object(node) and isinstance(node.get("description"), str):
        del node["description"]
    for child in fields(node).values():
        _drop_descriptions(child)
    for child in items(node):
        _drop_descriptions(child)


def namespace(api: ApiServer) -> None:
    """Creates Kubeflow's namespace if it is not there."""
    api.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}, MANAGER, force=True)


def _served(api: ApiServer, kind: Kind) -> bool:
    try:
        api.served(kind)
    except NoSuchKindError:
        return False
    return True
