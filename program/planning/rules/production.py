"""Rules that hold only where people depend on the stack: `production: true`."""

from collections.abc import Iterator
from typing import Final

from program.settings import ApiAccess, Registry, Settings

_USUAL_NAMES: Final = {"prod", "production", "prd", "live"}


def production_warnings(settings: Settings) -> Iterator[str]:
    """A stack named like production has its rules on, and production has no setting that risks it."""
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
        yield from _registry_warnings(settings.registry)
        yield from _log_warnings(settings)


def _run_command_warnings(access: ApiAccess) -> Iterator[str]:
    """A private cluster may need it as its way in (access-private-cluster.md)."""
    if access.run_command is not False and not access.private_cluster:
        value = "true" if access.run_command else "left out"
        yield (
            f"apiAccess.runCommand is {value} in production: whoever has the Azure right to it sends commands to the "
            "API server from anywhere, past authorizedIpRanges; set runCommand: false"
        )


def _registry_warnings(registry: Registry) -> Iterator[str]:
    """Only Premium has a retention policy (container-registry-retention-policy.md)."""
    if registry.attach is None and registry.sku == "Premium" and registry.retention_days is None:
        yield (
            "registry.retentionDays is left out in production: images that no tag names any more stay and are paid "
            "for; set retentionDays: 30, unless somebody pulls such images by their digest"
        )


def _log_warnings(settings: Settings) -> Iterator[str]:
    """The logs that show who changed what, who signed in, and why no node came (monitor-aks.md)."""
    collected = set(settings.monitoring.logs)
    if "kube-audit" in collected:  # it holds what kube-audit-admin does
        collected.add("kube-audit-admin")
    needed = ["kube-audit-admin", "guard", "cluster-autoscaler"]
    if not settings.api_access.admin_group_object_ids:
        needed.remove("guard")  # it records Entra sign-in
    if missing := [log for log in needed if log not in collected]:
        yield (
            f"monitoring.logs is without {', '.join(missing)} in production: nobody can find out later who "
            "changed what, or why no node came; add them"
        )
