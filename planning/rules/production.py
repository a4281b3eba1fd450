"""Rules that hold only where people depend on the stack: `production: true`."""

from collections.abc import Iterator
from typing import Final

from settings import ApiAccess, Settings

_USUAL_NAMES: Final = {"prod", "production", "prd", "live"}


def production_warnings(settings: Settings) -> Iterator[str]:
    """A stack that is called production should be checked like one."""
    if settings.tags.environment.casefold() in _USUAL_NAMES and not settings.production:
        yield (
            f"tags.environment is {settings.tags.environment!r} but production is false: "
            "set production: true to have the rules of production checked"
        )
    if settings.production and not settings.protect:
        yield (
            "protect is false in production: nothing stops a `pulumi destroy`; set protect: true unless the stack is "
            "about to go"
        )
    if settings.production:
        yield from _run_command_warnings(settings.api_access)


def _run_command_warnings(access: ApiAccess) -> Iterator[str]:
    """A private cluster may need it as its way in (access-private-cluster.md)."""
    if access.run_command and not access.private_cluster:
        yield (
            "apiAccess.runCommand is true in production: whoever has the Azure right to it sends commands to the API "
            "server from anywhere, past authorizedIpRanges; set runCommand: false"
        )
