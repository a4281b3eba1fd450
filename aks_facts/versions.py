"""Until when AKS supports each Kubernetes minor, and on which of them each Charmed Kubeflow release runs."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from types import MappingProxyType

from aks_facts._table import rows


@dataclass(frozen=True, kw_only=True)
class KubernetesVersion:
    """One Kubernetes minor on AKS, with the last day of each support plan."""

    version: str
    standard_until: date
    lts_until: date


@dataclass(frozen=True, kw_only=True)
class CharmedKubeflowRelease:
    """One Charmed Kubeflow release, the Kubernetes minors it is validated on, and its Juju."""

    release: str
    kubernetes_versions: tuple[str, ...]
    juju_channel: str
    juju_agent_version: str


@cache
def kubernetes_versions() -> Mapping[str, KubernetesVersion]:
    """Every Kubernetes minor of the catalogue, by `major.minor`."""
    versions = (
        KubernetesVersion(
            version=row["version"],
            standard_until=date.fromisoformat(row["standard_until"]),
            lts_until=date.fromisoformat(row["lts_until"]),
        )
        for row in rows("kubernetes_versions")
    )
    return MappingProxyType({version.version: version for version in versions})


@cache
def charmed_kubeflow_releases() -> Mapping[str, CharmedKubeflowRelease]:
    """Every Charmed Kubeflow release of the catalogue, by name."""
    releases = (
        CharmedKubeflowRelease(
            release=row["release"],
            kubernetes_versions=tuple(row["kubernetes_versions"].split()),
            juju_channel=row["juju_channel"],
            juju_agent_version=row["juju_agent_version"],
        )
        for row in rows("charmed_kubeflow_releases")
    )
    return MappingProxyType({release.release: release for release in releases})


def kubernetes_version(version: str) -> KubernetesVersion:
    """The Kubernetes minor of that name.

    Raises:
        KeyError: the catalogue does not know the minor.
    """
    return kubernetes_versions()[version]
