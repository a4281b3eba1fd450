"""Rules of who can reach the API server and sign in (docs/facts/aks.md#api-server-access).

Pure: planning calls the same without the SDKs. Keys are those of `AksCluster` and of a stack file alike.
"""

from collections.abc import Iterator, Sequence
from ipaddress import IPv4Network
from typing import Final

from ..arguments.mistakes import Mistake
from ..azure.arm_ids import GUID
from ..azure.cidr import public_range_mistakes

RANGES: Final = "apiAccess.authorizedIpRanges"
ONLY_THE_CLUSTER: Final = IPv4Network("0.0.0.0/32")
"""Authorises the address of the cluster's own load balancer and no other (api-server-authorized-ip-ranges.md)."""
_SPELLINGS: Final = {str(ONLY_THE_CLUSTER), str(ONLY_THE_CLUSTER.network_address)}
MAX_RANGES: Final = 200
"""Most ranges of one cluster (same page)."""


def authorized_range_mistakes(
    ranges: Sequence[str] | None, outbound_type: str, *, private: bool
) -> Iterator[Mistake]:
    """Ranges that AKS refuses, or from which nobody can call."""
    allowed, alone = list(ranges or ()), str(ONLY_THE_CLUSTER)
    closed = not _SPELLINGS.isdisjoint(allowed)
    if private and allowed:
        expected = (
            "no ranges while privateCluster is true, because a private API server has no public address"
        )
        yield Mistake(RANGES, allowed, expected)
    yield from public_range_mistakes(
        allowed, key=RANGES, what="a public API server", besides=[ONLY_THE_CLUSTER]
    )
    if closed and len(allowed) > 1:
        yield Mistake(RANGES, allowed, f"{alone} alone, or only the other ranges")
    elif closed and outbound_type != "loadBalancer":
        expected = (
            f"ranges that you call from; {alone} stands for the cluster's load balancer, by which nodes do not go out "
            f"while network.outboundType is {outbound_type}"
        )
        yield Mistake(RANGES, allowed, expected)
    if len(allowed) > MAX_RANGES:
        yield Mistake(RANGES, len(allowed), f"at most {MAX_RANGES} ranges")


def sign_in_mistakes(groups: Sequence[str], *, local_accounts: bool, adopted: bool) -> Iterator[Mistake]:
    """Ids that are none of Entra groups, and a cluster that nobody could sign in to.

    An adopted one keeps its Azure RBAC, by which role assignments give access and no group is needed
    (entra-id-authorization.md).
    """
    for index, text in enumerate(groups):
        if not GUID.fullmatch(text):
            key = f"apiAccess.adminGroupObjectIds[{index}]"
            yield Mistake(key, text, "the object id of an Entra group, a GUID")
    if not (local_accounts or groups or adopted):
        expected = "true, or a group in apiAccess.adminGroupObjectIds; otherwise nobody could sign in"
        yield Mistake("apiAccess.localAccounts", value=False, expected=expected)
