"""API versions that Kubernetes gave up or is about to, in the real provider's words.

Source: provider/pkg/kinds/deprecated.go and provider/pkg/gen/additionalComments.go of pulumi-kubernetes.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from kubeflow_aks.clients.kubernetes.objects import Kind
from kubeflow_aks.local_aks.kubernetes_provider.cluster import Cluster

_FILE: Final = Path(__file__).parent / "data" / "given_up_versions.csv"
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
    known = _given_up().get(kind)
    if known is None or known.removed is None or _release(api) < known.removed:
        return None
    release = "{}.{}".format(*known.removed)
    return (
        f'apiVersion "{kind}" was removed in Kubernetes {release}. Use "{known.replacement or kind}" instead.\n'
        f"See {_CHANGES.format(release)} for more information."
    )


def warning(kind: Kind, api: Cluster) -> str | None:
    """What to warn of: a kind's version that is removed, or has a better one; None for any other."""
    known = _given_up().get(kind)
    if known is None:
        return None
    removed = removal(kind, api)
    if removed or known.replacement is None:
        return removed
    end = (
        " and not supported by Kubernetes v{}.{}+ clusters.".format(*known.removed) if known.removed else "."
    )
    return f"{kind} is deprecated by {known.replacement}{end}"


def _release(api: Cluster) -> tuple[int, int]:
    version = api.read("/version")
    found = re.match(r"v?(\d+)\.(\d+)", str(version.get("gitVersion") or ""))
    return (int(found[1]), int(found[2])) if found else (0, 0)


@cache
def _given_up() -> Mapping[Kind, GivenUp]:
    with _FILE.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        return {
            Kind(row["group"], row["version"], row["kind"]): GivenUp(
                _numbers(row["removed"]), row["replacement"] or None
            )
            for row in rows
        }


def _numbers(release: str) -> tuple[int, int] | None:
    major, _, minor = release.partition(".")
    return (int(major), int(minor)) if minor else None
