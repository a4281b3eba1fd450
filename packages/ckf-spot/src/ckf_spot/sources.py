"""Where the pool contract is read: a file, or the ConfigMap that the Pulumi program writes into the cluster."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ckf_spot import contract, files, install
from ckf_spot.errors import ABSENT, ContractError, Mistake, PlacementError

ENVIRONMENT: Final = "CKF_SPOT_POOLS"
"""Environment variable with the path of a file, instead of asking the cluster."""
NAMESPACE: Final = "kubeflow-aks"
CONFIG_MAP: Final = "agent-pools"
SAMPLE: Final = Path(__file__).with_name("sample_pools.json")
"""The pools that a stack with the program's defaults has; held to that by tests/program/whole/test_outputs.py."""
NOT_AN_API_SERVER: Final = "the answer is no API server's, but a proxy's or a sign-in page's"
_WITHOUT_CLUSTER: Final = (
    f"name a file: --pools pools.json, in Python Pools.load('pools.json'), or {ENVIRONMENT}=pools.json; an "
    "administrator of the cluster can give you one, and `ckf-spot generate sample-pools -o pools.json` writes one to "
    "try things out"
)


@dataclass(frozen=True)
class Found:
    """A contract as text.

    Attributes:
        origin: where it comes from, for messages.
        kubernetes: release of the cluster that it comes from, such as `v1.34.4`; None: not known.
        backend: release of Kubeflow Pipelines that is beside it; None: it may be in the text.
    """

    text: str
    origin: str
    kubernetes: str | None = None
    backend: str | None = None


def find(source: object) -> Found:
    """The contract's text from a file, or from the cluster.

    Raises:
        ContractError: it can't be read; the text says why and what else to do.
    """
    path = os.environ.get(ENVIRONMENT) or None if source is None else source
    if path is None:
        return _in_cluster()
    if not isinstance(path, str | Path):
        raise ContractError(Mistake("source", path, "expected the path of a file with the pool contract"))
    path = os.path.expanduser(path)  # noqa: PTH111 - a Path fails where there is no home
    try:
        return Found(files.read(path), path)
    except PlacementError as error:
        raise ContractError(*error.mistakes) from None


def _in_cluster() -> Found:
    origin = f"ConfigMap {NAMESPACE}/{CONFIG_MAP}"
    try:
        from kubernetes import client, config  # noqa: PLC0415 - an extra
        from kubernetes.client.exceptions import ApiException  # noqa: PLC0415
        from kubernetes.config.config_exception import ConfigException  # noqa: PLC0415
    except ImportError:
        raise _unread(
            origin,
            "the kubernetes package is missing",
            f"{install.hint('kubernetes')}, or {_WITHOUT_CLUSTER}",
        ) from None
    try:
        configure(config)
        api: Any = client.CoreV1Api()
        config_map = api.read_namespaced_config_map(CONFIG_MAP, NAMESPACE, _request_timeout=10)
    except ConfigException:
        raise _unread(origin, "no cluster is configured") from None
    except ApiException as error:
        raise _unread(origin, f"{error.status} {error.reason}") from None
    except Exception as error:  # noqa: BLE001 - urllib3's many: whatever stands between here and the API server
        reason = " ".join(str(error).split())
        raise _unread(origin, f"the cluster does not answer: {reason}") from None
    if config_map.metadata is None:
        raise _unread(origin, NOT_AN_API_SERVER)
    data = config_map.data or {}
    if contract.KEY not in data:
        raise _unread(
            origin, f"the key {contract.KEY!r} is missing", f"its keys: {', '.join(data) or 'none'}"
        )
    return Found(data[contract.KEY], origin, _release(client), data.get(contract.PIPELINES))


def _release(client: Any) -> str | None:
    """The API server's release; None where it does not say it, as one behind a proxy may not."""
    try:
        release: Any = client.VersionApi().get_code(_request_timeout=10).git_version
    except Exception:  # noqa: BLE001 - urllib3's many, and the client's own
        return None
    return release if isinstance(release, str) and release.startswith("v1.") else None


def _unread(origin: str, problem: str, instead: str = _WITHOUT_CLUSTER) -> ContractError:
    return ContractError(Mistake(origin, ABSENT, instead, problem))


def configure(config: Any) -> None:
    """Points `kubernetes.config` to the cluster that KUBECONFIG or its usual file names, or else to the one around.

    The client's own `load_config` looks at KUBECONFIG once, when it is imported, and prints.

    Raises:
        kubernetes.config.ConfigException: there is none.
    """
    path = kubeconfig()
    if path:
        config.load_kube_config(path)
    else:
        config.load_incluster_config()


def kubeconfig() -> str | None:
    """Path of the kubeconfig; None: there is none, and only the cluster around is left."""
    usual = os.path.expanduser("~/.kube/config")  # noqa: PTH111 - a Path fails where there is no home
    return os.environ.get("KUBECONFIG") or (usual if Path(usual).exists() else None)
