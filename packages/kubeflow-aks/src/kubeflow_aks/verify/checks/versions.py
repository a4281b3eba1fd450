"""Kubernetes is the stack's, validated for Charmed Kubeflow, and supported by AKS, as the nodes' Ubuntu is."""

import re
from collections import Counter
from collections.abc import Iterator
from datetime import date
from typing import Final

from aks_facts.versions import charmed_kubeflow_releases, kubernetes_versions, ubuntu_releases
from kubeflow_aks.deployed.outputs import Outputs
from kubeflow_aks.json_values import at
from kubeflow_aks.text.numbers import counted
from kubeflow_aks.verify.findings import CheckResult, passed, unknown, will_break
from kubeflow_aks.verify.snapshot import ClusterSnapshot, UnknownError, text

_BEHIND: Final = 3
"""Minors that a kubelet may be older than its API server ("Version Skew Policy", "kubelet")."""
_UPGRADE: Final = "see docs/how-to/upgrade-kubernetes.md"


def matches_stack(snapshot: ClusterSnapshot, outputs: Outputs) -> Iterator[CheckResult]:
    """The API server's minor is the stack's."""
    runs, expected = _runs(snapshot), _minor(str(outputs.basis("kubernetes", "version")))
    if runs != expected:
        yield will_break(
            f"the API server runs Kubernetes {_text(runs)}, but the stack says {_text(expected)}",
            f'write kubernetes: {{version: "{_text(runs)}"}} into the stack file',
        )
    else:
        yield passed(
            f"the API server runs Kubernetes {text(snapshot.version.required(), 'gitVersion')}, as the stack says"
        )


def kubelets(snapshot: ClusterSnapshot, _: Outputs) -> Iterator[CheckResult]:
    """No kubelet is newer than the API server, or too old for it."""
    runs, nodes = _runs(snapshot), snapshot.nodes.required()
    minors = Counter(_minor_or_none(text(node, "status", "nodeInfo", "kubeletVersion")) for node in nodes)
    behind = 0
    for minor, count in sorted((minor, count) for minor, count in minors.items() if minor):
        if minor > runs or runs[0] != minor[0] or runs[1] - minor[1] > _BEHIND:
            how = "newer than" if minor > runs else "too old for"
            yield will_break(
                f"{counted(count, 'node')} with Kubernetes {_text(minor)}, {how} the API server's {_text(runs)}",
                _UPGRADE,
            )
        behind += count if minor < runs else 0
    if unreadable := minors[None]:
        yield unknown(f"the kubelet's version is unreadable on {counted(unreadable, 'node')}")
    if not any(minors):
        raise UnknownError("there are no nodes")
    if behind:
        yield passed(
            f"an older Kubernetes, within the version skew, still runs on {counted(behind, 'node')}", _UPGRADE
        )


def validated(snapshot: ClusterSnapshot, outputs: Outputs) -> Iterator[CheckResult]:
    """The release of Charmed Kubeflow was validated on that minor, or the stack accepts that it was not."""
    runs, release = _text(_runs(snapshot)), str(outputs.basis("kubeflow", "release"))
    facts = charmed_kubeflow_releases().get(release)
    if facts is None:
        raise UnknownError(f"the catalogue has no Charmed Kubeflow {release}")
    others = (
        f"Charmed Kubeflow {release} is validated on Kubernetes {', '.join(facts.kubernetes_versions)}, but the "
        f"cluster runs {runs}"
    )
    accepted = at(
        outputs.mapping("clusterBasis"), "kubernetes", "acceptUnvalidated"
    )  # older programs lack it
    if runs not in facts.kubernetes_versions and accepted is True:
        yield passed(f"{others}, which kubernetes.acceptUnvalidated takes")
    elif runs not in facts.kubernetes_versions:
        yield will_break(
            others, "choose a validated release (kubeflow.release); AKS cannot downgrade a minor version"
        )
    else:
        yield passed(f"Charmed Kubeflow {release} is validated on Kubernetes {runs}")


def supported(snapshot: ClusterSnapshot, outputs: Outputs) -> Iterator[CheckResult]:
    """AKS supports that minor under the stack's plan."""
    runs, plan = _text(_runs(snapshot)), outputs.basis("kubernetes", "supportPlan")
    facts = kubernetes_versions().get(runs)
    if facts is None:
        raise UnknownError(f"the catalogue has no Kubernetes {runs}")
    last = facts.lts_until if plan == "AKSLongTermSupport" else facts.standard_until
    yield _until(f"Kubernetes {runs} under the plan {plan}", last, snapshot)


def systems_supported(snapshot: ClusterSnapshot, _: Outputs) -> Iterator[CheckResult]:
    """AKS has node images and security patches for the nodes' Ubuntu."""
    images = Counter(text(node, "status", "nodeInfo", "osImage") for node in snapshot.nodes.required())
    if not images:
        raise UnknownError("there are no nodes")
    releases = Counter[str]()
    for image, count in images.items():
        release = re.match(r"Ubuntu ([0-9]{2}\.[0-9]{2})", image)
        releases[release[1] if release else image] += count
    for release, count in sorted(releases.items()):
        facts, nodes = ubuntu_releases().get(release), counted(count, "node")
        if facts is None:
            yield unknown(f"the catalogue has no end of {release!r}, the system of {nodes}")
        elif facts.until is None:
            yield passed(f"AKS has announced no end of Ubuntu {release}, the system of {nodes}")
        else:
            yield _until(f"Ubuntu {release}, the system of {nodes},", facts.until, snapshot)


def _until(what: str, last: date, snapshot: ClusterSnapshot) -> CheckResult:
    left = (last - snapshot.now.date()).days
    if left < 0:
        return will_break(f"AKS has not supported {what} since {last}", _UPGRADE)
    return passed(f"AKS supports {what} until {last} ({counted(left, 'day')} left)")


Minor = tuple[int, int]


def _runs(snapshot: ClusterSnapshot) -> Minor:
    return _minor(text(snapshot.version.required(), "gitVersion"))


def _minor(version: str) -> Minor:
    """Major and minor of `v1.34.4`, `1.34`.

    Raises:
        UnknownError: it is no version.
    """
    if (minor := _minor_or_none(version)) is None:
        raise UnknownError(f"{version!r} is not a Kubernetes version")
    return minor


def _minor_or_none(version: str) -> Minor | None:
    match = re.match(r"v?([0-9]{1,4})\.([0-9]{1,4})", version)
    return (int(match[1]), int(match[2])) if match else None


def _text(minor: Minor) -> str:
    return f"{minor[0]}.{minor[1]}"
