"""Security settings of all our pods ("Pod Security Standards")."""

from typing import Final

from pulumi_kubernetes.core.v1 import PodSecurityContextArgsDict, SecurityContextArgsDict

CONFINED: Final[SecurityContextArgsDict] = {
    "allow_privilege_escalation": False,
    "capabilities": {"drop": ["ALL"]},
    "read_only_root_filesystem": True,
}
"""A container that neither gains rights nor writes outside its volumes."""
RUNTIME_SECCOMP: Final[PodSecurityContextArgsDict] = {"seccomp_profile": {"type": "RuntimeDefault"}}
"""A pod whose containers make only the system calls that the container runtime lets ordinary ones make."""
