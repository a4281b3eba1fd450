"""How many pods of a template run at a time."""

from typing import Final

from ckf_spot.fields import Object, is_count, map_at
from ckf_spot.kinds.kind import Path

_COPIES: Final = ("instances", "parallelTrialCount", "parallelism", "replicas")
"""Fields of Jobs, JobSets, training jobs, Ray clusters, Spark applications and experiments that say how many there are
at a time."""


def count(value: Object) -> int:
    """How many a part of a document says that there are of what is in it."""
    counts = [value[key] for key in _COPIES if is_count(value.get(key))]
    if "parallelism" in value and is_count(value.get("completions")):
        counts.append(value["completions"])
    hosts = value.get("numOfHosts")
    return min(counts, default=1) * (hosts if is_count(hosts) else 1)


def count_at(document: Object, path: Path) -> int:
    """How many pods of the template at a path: as often as all the parts say in which it is."""
    pods = 1
    for length in range(len(path) + 1):
        pods *= count(map_at(document, *path[:length]))
    return pods
