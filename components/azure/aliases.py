"""Drops the version aliases that azure-native's SDK gives every resource, and no other."""

import re
from collections.abc import Callable
from typing import Final

import pulumi

_VERSIONED: Final = re.compile(r"azure-native:\w+/v\d{8}\w*:\w+")
"""Type token of a module for one API version, for instance `azure-native:containerservice/v20250901:AgentPool`."""


def without_version_aliases(
    args: pulumi.ResourceTransformationArgs,
) -> pulumi.ResourceTransformationResult | None:
    """A stack transformation: azure-native resources keep the aliases that the program gives them, and no others.

    The SDK adds over a hundred to each, one for each API version, for stacks made with versioned modules, which this
    project never used. Pulumi waits for all of them again at every registration, so that the program's run time grew
    with the square of the number of pools (`make bench` measures it).
    """
    if not args.type_.startswith("azure-native:"):
        return None
    args.opts.aliases = [alias for alias in args.opts.aliases or () if not _is_version_alias(alias)] or None
    return pulumi.ResourceTransformationResult(args.props, args.opts)


def of_child(
    opts: pulumi.ResourceOptions | None, child: Callable[[str], str]
) -> list[pulumi.Input[str | pulumi.Alias]]:
    """The aliases of a child whose name does not start with its component's.

    Pulumi derives those of all others from the component's aliases (pulumi/pulumi, `inheritedChildAlias`).

    Args:
        opts: the component's own.
        child: the child's name in a component of some name.
    """
    aliases = (opts.aliases if opts else None) or ()
    names = [alias.name if isinstance(alias, pulumi.Alias) else alias for alias in aliases]
    olds = [name.rpartition("::")[2] for name in names if isinstance(name, str)]
    return [pulumi.Alias(name=child(old)) for old in olds]


def _is_version_alias(alias: pulumi.Input[str | pulumi.Alias]) -> bool:
    """Whether an alias differs from the resource only in the versioned module of its type."""
    if not isinstance(alias, pulumi.Alias):
        return False
    others = (alias.name, alias.parent, alias.stack, alias.project)
    return bool(_VERSIONED.fullmatch(str(alias.type_))) and all(map(_is_unset, others))


def _is_unset(part: object) -> bool:
    """Whether a part of an alias is the same as the resource's own, for which Pulumi keeps an ellipsis."""
    return part is ...
