"""Who reaches the API server."""

from typing import Any

import pytest

from planning.access_rules import access_problems
from tests.planning.given import refused, settings

GROUP = "11111111-2222-3333-4444-555555555555"


def found(**access: Any) -> list[str]:
    return refused(access_problems(settings(apiAccess=access)))


def test_the_defaults_are_fine() -> None:
    assert found() == []


def test_authorised_ranges_exclude_a_private_cluster() -> None:
    ranges = ["203.0.113.0/24"]
    assert found(authorizedIpRanges=ranges) == []
    assert found(privateCluster=True) == []
    assert found(authorizedIpRanges=ranges, privateCluster=True) == ["apiAccess.authorizedIpRanges"]


@pytest.mark.parametrize("text", ["203.0.113.1/24", "203.0.113.5", "all", "2001:db8::/32"])
def test_an_authorised_range_is_ipv4_in_cidr_form_without_host_bits(text: str) -> None:
    assert found(authorizedIpRanges=["198.51.100.7/32", text]) == ["apiAccess.authorizedIpRanges[1]"]


def test_local_accounts_off_requires_an_entra_group() -> None:
    assert found(localAccounts=False) == ["apiAccess.localAccounts"]
    assert found(localAccounts=False, adminGroupObjectIds=[GROUP]) == []


@pytest.mark.parametrize("text", ["", "admins", GROUP[:-1], GROUP + "0", GROUP.replace("-", "")])
def test_an_entra_group_is_a_guid(text: str) -> None:
    assert found(adminGroupObjectIds=[text]) == ["apiAccess.adminGroupObjectIds[0]"]
