"""Objects of the Kubernetes and Kubeflow SDKs as plain maps, as the API server wants them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ckf_spot.errors import PlacementError, shown
from ckf_spot.fields import Json, copied, is_map


def plain(found: object) -> Json:
    """A Kubernetes object as a map of its own.

    Args:
        found: a map, which is copied; an object of kubernetes, kubeflow-training or kubeflow-katib, whose classes name
            their fields in `openapi_types`; or one of the Kubeflow Trainer's pydantic models.

    Raises:
        PlacementError: it is none of these.
    """
    if isinstance(found, Mapping):
        if not is_map(found):
            raise PlacementError(f"{shown(found)} is no Kubernetes object; its keys must be texts")
        return copied(found)
    if hasattr(found, "openapi_types"):
        from kubernetes.client import ApiClient  # noqa: PLC0415 - there, since the object's SDK needs it

        client: Any = ApiClient()
        return client.sanitize_for_serialization(found)
    if hasattr(type(found), "model_fields") and hasattr(found, "to_dict"):
        # Not pydantic's own model_dump: it turns a quantity into the wrapper's inner fields (kubeflow-trainer-api 2.3).
        model: Any = found
        return copied(model.to_dict())
    raise PlacementError(
        f"{type(found).__name__!r} is no Kubernetes object; expected a dict, "
        "or an object of kubernetes, kubeflow-training, kubeflow-katib or kubeflow-trainer-api"
    )
