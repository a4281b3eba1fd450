"""Until when AKS supports each Kubernetes minor and each Ubuntu, and where each Charmed Kubeflow release runs."""

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
class Charm:
    """One charm of a release."""

    channel: str
    revision: int | None
    """None where Canonical has published none."""


@dataclass(frozen=True, kw_only=True)
class CharmedKubeflowRelease:
    """One Charmed Kubeflow release, the Kubernetes minors it is validated on, and its Juju."""

    release: str
    kubernetes_versions: tuple[str, ...]
    juju_channel: str
    juju_agent_version: str
    pipelines: str
    """Backend of Kubeflow Pipelines, `major.minor`."""
    layout: str
    """Folder of Canonical's Terraform that deploys it, such as `terraform/products/kubeflow`; empty where `deploy/` has
    no root for it."""
    commit: str
    """Commit of that Terraform."""
    juju_provider: str
    """Version of the provider juju/juju that goes with it."""
    charms: Mapping[str, Charm]
    """By name, in the order in which Canonical refreshes them; empty where they are not in the catalogue."""

    @property
    def root(self) -> str:
        """Name of the folder in `deploy/` that calls that Terraform; empty where there is none."""
        return "-".join(self.layout.split("/")[-2:])


@dataclass(frozen=True, kw_only=True)
class KubeflowOption:
    """One option of Charmed Kubeflow, with what it needs of others.

    Attributes:
        option: path below `kubeflow.options`, or a whole one; of a list with its entry, of a choice with `=` and value.
        variables: of Canonical's Terraform that it sets.
        on: whether the module has it by default.
        applications: number that it adds to the default deployment.
        needs: options that must be there beside it.
        excludes: options that must not be.
        because: why, after "because".
    """

    option: str
    variables: tuple[str, ...]
    on: bool
    applications: int
    needs: tuple[str, ...]
    excludes: tuple[str, ...]
    because: str


@dataclass(frozen=True, kw_only=True)
class UbuntuRelease:
    """One release of Ubuntu on AKS's nodes, Kubernetes minors as the number after `1.`."""

    release: str
    os_sku: str
    """OS SKU that names it."""
    first: int
    """First minor in which AKS takes that OS SKU."""
    last: int
    default_from: int
    """First minor in which the OS SKU `Ubuntu` is this release, until the next one's."""
    until: date | None
    """Last day with new pools, node images and security patches; None where no end is announced."""


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
    """Every Charmed Kubeflow release of the catalogue, by name, the newest last."""
    charms = rows("charmed_kubeflow_charms")
    releases = (
        CharmedKubeflowRelease(
            release=row["release"],
            kubernetes_versions=tuple(row["kubernetes_versions"].split()),
            juju_channel=row["juju_channel"],
            juju_agent_version=row["juju_agent_version"],
            pipelines=row["pipelines"],
            layout=row["layout"],
            commit=row["commit"],
            juju_provider=row["juju_provider"],
            charms={
                charm["charm"]: Charm(
                    channel=charm["channel"], revision=int(charm["revision"]) if charm["revision"] else None
                )
                for charm in charms
                if charm["release"] == row["release"]
            },
        )
        for row in rows("charmed_kubeflow_releases")
    )
    return MappingProxyType({release.release: release for release in releases})


@cache
def kubeflow_options() -> Mapping[str, KubeflowOption]:
    """Every option of the catalogue, by its path."""
    options = (
        KubeflowOption(
            option=row["option"],
            variables=tuple(row["variables"].split()),
            on=row["on"] == "yes",
            applications=int(row["applications"]),
            needs=tuple(row["needs"].split()),
            excludes=tuple(row["excludes"].split()),
            because=row["because"],
        )
        for row in rows("kubeflow_options")
    )
    return MappingProxyType({option.option: option for option in options})


@cache
def ubuntu_releases() -> Mapping[str, UbuntuRelease]:
    """Every release of the catalogue, oldest first, by `year.month`."""
    releases = (
        UbuntuRelease(
            release=row["release"],
            os_sku=row["os_sku"],
            first=minor(row["first"]),
            last=minor(row["last"]),
            default_from=minor(row["default_from"]),
            until=date.fromisoformat(row["until"]) if row["until"] else None,
        )
        for row in rows("ubuntu_releases")
    )
    return MappingProxyType({release.release: release for release in releases})


def ubuntu(os_sku: str, version: str) -> UbuntuRelease | None:
    """The release that nodes of an OS SKU run; None on a Kubernetes older than the catalogue's.

    Args:
        os_sku: `Ubuntu`, or one that names a release.
        version: Kubernetes, `major.minor` or longer.
    """
    releases = ubuntu_releases().values()
    by_sku = {release.os_sku: release for release in releases}
    defaults = [release for release in releases if release.default_from <= minor(version)]
    return by_sku.get(os_sku) or (defaults[-1] if defaults else None)


def minor(version: str) -> int:
    """The number after `1.` of a Kubernetes version."""
    return int(version.split(".")[1])


def kubernetes_version(version: str) -> KubernetesVersion:
    """The Kubernetes minor of that name.

    Raises:
        KeyError: the catalogue does not know the minor.
    """
    return kubernetes_versions()[version]
