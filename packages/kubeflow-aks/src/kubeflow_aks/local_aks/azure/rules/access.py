"""Rules of who gets to a cluster: the way to its API server, sign-in, and SSH (docs/facts/aks.md#api-server-access)."""

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from ipaddress import IPv4Network
from typing import Final

import aks_facts
from kubeflow_aks.local_aks.azure import arm
from kubeflow_aks.local_aks.azure.rules.rule import ClusterRequest, Rule, disabled, rules, when

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
    return when(not request.new and bool(request.before(path)) != bool(request.get(path)))


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


ACCESS_RULES: Final[tuple[Rule[ClusterRequest], ...]] = rules(
    {
        "private-authorised-ranges": lambda r: when(
            bool(r.get("apiServerAccessProfile.enablePrivateCluster")) and bool(_ranges(r))
        ),
        "private-cluster-stays": _privacy_changed,
        "server-in-subnet-region": _no_server_in_subnet,
        "authorised-ranges-closed": lambda r: when("0.0.0.0/32" in _ranges(r) and len(_ranges(r)) > 1),
        "authorised-ranges-form": _bad_range,
        "authorised-ranges-number": lambda r: when(len(_ranges(r)) > _MOST_IP_RANGES),
        "local-accounts-need-entra": lambda r: when(
            r.get("disableLocalAccounts") is True and not r.get("aadProfile.managed")
        ),
        "entra-stays": lambda r: disabled(r, "aadProfile.managed"),
        "ssh-key": _bad_key,
        "ssh-user-name": _user_name,
    }
)
