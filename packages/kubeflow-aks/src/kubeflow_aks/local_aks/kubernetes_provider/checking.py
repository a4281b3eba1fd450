"""Inputs as the provider completes them: a name, a namespace, one way of writing (provider.go, `Check`; naming.go)."""

import hashlib
import secrets
from dataclasses import dataclass
from typing import Final

from kubeflow_aks.clients.kubernetes.objects import (
    AUTONAMED,
    REPLACE_UNREADY,
    WAIT_FOR,
    Object,
    annotation,
    at,
    put,
)
from kubeflow_aks.local_aks.kubernetes_provider.errors import ProviderError
from kubeflow_aks.local_aks.kubernetes_provider.pruning import normalized
from kubeflow_aks.local_aks.protocol.wire import UNKNOWN

CREATOR: Final = "pulumi-kubernetes"
"""Owner of the fields of every object that was created and not updated since, whatever its manager is called."""
_SUFFIX_CHARACTERS: Final = 8


@dataclass(frozen=True)
class NameSource:
    """Where the name of an unnamed object comes from.

    Attributes:
        logical: the resource's name in the program.
        seed: the engine's random seed, so that a retried step gives the same name.
        proposed: the name from the stack's autonaming configuration.
        required: autonaming is disabled, so that only a name in the program will do.
    """

    logical: str
    seed: bytes = b""
    proposed: str = ""
    required: bool = False


def completed(
    new: Object, old: Object, *, naming: NameSource, patch: bool, namespace: str, namespaced: bool
) -> Object:
    """The new inputs with everything that the provider adds.

    Args:
        new: inputs of the program; may hold unknowns.
        old: inputs of the last run; empty for a new resource.
        naming: where the name of an unnamed object comes from.
        patch: a `*Patch` resource; it must say the name of what it patches.
        namespace: namespace for objects that name none; empty when there is no cluster to ask.
        namespaced: whether the kind lives in namespaces.

    Raises:
        ProviderError: the inputs can never work.
    """
    for key in (WAIT_FOR, REPLACE_UNREADY):
        if annotation(new, key):
            raise ProviderError(f"the local AKS does not know the annotation {key}")
    result = normalized(new)
    if result.get("metadata") is UNKNOWN:
        return result
    if not at(result, "metadata", "name"):
        if patch:
            raise ProviderError("patch resources require the `.metadata.name` field to be set")
        if at(result, "metadata", "generateName"):
            raise ProviderError(
                "the `.metadata.generateName` field is not supported in Server-Side Apply mode"
            )
        adopted = at(old, "metadata", "name") if annotation(old, AUTONAMED) == "true" else None
        put(result, adopted or _autoname(naming), "metadata", "name")
        put(result, "true", "metadata", "annotations", AUTONAMED)
    if namespaced and namespace and not at(result, "metadata", "namespace"):
        put(result, namespace, "metadata", "namespace")
    return result


def field_manager() -> str:
    """Owner of an object's fields from its first update on, as the real provider names it: with 8 random digits."""
    return f"{CREATOR}-{secrets.token_hex(4)}"


def _autoname(naming: NameSource) -> str:
    if naming.proposed:
        return naming.proposed
    if naming.required:
        raise ProviderError("autonaming is disabled, so `.metadata.name` must be set")
    digest = hashlib.sha256(naming.seed).hexdigest() if naming.seed else secrets.token_hex(_SUFFIX_CHARACTERS)
    return f"{naming.logical}-{digest[:_SUFFIX_CHARACTERS]}"
