"""API versions that Kubernetes gave up or is about to, in the real provider's words.

Source: provider/pkg/kinds/deprecated.go and provider/pkg/gen/additionalComments.go of pulumi-kubernetes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from kubeflow_aks.clients.kubernetes.objects import Kind
from kubeflow_aks.local_aks.kubernetes_provider import data
from kubeflow_aks.local_aks.kubernetes_provider.cluster import Cluster

_CHANGES: Final = "https://git.k8s.io/kubernetes/CHANGELOG/CHANGELOG-{}.md#deprecation"


@dataclass(frozen=True)
class GivenUp:
    """A kind's version that Kubernetes gave up or will.

    Attributes:
        removed: release that no longer serves it, such as (1, 25); None when none is named yet.
        replacement: `group/version/Kind` to use instead; None when there is none.
    """

    removed: tuple[int, int] | None
    replacement: str | None


def removal(kind: Kind, api: Cluster) -> str | None:
    """What to say of a kind that the API server's release no longer serves; None for any other."""
    given_up = _given_up().get(kind)
    if given_up is None or given_up.removed is None or _release(api) < given_up.removed:
        return None
    release = "{}.{}".format(*given_up.removed)
    return (
        f'apiVersion "{kind}" was removed in Kubernetes {release}. Use "{given_up.replacement or kind}" instead.\n'
        f"See {_CHANGES.format(release)} for more information."
    )


def warning(kind: Kind, api: Cluster) -> str | None:
    """What to warn of: a kind's version that is removed, or has a better one; None for any other."""
    given_up = _given_up().get(kind)
    if given_up is None:
        return None
    removed = removal(kind, api)
    if removed or given_up.replacement is None:
        return removed
    end = (
        " and not supported by Kubernetes v{}.{}+ clusters.".format(*given_up.removed)
        if given_up.removed
        else "."
    )
    return f"{kind} is deprecated by {given_up.replacement}{end}"


def _release(api: Cluster) -> tuple[int, int]:
    version = api.read("/version")
    numbers = re.match(r"v?(\d+)\.(\d+)", str(version.get("gitVersion") or ""))
    return (int(numbers[1]), int(numbers[2])) if numbers else (0, 0)


@cache
def _given_up() -> Mapping[Kind, GivenUp]:
    return {
        Kind(row["group"], row["version"], row["kind"]): GivenUp(
            _numbers(row["removed"]), row["replacement"] or None
        )
        for row in data.rows("given_up_versions.csv")
    }


def _numbers(release: str) -> tuple[int, int] | None:
    major, _, minor = release.partition(".")
    return (int(major), int(minor)) if minor else None
