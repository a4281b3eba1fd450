"""What our pods have in common: security settings ("Pod Security Standards"), and that `up` waits for none of some."""

from collections.abc import Mapping
from typing import Final

import pulumi
from pulumi_kubernetes.core.v1 import PodSecurityContextArgsDict, SecurityContextArgsDict
from pulumi_kubernetes.meta.v1 import ObjectMetaArgsDict

CONFINED: Final[SecurityContextArgsDict] = {
    "allow_privilege_escalation": False,
    "capabilities": {"drop": ["ALL"]},
    "read_only_root_filesystem": True,
}
"""A container that neither gains rights nor writes outside its volumes."""
_PAUSE_USER: Final = 65535
"""The user that pause's own image names (docs/facts/aks.md#pods-of-this-program)."""
CONFINED_TO_PAUSE: Final[SecurityContextArgsDict] = {
    **CONFINED,
    "run_as_non_root": True,
    "run_as_user": _PAUSE_USER,
    "run_as_group": _PAUSE_USER,
}
"""The same as the user of pause, who owns nothing."""
RUNTIME_SECCOMP: Final[PodSecurityContextArgsDict] = {"seccomp_profile": {"type": "RuntimeDefault"}}
"""A pod whose containers make only the system calls that the container runtime lets ordinary ones make."""


def unawaited(name: str, namespace: pulumi.Input[str], labels: Mapping[str, str]) -> ObjectMetaArgsDict:
    """Metadata of pods' controllers that `up` creates without waiting, as there may be no node for the pods."""
    return {
        "name": name,
        "namespace": namespace,
        "labels": labels,
        "annotations": {"pulumi.com/skipAwait": "true"},
    }
