"""Claims of volumes that one node at a time can mount, in work whose pods run on several nodes, or move."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from ckf_spot.fields import Object

_SHARED: Final = frozenset({"ReadWriteMany", "ReadOnlyMany"})
"""Access modes with which pods on several nodes mount a volume (Kubernetes, "Persistent Volumes")."""
_MOUNTED_ANYWHERE: Final = re.compile(r"checkpoints|azure(file|blob).*")
"""Storage classes whose volumes are mounted over the network, and attached to no node (concepts-storage.md)."""
_WAY: Final = "take the storage class checkpoints with ReadWriteMany, whose volumes any number of nodes mount"


@dataclass(frozen=True)
class Mount:
    """Pods that mount a claim.

    Attributes:
        claim: its name.
        role: theirs.
        count: how many run at a time.
        in_turn: whether others that mount it run before or after them, and not beside them.
    """

    claim: str
    role: str
    count: int
    in_turn: bool = False


def doubts(mounts: Iterable[Mount], claims: Mapping[str, Object]) -> Iterator[str]:
    """What a claim does to pods on several nodes, or to one that starts again on another node; a line for each claim.

    Args:
        mounts: of pods that are placed, or that stay beside some.
        claims: specs of the claims that can be read, by name.
    """
    pods: dict[str, list[Mount]] = defaultdict(list)
    for mount in mounts:
        if mount.claim in claims and not _mounted_anywhere(claims[mount.claim]):
            pods[mount.claim].append(mount)
    for name, mounting in pods.items():
        roles = ", ".join(dict.fromkeys(mount.role for mount in mounting))
        several = sum(mount.count for mount in mounting if not mount.in_turn) > 1 or any(
            mount.count > 1 for mount in mounting
        )
        consequence = (
            f"the pods of {roles} on a second node wait for it (Multi-Attach)"
            if several
            else f"after an eviction the next pod of {roles} waits until the lost node has let go of it, up to 6 min "
            "(Multi-Attach)"
        )
        yield f"claim {name!r} is for one node at a time: {consequence}; {_WAY}"


def _mounted_anywhere(spec: Object) -> bool:
    modes = spec.get("accessModes")
    shared = isinstance(modes, list) and not _SHARED.isdisjoint(map(str, modes))
    return shared or bool(_MOUNTED_ANYWHERE.fullmatch(str(spec.get("storageClassName"))))
