"""One PUT, as the builders of bodies see it."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from kubeflow_aks.local_aks.azure import arm
from kubeflow_aks.local_aks.azure.arm import Json

_WRITE_ONLY: Final = frozenset({"adminPassword", "secret", "serverAppSecret"})


@dataclass(frozen=True, kw_only=True)
class Put:
    """A PUT that Azure has admitted."""

    id: str
    arm_type: str
    body: Json
    """Properties in wire names, without those that only make up the id."""
    existing: Json | None
    """Body of a GET before it, None for a new resource."""
    get: Callable[[str], Json | None]
    """Body of another resource by its ARM id."""

    @property
    def name(self) -> str:
        """Name of the resource."""
        return arm.name_of(self.id)

    def identifier(self, purpose: str = "") -> str:
        """A GUID that is always the same for one resource and purpose."""
        return str(uuid.uuid5(uuid.NAMESPACE_URL, arm.key(self.id) + purpose))

    def answer(self, **computed: Any) -> Json:
        """The body: what was put without secrets, and on top of it what Azure computes; None leaves a property out."""
        identity = {"id": self.id, "name": self.name, "type": self.arm_type}
        return {
            k: v for k, v in {**without_secrets(self.body), **identity, **computed}.items() if v is not None
        }


def without_secrets(body: Json) -> Json:
    """A body without the properties that ARM takes and never gives back."""
    return {
        k: without_secrets(v) if isinstance(v, dict) else v  # pyright: ignore[reportUnknownArgumentType]
        for k, v in body.items()
        if k not in _WRITE_ONLY
    }


def new_etag() -> str:
    """An entity tag: it changes with every PUT."""
    return str(uuid.uuid4())
