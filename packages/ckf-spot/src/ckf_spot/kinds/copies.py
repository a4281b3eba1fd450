"""How many pods of one template run at a time."""

from typing import Final

from ckf_spot.fields import Object, is_count, map_at
from ckf_spot.kinds.kind import Path

_COPIES: Final = ("instances", "parallelTrialCount", "parallelism", "replicas")
"""Fields of Jobs, JobSets, training jobs, Ray clusters, Spark applications and experiments that say how many there are
at a time."""


def count(document: Object, path: Path) -> int:
    """As many as all the parts of a document say in which a template is; `path` is the template's."""
    total = 1
    for length in range(len(path) + 1):
        total *= copies(map_at(document, *path[:length]))
    return total


def copies(part: Object) -> int:
    """As many as one part says."""
    counts = [part[key] for key in _COPIES if is_count(part.get(key))]
    if "parallelism" in part and is_count(part.get("completions")):
        counts.append(part["completions"])
    hosts = part.get("numOfHosts")
    return min(counts, default=1) * (hosts if isinstance(hosts, int) and is_count(hosts) else 1)
