"""Objects of the Kubernetes and Kubeflow SDKs as plain maps, as the API server takes them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from ckf_spot.errors import ABSENT, Mistake, PlacementError
from ckf_spot.fields import Json, is_map


def plain(found: object) -> Json:
    """A Kubernetes object as a map of its own.

    Args:
        found: a map; an object of kubernetes, kubeflow-training or kubeflow-katib, whose classes say in
            `attribute_map` how the API server names their fields; or one of the pydantic models of the Kubeflow SDK.
            Maps may hold such objects, and they each other. The client's own `ApiClient` is not used: from release
            37 on it gives the Kubeflow SDKs' fields their Python names (packages/ckf-spot/tests/sdks/test_sdks.py).

    Raises:
        PlacementError: it is none of these.
    """
    try:
        made = _plain(found)
    except RecursionError:
        raise PlacementError(Mistake("", ABSENT, "", "the object is nested too deeply")) from None
    if is_map(made):
        return dict(made)
    if isinstance(made, Mapping):
        raise PlacementError(Mistake("", made, "its keys must be texts", "is no Kubernetes object"))
    raise PlacementError(
        Mistake(
            "",
            type(found).__name__,
            "expected a dict, or an object of kubernetes, kubeflow-training, kubeflow-katib or kubeflow-trainer-api",
            "is no Kubernetes object",
        )
    )


def _plain(found: Any) -> Any:
    if isinstance(found, Mapping):
        return {key: _plain(value) for key, value in found.items()}
    if isinstance(found, list | tuple):
        return [_plain(value) for value in found]
    if isinstance(found, date):
        return found.isoformat()
    if hasattr(type(found), "openapi_types"):
        given = {name: getattr(found, attribute) for attribute, name in found.attribute_map.items()}
        return {name: _plain(value) for name, value in given.items() if value is not None}
    if hasattr(type(found), "model_fields") and hasattr(found, "to_dict"):
        # Not pydantic's own model_dump: it turns a quantity into the wrapper's inner fields (kubeflow-trainer-api 2.3).
        return _plain(found.to_dict())
    return found
