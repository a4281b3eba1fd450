"""Drops the version aliases azure-native gives every resource."""

import pulumi


def without_version_aliases(
    args: pulumi.ResourceTransformationArgs,
) -> pulumi.ResourceTransformationResult | None:
    """A stack transformation: azure-native resources register no aliases.

    Each carries over a hundred, one per API version, for stacks made with versioned modules; this project never used
    those. The SDK waits for all of them again at every registration, so that the program's run time grew with the
    square of the number of pools (pulumi.md §1.4; `make bench`).
    """
    if not args.type_.startswith("azure-native:"):
        return None
    args.opts.aliases = None
    return pulumi.ResourceTransformationResult(args.props, args.opts)
