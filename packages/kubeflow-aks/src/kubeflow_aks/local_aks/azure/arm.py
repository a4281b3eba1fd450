"""What Azure Resource Manager (ARM) speaks in: JSON bodies, resource ids and errors."""

import re
from collections.abc import Mapping
from typing import Any, Final

from kubeflow_aks import json_values

Json = dict[str, Any]
"""A body on the wire: camelCase names to plain JSON values."""

TENANT: Final = "00000000-0000-0000-0000-00000000aad0"
"""Id of the simulated tenant."""

_GROUP_ID: Final = re.compile(r"/subscriptions/[^/]+/resourceGroups/[^/]+", re.IGNORECASE)
_PROVIDER: Final = re.compile(r".*/providers/([^/]+)/(.+)$", re.IGNORECASE)


class ArmError(Exception):
    """An answer of ARM that is not a success.

    Its text is what azure-native prints (pulumi-azure-native `client_azcore.go`, `PulumiAzcoreResponseError`).
    """

    def __init__(self, status: int, code: str, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.status = status
        """HTTP status."""
        self.code = code
        self.message = message
        self.retry_after = retry_after
        """Seconds of the Retry-After header, or None without one."""

    def __str__(self) -> str:
        return f'Status={self.status} Code="{self.code}" Message="{self.message}"'


def not_found(arm_id: str) -> ArmError:
    """The answer to a request about a resource that does not exist (Azure/azure-cli#18625)."""
    group = name_of(group_id_of(arm_id) or "")
    resource = f"{provider_type_of(arm_id)}/{name_of(arm_id)}"
    return ArmError(
        404,
        "ResourceNotFound",
        f"The Resource '{resource}' under resource group '{group}' was not found. For more details please go to "
        "https://aka.ms/ARMResourceNotFoundFix",
    )


def normal_location(location: str) -> str:
    """The form in which two spellings of a region are equal: `West Europe` is `westeurope`."""
    return location.replace(" ", "").lower()


def key(arm_id: str) -> str:
    """The form in which two ids of one resource are equal: ARM ids ignore case."""
    return arm_id.casefold().rstrip("/")


def name_of(arm_id: str) -> str:
    """The last segment of an id."""
    return arm_id.rsplit("/", 1)[-1]


def group_id_of(arm_id: str) -> str | None:
    """The id of the resource group an id lies in or is, None for an id above resource groups."""
    match = _GROUP_ID.match(arm_id)
    return match.group() if match else None


def parent_id_of(arm_id: str) -> str | None:
    """The id of the resource that a nested resource (`…/managedClusters/c/agentPools/p`) belongs to."""
    match = _PROVIDER.match(arm_id)
    return arm_id.rsplit("/", 2)[0] if match and match.group(2).count("/") > 1 else None


def provider_type_of(arm_id: str) -> str:
    """The ARM type of an id, e.g. `Microsoft.ContainerService/managedClusters/agentPools`."""
    match = _PROVIDER.match(arm_id)
    if not match:
        return "Microsoft.Resources/resourceGroups"
    return "/".join([match.group(1), *match.group(2).split("/")[::2]])


def within(arm_id: str, ancestor: str) -> bool:
    """Whether a resource lies below another one."""
    return key(arm_id).startswith(key(ancestor) + "/")


def at(body: Mapping[str, Any], path: str) -> Any:
    """The value at a dotted path of a body, None where the path ends early."""
    return json_values.at(body, *path.split("."))


def listed(body: Mapping[str, Any], path: str) -> list[Any]:
    """The list at a dotted path, empty where there is none."""
    return list(at(body, path) or [])


def section(body: Mapping[str, Any], path: str) -> Json:
    """The object at a dotted path, empty where there is none."""
    return dict(at(body, path) or {})
