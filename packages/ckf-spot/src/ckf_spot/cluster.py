"""Reads pods, nodes, events and workflows from the API server; it never writes."""

import json
import logging
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

from ckf_spot import install, sources
from ckf_spot.errors import ABSENT, PlacementError, refusal
from ckf_spot.fields import Object, is_map, map_at

_PAGE: Final = 500
_TIMEOUT_SECONDS: Final = 30
_SHOWN: Final = 60
"""Letters of an answer that is no API server's."""
_OWN_NAMESPACE: Final = Path("/var/run/secrets/kubernetes.io/serviceaccount/namespace")
"""Where a pod finds its namespace."""


@dataclass(frozen=True)
class Resource:
    """Objects of a kind, as the API server calls them."""

    group: str
    version: str
    plural: str


WORKFLOWS: Final = Resource("argoproj.io", "v1alpha1", "workflows")


class ForbiddenError(PlacementError):
    """The user has no right to read that."""


class ExpiredError(PlacementError):
    """The API server has forgotten the version that a watch should begin at."""


class NotThereError(PlacementError):
    """There is no such object or kind."""


@dataclass(frozen=True)
class Listed:
    """Objects of a kind.

    Attributes:
        version: from which a watch goes on.
    """

    items: tuple[Object, ...]
    version: str


@dataclass(frozen=True)
class Change:
    """News of a watch: `ADDED`, `MODIFIED` or `DELETED`, and the object as it is or last was."""

    type: str
    object: Object


