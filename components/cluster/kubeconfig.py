"""Reading and changing a kubeconfig: the API server's address, and how kubelogin signs in."""

import base64
from dataclasses import dataclass
from typing import Any

import yaml

_SERVER_ID = "--server-id"


@dataclass(frozen=True)
class ApiEndpoint:
    """Address of an API server and the certificate authority it proves itself with."""

    server: str
    """URL."""
    ca_certificate: str
    """PEM text."""


def api_endpoint(kubeconfig: str) -> ApiEndpoint:
    """The API server of a kubeconfig's first cluster."""
    cluster: dict[str, Any] = yaml.safe_load(kubeconfig)["clusters"][0]["cluster"]
    authority = base64.b64decode(cluster.get("certificate-authority-data", "")).decode()
    return ApiEndpoint(cluster["server"], authority)


def with_kubelogin_mode(kubeconfig: str, mode: str) -> str:
    """The kubeconfig with kubelogin signing in by `mode` instead of a device code.

    Does what `kubelogin convert-kubeconfig --login <mode>` does for modes that take the rest from the environment
    (Azure/kubelogin, docs/book/src/cli/convert-kubeconfig.md). Users without an exec plugin stay as they are.
    """
    config: dict[str, Any] = yaml.safe_load(kubeconfig)
    for user in config.get("users", []):
        plugin = user["user"].get("exec")
        if plugin and _SERVER_ID in plugin.get("args", []):
            server_id = plugin["args"][plugin["args"].index(_SERVER_ID) + 1]
            plugin["args"] = ["get-token", "--login", mode, _SERVER_ID, server_id]
    return yaml.safe_dump(config, sort_keys=False)
