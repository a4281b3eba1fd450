"""Rules of the tags of any resource ("Tags of Azure resources", limitations).

Two keys that differ only in case are no mistake for AKS, which takes the first (use-tags.md, "Limitations").
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kubeflow_aks.local_aks.azure.arm import Json
from kubeflow_aks.local_aks.azure.rules.rule import ResourceRequest, Rule, when
from kubeflow_aks.local_aks.azure.types import STORAGE_ACCOUNT

_MOST: Final = 50
_LONGEST_NAME: Final = 512
_LONGEST_OF_ACCOUNT: Final = 128
"""For storage accounts."""
_LONGEST_VALUE: Final = 256
_FORBIDDEN: Final = frozenset("<>%&\\?/")
_SOURCE: Final = '"Tags of Azure resources"'


def _tags(request: ResourceRequest) -> Json:
    return dict(request.body.get("tags") or {})


def _bad_name(request: ResourceRequest) -> Mapping[str, object] | None:
    longest = _LONGEST_OF_ACCOUNT if request.type == STORAGE_ACCOUNT else _LONGEST_NAME
    for name in _tags(request):
        if not name or len(name) > longest or _FORBIDDEN & set(name):
            return {"name": name, "longest": longest}
    return None


TAG_RULES: Final[tuple[Rule[ResourceRequest], ...]] = (
    Rule(
        id="tags-number",
        code="BadRequest",
        message="The resource has {number} tags; at most {most} are allowed.",
        broken=lambda r: when(len(_tags(r)) > _MOST, number=len(_tags(r)), most=_MOST),
        source=_SOURCE,
    ),
    Rule(
        id="tag-name",
        code="InvalidTagNameCharacters",
        message="The tag name '{name}' is not allowed: it has 1 to {longest} characters and none of < > % & \\ ? /.",
        broken=_bad_name,
        source=f"{_SOURCE}; MicrosoftDocs/azure-docs#5647",
    ),
    Rule(
        id="tag-value",
        code="BadRequest",
        message="The value of tag '{name}' is longer than 256 characters.",
        broken=lambda r: when(
            (name := next((n for n, v in _tags(r).items() if len(str(v)) > _LONGEST_VALUE), None))
            is not None,
            name=name,
        ),
        source=_SOURCE,
    ),
)
