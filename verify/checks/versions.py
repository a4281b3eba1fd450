"""Kubernetes is what the stack says, what Charmed Kubeflow was validated on, and what AKS supports."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from catalogue.versions import charmed_kubeflow_releases, kubernetes_versions
from deployed.outputs import Outputs
from story.formatting import counted
from verify.findings import Told, broken, kept, unseen
from verify.seen import NotSeenError, Seen, text

_BEHIND: Final = 3
"""Minors that a kubelet may be older than its API server ("Version Skew Policy", "kubelet")."""
_UPGRADE: Final = "docs/how-to/upgrade-kubernetes.md says how"


def as_said(seen: Seen, outputs: Outputs) -> Iterator[Told]:
    """The API server's minor is the stack's."""
    runs, said = _runs(seen), _minor(str(outputs.basis("kubernetes", "version")))
    if runs != said:
        yield broken(
            f"the API server runs Kubernetes {_text(runs)}, and the stack says {_text(said)}",
            f'write kubernetes: {{version: "{_text(runs)}"}} into the stack file',
        )
    else:
        yield kept(
            f"the API server runs Kubernetes {text(seen.version.known(), 'gitVersion')}, as the stack says"
        )


def kubelets(seen: Seen, _: Outputs) -> Iterator[Told]:
    """No kubelet is newer than the API server, or too old for it."""
    runs, nodes = _runs(seen), seen.nodes.known()
    minors = Counter(_minor_or_none(text(node, "status", "nodeInfo", "kubeletVersion")) for node in nodes)
    behind = 0
    for minor, count in sorted((minor, count) for minor, count in minors.items() if minor):
        if minor > runs or runs[0] != minor[0] or runs[1] - minor[1] > _BEHIND:
            how = "newer than" if minor > runs else "too old for"
            yield broken(
                f"{counted(count, 'node')} with Kubernetes {_text(minor)}, {how} the API server's {_text(runs)}",
                _UPGRADE,
            )
        behind += count if minor < runs else 0
    if unknown := minors[None]:
        yield unseen(f"which Kubernetes runs can't be seen on {counted(unknown, 'node')}")
    if not any(minors):
        raise NotSeenError("there is no node")
    if behind:
        yield kept(
            f"an older Kubernetes, which is allowed, still runs on {counted(behind, 'node')}",
            _UPGRADE,
        )


def validated(seen: Seen, outputs: Outputs) -> Iterator[Told]:
    """The release of Charmed Kubeflow was validated on that minor."""
    runs, release = _text(_runs(seen)), str(outputs.basis("kubeflow", "release"))
    known = charmed_kubeflow_releases().get(release)
    if known is None:
        raise NotSeenError(f"the catalogue has no Charmed Kubeflow {release}")
    if runs not in known.kubernetes_versions:
        yield broken(
            f"Charmed Kubeflow {release} is validated on Kubernetes {', '.join(known.kubernetes_versions)}, and the "
            f"cluster runs {runs}",
            "use a release that is, kubeflow.release; AKS takes no minor back",
        )
    else:
        yield kept(f"Charmed Kubeflow {release} is validated on Kubernetes {runs}")


def supported(seen: Seen, outputs: Outputs) -> Iterator[Told]:
    """AKS supports that minor under the stack's plan."""
    runs, plan = _text(_runs(seen)), outputs.basis("kubernetes", "supportPlan")
    known = kubernetes_versions().get(runs)
    if known is None:
        raise NotSeenError(f"the catalogue has no Kubernetes {runs}")
    last = known.lts_until if plan == "AKSLongTermSupport" else known.standard_until
    left = (last - seen.now.date()).days
    if left < 0:
        yield broken(f"AKS has not supported Kubernetes {runs} under the plan {plan} since {last}", _UPGRADE)
    else:
        yield kept(
            f"AKS supports Kubernetes {runs} under the plan {plan} until {last} ({counted(left, 'day')} left)"
        )


Minor = tuple[int, int]


def _runs(seen: Seen) -> Minor:
    return _minor(text(seen.version.known(), "gitVersion"))


def _minor(version: str) -> Minor:
    """Major and minor of `v1.34.4`, `1.34`.

    Raises:
        NotSeenError: it is no version.
    """
    if (minor := _minor_or_none(version)) is None:
        raise NotSeenError(f"{version!r} is no version of Kubernetes")
    return minor


def _minor_or_none(version: str) -> Minor | None:
    found = re.match(r"v?([0-9]{1,4})\.([0-9]{1,4})", version)
    return (int(found[1]), int(found[2])) if found else None


def _text(minor: Minor) -> str:
    return f"{minor[0]}.{minor[1]}"
