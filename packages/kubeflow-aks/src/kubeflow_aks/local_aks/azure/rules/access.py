"""Rules of who gets to a cluster: the way to its API server, sign-in, and SSH (docs/facts/aks.md#api-server-access)."""

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from ipaddress import IPv4Network
from typing import Final

import aks_facts
from kubeflow_aks.local_aks.azure import arm
from kubeflow_aks.local_aks.azure.rules.rule import ClusterRequest, Rule, disabled, invalid, when

_MOST_IP_RANGES: Final = 200
_SHORTEST_RSA_KEY: Final = 2048
_LENGTH_BYTES: Final = 4
_FORBIDDEN_USERS: Final = re.compile(
    r"1|123|a|actuser|adm|admin[12]?|administrator|aspnet|backup|console|david|guest|john|owner|root|server|sql"
    r"|support|support_388945a0|sys|test[123]?|user[1-5]?",
    re.IGNORECASE,
)
_LONGEST_USER_NAME: Final = 64


def _privacy_changed(request: ClusterRequest) -> Mapping[str, object] | None:
    path = "apiServerAccessProfile.enablePrivateCluster"
    return when(not request.new and bool(request.had(path)) != bool(request.get(path)))


def _ranges(request: ClusterRequest) -> list[str]:
    return arm.listed(request.body, "apiServerAccessProfile.authorizedIPRanges")


def _bad_range(request: ClusterRequest) -> Mapping[str, object] | None:
    for text in _ranges(request):
        try:
            IPv4Network(text, strict=False)
        except ValueError:
            return {"range": text}
    return None


def _user_name(request: ClusterRequest) -> Mapping[str, object] | None:
    name = str(request.get("linuxProfile.adminUsername") or "azureuser")
    return when(bool(_FORBIDDEN_USERS.fullmatch(name)) or len(name) > _LONGEST_USER_NAME, name=name)


def _bad_key(request: ClusterRequest) -> Mapping[str, object] | None:
    keys = arm.listed(request.body, "linuxProfile.ssh.publicKeys")
    return when(any(not _usable(str(key.get("keyData"))) for key in keys))


def _usable(public_key: str) -> bool:
    """Whether Azure takes a key in OpenSSH's form; here ed25519 too, which AKS may still refuse (Azure/AKS#4431)."""
    kind, _, rest = public_key.strip().partition(" ")
    try:
        parts = list(_parts(base64.b64decode(rest.split(" ")[0], validate=True)))
    except binascii.Error:
        return False
    match [part for part in parts if part is not None]:
        case [named, _, modulus] if named == b"ssh-rsa" == kind.encode():
            return int.from_bytes(modulus, "big").bit_length() >= _SHORTEST_RSA_KEY
        case [named, _]:
            return named == b"ssh-ed25519" == kind.encode()
        case _:
            return False


def _parts(blob: bytes) -> Iterator[bytes | None]:
    """The fields of a key's binary form, each after its length; None for one that is cut off."""
    while blob:
        end = _LENGTH_BYTES + int.from_bytes(blob[:_LENGTH_BYTES], "big")
        yield blob[_LENGTH_BYTES:end] if end <= len(blob) else None
        blob = blob[end:]


def _no_server_in_subnet(request: ClusterRequest) -> Mapping[str, object] | None:
    region = aks_facts.region(arm.normal_location(str(request.get("location"))))
    in_subnet = request.get("apiServerAccessProfile.enableVnetIntegration")
    return when(bool(in_subnet and region and not region.server_in_subnet), region=request.get("location"))


ACCESS_RULES: Final[tuple[Rule[ClusterRequest], ...]] = (
    Rule(
        id="private-authorised-ranges",
        message="Private cluster cannot be enabled with AuthorizedIPRanges.",
        broken=lambda r: when(
            bool(r.get("apiServerAccessProfile.enablePrivateCluster")) and bool(_ranges(r))
        ),
        quotes="aquasecurity/tfsec#571",
    ),
    Rule(
        id="private-cluster-stays",
        code="BadRequest",
        message="There's no support for converting existing AKS clusters into private clusters, nor back.",
        broken=_privacy_changed,
        source='private-clusters.md, "Limitations", cited in Azure/AKS#4131',
    ),
    Rule(
        id="server-in-subnet-region",
        message=invalid("apiServerAccessProfile.enableVnetIntegration", "It is not available in {region}."),
        broken=_no_server_in_subnet,
        source='api-server-vnet-integration.md, "Availability"',
    ),
    Rule(
        id="authorised-ranges-closed",
        message="Setting apiServerAuthorizedIPRange to 0.0.0.0/32 is not allowed with other IP ranges. "
        "Refer to https://aka.ms/aks/auth-ip-ranges for more details",
        broken=lambda r: when("0.0.0.0/32" in _ranges(r) and len(_ranges(r)) > 1),
        quotes="Azure/terraform-azurerm-aks#378",
    ),
    Rule(
        id="authorised-ranges-form",
        message=invalid("apiServerAccessProfile.authorizedIPRanges", "'{range}' is no IPv4 address or CIDR."),
        broken=_bad_range,
        source="api-server-authorized-ip-ranges.md; IPv4 only: Azure/azure-cli-extensions#675",
    ),
    Rule(
        id="authorised-ranges-number",
        message=invalid("apiServerAccessProfile.authorizedIPRanges", "At most 200 ranges are allowed."),
        broken=lambda r: when(len(_ranges(r)) > _MOST_IP_RANGES),
        source="api-server-authorized-ip-ranges.md (docs/facts/aks.md#api-server-access)",
    ),
    Rule(
        id="local-accounts-need-entra",
        code="BadRequest",
        message="Since kubernetes version 1.25, disableLocalAccounts can only be set on Azure AD integration enabled "
        "cluster. Please integrate your cluster with AAD.",
        broken=lambda r: when(r.get("disableLocalAccounts") is True and not r.get("aadProfile.managed")),
        quotes="cilium/cilium#48265",
    ),
    Rule(
        id="entra-stays",
        code="BadRequest",
        message="Microsoft Entra integration cannot be disabled once it is enabled.",
        broken=lambda r: disabled(r, "aadProfile.managed"),
        source="enable-authentication-microsoft-entra-id.md (docs/facts/aks.md#api-server-access)",
    ),
    Rule(
        id="ssh-key",
        message="The value of parameter linuxProfile.ssh.publicKeys.keyData is invalid. Please see "
        "https://aka.ms/aks-naming-rules for more details.",
        broken=_bad_key,
        quotes="Azure/AKS#4431, Azure/AKS#1172; RSA of 2,048 bits and more: MicrosoftDocs/azure-docs#112770",
    ),
    Rule(
        id="ssh-user-name",
        message=invalid(
            "linuxProfile.adminUsername", "'{name}' is not allowed or longer than 64 characters."
        ),
        broken=_user_name,
        source="Azure/vm-scale-sets#83: AKS checks the names of the API of scale sets",
    ),
)