class Cluster:
    """The cluster that KUBECONFIG or `~/.kube/config` names, or the one around.

    What may not be read raises a `ForbiddenError`, as nodes do for users of a profile; what can't be read, another
    `PlacementError`.

    Attributes:
        instead: what else can be looked at, for messages.
    """

    instead = "a record: --from FILE"

    def __init__(self) -> None:
        """Connects to nothing yet.

        Raises:
            PlacementError: no cluster is configured, or the extra is missing.
        """
        try:
            from kubernetes import client, config  # noqa: PLC0415 - an extra
            from kubernetes.config.config_exception import ConfigException  # noqa: PLC0415
        except ImportError:
            raise PlacementError(f"the kubernetes package is missing: {install.hint('kubernetes')}") from None
        logging.getLogger("urllib3.connectionpool").setLevel(logging.ERROR)  # it would log each retry
        try:
            sources.configure(config)
        except ConfigException as error:
            expected = (
                f"expected the path of a kubeconfig, ~/.kube/config, a pod of the cluster, or {self.instead}"
            )
            raise refusal(
                "KUBECONFIG",
                os.environ.get("KUBECONFIG", ABSENT),
                expected,
                f"configures no cluster: {_line(error).rstrip('.')}",
            ) from None
        except Exception as error:  # noqa: BLE001 - the client lets through what YAML and files raise
            raise refusal(
                "KUBECONFIG", sources.kubeconfig(), "expected a kubeconfig", f"can't be read: {_line(error)}"
            ) from None
        self._config: Any = config
        self._core: Any = client.CoreV1Api()
        self._custom: Any = client.CustomObjectsApi()

    def own_namespace(self) -> str:
        """The namespace of the kubeconfig's context, or of the pod that this runs in."""
        path = sources.kubeconfig()
        if path is None:
            return (
                _OWN_NAMESPACE.read_text(encoding="utf-8").strip() if _OWN_NAMESPACE.exists() else "default"
            )
        _, active = self._config.list_kube_config_contexts(path)
        return active["context"].get("namespace") or "default"

    def pods(self, namespace: str | None) -> Listed:
        """Pods of a namespace, or of all (None); a namespace that is not there is a PlacementError."""
        if namespace is None:
            return self._list("pods of all namespaces", self._core.list_pod_for_all_namespaces)
        listed = self._list(
            f"pods of namespace {namespace!r}", self._core.list_namespaced_pod, namespace=namespace
        )
        if not listed.items:
            self._require(namespace)
        return listed

    def changes_of_pods(self, namespace: str | None, version: str, seconds: int) -> Iterator[Change]:
        """What happens to pods in the coming seconds; an ExpiredError where `version` is too old."""
        call = self._core.list_pod_for_all_namespaces if namespace is None else self._core.list_namespaced_pod
        more = {} if namespace is None else {"namespace": namespace}
        lines = self._call(
            "pods", call, watch=True, resource_version=version, timeout_seconds=seconds,
            allow_watch_bookmarks=True, **more,
        )  # fmt: skip
        try:
            for line in lines:
                event = json.loads(line)
                if event["type"] == "ERROR":
                    raise _refusal("pods", event["object"].get("code"), line)  # noqa: TRY301
                yield Change(event["type"], event["object"])
        except PlacementError:
            raise
        except Exception as error:  # noqa: BLE001 - urllib3's many
            raise PlacementError(f"the cluster does not answer: {_line(error)}") from None
        finally:
            lines.release_conn()

    def nodes(self) -> Listed:
        """All nodes."""
        return self._list("nodes", self._core.list_node)

    def events(self, namespace: str | None) -> tuple[Object, ...]:
        """Events of a namespace, or of all (None); the API server keeps them for an hour."""
        if namespace is None:
            return self._list("events", self._core.list_event_for_all_namespaces).items
        return self._list("events", self._core.list_namespaced_event, namespace=namespace).items

    def objects(self, resource: Resource, namespace: str | None) -> tuple[Object, ...]:
        """Objects of a namespace, or of all (None); none where the cluster does not know the kind."""
        kind, what = asdict(resource), resource.plural
        try:
            if namespace is None:
                return self._list(what, self._custom.list_cluster_custom_object, **kind).items
            kind["namespace"] = namespace
            return self._list(what, self._custom.list_namespaced_custom_object, **kind).items
        except NotThereError:
            return ()

    def _require(self, namespace: str) -> None:
        """Refuses a namespace that does not exist; where that may not be known, it passes."""
        try:
            self._call("namespace", self._core.read_namespace, name=namespace).read()
        except NotThereError:
            expected = f"expected {self._namespaces()}"
            raise refusal("--namespace", namespace, expected, "does not exist") from None
        except ForbiddenError:
            return

    def _namespaces(self) -> str:
        try:
            namespaces = self._list("namespaces", self._core.list_namespace).items
        except PlacementError:
            return "a namespace of the cluster"
        return ", ".join(sorted(namespace["metadata"]["name"] for namespace in namespaces))

    def _list(self, what: str, call: Callable[..., Any], **arguments: Any) -> Listed:
        items: list[Object] = []
        token: str | None = None
        while True:
            page = {"limit": _PAGE} | ({"_continue": token} if token else {})
            answer = self._object(what, call, "items", **arguments, **page)
            items += answer.get("items") or ()
            metadata = map_at(answer, "metadata")
            token = metadata.get("continue")
            if not token:
                return Listed(tuple(items), metadata.get("resourceVersion") or "")

    def _object(self, what: str, call: Callable[..., Any], key: str = "metadata", **arguments: Any) -> Object:
        """The object that the API server answers with; a proxy may answer with a page of its own, without the key."""
        body = self._call(what, call, **arguments).data
        try:
            answer = json.loads(body)
        except ValueError:
            answer = None
        if not is_map(answer) or key not in answer:
            shown = _line(bytes(body[:_SHOWN]).decode(errors="replace"))
            raise PlacementError(f"{what} can't be read: {sources.NOT_AN_API_SERVER}: {shown!r}")
        return answer

    def _call(self, what: str, call: Callable[..., Any], **arguments: Any) -> Any:
        """The answer as it came: the client's models take seconds for thousands of pods, and forget new fields."""
        from kubernetes.client.exceptions import ApiException  # noqa: PLC0415

        try:
            answer = call(**arguments, _preload_content=False, _request_timeout=_TIMEOUT_SECONDS)
            if answer.status < HTTPStatus.BAD_REQUEST:
                return answer
            status, body = answer.status, answer.data  # from release 31 on the client does not raise here
        except ApiException as error:
            status, body = error.status, error.body
        except Exception as error:  # noqa: BLE001 - urllib3's many
            raise PlacementError(f"the cluster does not answer: {_line(error)}") from None
        raise _refusal(what, status, body)


def _refusal(what: str, status: int | None, body: Any) -> PlacementError:
    """The error for an answer of the API server."""
    return _ERRORS.get(status or 0, PlacementError)(f"{what} can't be read: {_message(status, body)}")


_ERRORS: Final[Mapping[int, type[PlacementError]]] = {
    HTTPStatus.FORBIDDEN: ForbiddenError,
    HTTPStatus.NOT_FOUND: NotThereError,
    HTTPStatus.GONE: ExpiredError,
}


def _message(status: int | None, body: Any) -> str:
    """The API server's own words, or the status."""
    try:
        answer = json.loads(body)
        return _line(answer.get("object", answer)["message"])
    except (ValueError, KeyError, TypeError):
        return f"HTTP {status}"


def _line(error: object) -> str:
    return " ".join(str(getattr(error, "reason", None) or error).split())
