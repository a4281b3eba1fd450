"""Deletes everything in a cluster: AKS deletes its control plane, here the control plane goes on and is emptied.

The program's objects are `deletedWith` the cluster, so the engine itself deletes none of them.
"""

import re
import time
from collections.abc import Iterable, Sequence
from typing import Final

from kubeflow_aks.clients.kubernetes.api import ApiServer, Collection
from kubeflow_aks.clients.kubernetes.errors import ApiError, NoSuchKindError
from kubeflow_aks.clients.kubernetes.objects import Object, at, items, name_of, namespace_of

_ITS_OWN: Final = re.compile(
    r"kube-(apiserver|controller-manager|scheduler)|api-priority-and-fairness-config-.*|.*-controller"
    r"|validatingadmissionpolicy-status"
)
"""Field managers of what a control plane makes by itself (Kubernetes 1.34)."""
_SECONDS: Final = 60.0
_POLL_SECONDS: Final = 0.2
_LONGEST_POLL_SECONDS: Final = 2.0


def erase(config: str, seconds: float | None = None) -> list[Object]:
    """Deletes every object that the control plane did not make, and waits until all are gone, 60 s by default.

    `config` is the text or path of an administrator's kubeconfig. A busy API server removes definitions slowly.

    Returns:
        The objects that the control plane made.

    Raises:
        UnreachableError: the API server does not answer.
        TimeoutError: an object has a finalizer that no controller removes.
    """
    api = ApiServer.of(config)
    seconds = _SECONDS if seconds is None else seconds
    deadline = time.monotonic() + seconds
    every = api.deletable()
    while left := made_by_others(objects := api.everything(every)):
        poll = _POLL_SECONDS
        while left:
            if time.monotonic() > deadline:
                names = ", ".join(f"{obj['kind']} {name_of(obj)}" for obj in left)
                raise TimeoutError(f"after {seconds:.0f} s these are still in the deleted cluster: {names}")
            inhabited = {namespace_of(obj) for obj in left}
            for obj in left:
                _delete(api, obj, empty=obj["kind"] == "Namespace" and name_of(obj) not in inhabited)
            time.sleep(poll)
            poll = min(2 * poll, _LONGEST_POLL_SECONDS)
            left = _still_there(api, every, left)
    return objects


def made_by_others(objects: Sequence[Object]) -> list[Object]:
    """Objects with a field that is not the control plane's own, and all in the namespaces among them."""
    others = [obj for obj in objects if not _its_own(obj)]
    namespaces = {name_of(obj) for obj in others if obj["kind"] == "Namespace"}
    return others + [obj for obj in objects if namespace_of(obj) in namespaces and obj not in others]


def _still_there(api: ApiServer, every: Iterable[Collection], objects: Iterable[Object]) -> list[Object]:
    """Those of some objects that still exist; only their kinds are read, for there are dozens of others."""
    kinds = {(obj["apiVersion"], obj["kind"]) for obj in objects}
    uids = {at(obj, "metadata", "uid") for obj in objects}
    present = api.everything(
        collection for collection in every if (collection.api_version, collection.kind) in kinds
    )
    return [obj for obj in present if at(obj, "metadata", "uid") in uids]


def _its_own(obj: Object) -> bool:
    """Whether the control plane made an object; what was applied with nothing but a name has no field manager."""
    managers = [str(at(entry, "manager")) for entry in items(at(obj, "metadata", "managedFields"))]
    if not managers:
        return obj["kind"] == "ServiceAccount" and name_of(obj) == "default"
    return all(map(_ITS_OWN.fullmatch, managers))


def _delete(api: ApiServer, obj: Object, *, empty: bool) -> None:
    """Deletes an object; an empty namespace need not wait the 5 s that the namespace controller waits for others."""
    try:
        if empty and at(obj, "metadata", "deletionTimestamp"):
            api.finalize(name_of(obj))
        else:
            api.delete(obj, "Background", grace_seconds=0)
    except NoSuchKindError:  # its definition is gone, and it with that
        return
    except ApiError as error:
        if not (error.not_found or error.conflict):  # gone by now, or changed since it was read
            raise
