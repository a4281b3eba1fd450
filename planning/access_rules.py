"""Who can reach the API server and sign in (docs/facts/aks.md#api-server-access)."""

import re
from collections.abc import Iterator

from planning.cidr import ipv4_range
from settings import Problem, Settings

_GUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


def access_problems(settings: Settings) -> Iterator[Problem]:
    """Settings of the API server that AKS would refuse or with which nobody could sign in."""
    access = settings.api_access
    if access.private_cluster and access.authorized_ip_ranges:
        yield Problem(
            "apiAccess.authorizedIpRanges",
            list(access.authorized_ip_ranges),
            "no ranges while privateCluster is true, because a private API server has no public address",
        )
    for index, text in enumerate(access.authorized_ip_ranges):
        try:
            ipv4_range(text)
        except ValueError:
            yield Problem(
                f"apiAccess.authorizedIpRanges[{index}]", text, "an IPv4 range in CIDR form without host bits"
            )
    for index, text in enumerate(access.admin_group_object_ids):
        if not _GUID.fullmatch(text):
            yield Problem(
                f"apiAccess.adminGroupObjectIds[{index}]", text, "the object id of an Entra group, a GUID"
            )
    if not access.local_accounts and not access.admin_group_object_ids:
        yield Problem(
            "apiAccess.localAccounts",
            value=False,
            allowed="true, or a group in apiAccess.adminGroupObjectIds; otherwise nobody could sign in",
        )
