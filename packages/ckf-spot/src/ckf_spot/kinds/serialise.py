"""Objects of the Kubernetes and Kubeflow SDKs as plain maps, as the API server takes them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from ckf_spot.errors import ABSENT, refusal
from ckf_spot.fields import Json, is_map


def plain(source: object) -> Json:
    """A Kubernetes object as a map of its own.

    Args:
        source: a map; an object of kubernetes, kubeflow-training or kubeflow-katib, whose classes say in
            `attribute_map` how the API server names their fields; or one of the pydantic models of the Kubeflow SDK.
            Maps may hold such objects, and they each other. The client's own `ApiClient` is not used: from release
            37 on it gives the Kubeflow SDKs' fields their Python names (packages/ckf-spot/tests/sdks/test_sdks.py).

    Raises:
        PlacementError: it is none of these.
    """
    try:
        made = _plain(source)
    except RecursionError:
        raise refusal("", ABSENT, "", "the object is nested too deeply") from None
    if is_map(made):
        return dict(made)
    if isinstance(made, Mapping):
        raise refusal("", made, "its keys must be texts", "is no Kubernetes object")
    raise refusal(
        "",
        type(source).__name__,
        "expected a dict, or an object of kubernetes, kubeflow-training, kubeflow-katib or kubeflow-trainer-api",
        "is no Kubernetes object",
    )


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(value) for key, value in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(value) for value in value]
    if isinstance(value, date):
        return value.isoformat()
    if hasattr(type(value), "openapi_types"):
        fields = {name: getattr(value, attribute) for attribute, name in value.attribute_map.items()}
        return {name: _plain(value) for name, value in fields.items() if value is not None}
    if hasattr(type(value), "model_fields") and hasattr(value, "to_dict"):
        # Not pydantic's own model_dump: it turns a quantity into the wrapper's inner fields (kubeflow-trainer-api 2.3).
        return _plain(value.to_dict())
    return value
