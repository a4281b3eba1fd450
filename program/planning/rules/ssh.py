"""Rules of SSH keys and user names."""

from collections.abc import Iterator

from components.arguments.mistakes import Mistake
from components.cluster.ssh_keys import ED25519, MIN_BITS, key_mistakes, name_mistakes
from program.planning.rules.pools import component_problems
from program.settings import Settings


def ssh_problems(settings: Settings) -> Iterator[Mistake]:
    """User names and keys that Azure refuses."""
    if settings.ssh is not None:
        yield from component_problems("ssh", name_mistakes(settings.ssh.admin_username))
        yield from component_problems("ssh", key_mistakes(settings.ssh.public_key))


def ssh_warnings(settings: Settings) -> Iterator[str]:
    """Keys that AKS is known to refuse."""
    if settings.ssh and settings.ssh.public_key.startswith(ED25519):
        yield (
            f"ssh.publicKey is an {ED25519} key: AKS refused such keys as invalid (Azure/AKS#4431) and documents RSA "
            f"keys only; an RSA key of {MIN_BITS} bits or more is safe"
        )
