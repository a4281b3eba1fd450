"""Storage for Juju and the charms."""

from typing import Final, NotRequired, TypedDict

import pulumi
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs
from pulumi_kubernetes.storage.v1 import StorageClass

DEFAULT_NAME: Final = "ckf-zrs"


class StorageClassSpec(TypedDict):
    """The class; not the cluster's default, because AKS keeps that one as it is.

    Source: MicrosoftDocs/azure-aks-docs, articles/aks/concepts-storage.md (2026-08-21).
    """

    name: NotRequired[str]
    """Name of the class. Default: ckf-zrs."""
    sku: NotRequired[str]
    """Kind of Azure disk. Default: StandardSSD_ZRS, which can move between zones."""
    reclaim_policy: NotRequired[str]
    """What becomes of a disk when its claim goes: Delete (default) or Retain."""


def storage_class(name: str, args: StorageClassSpec, opts: pulumi.ResourceOptions) -> StorageClass:
    """A class whose disks are made in the zone of the pod that claims them."""
    return StorageClass(
        f"{name}-storage",
        metadata=ObjectMetaArgs(name=args.get("name", DEFAULT_NAME)),
        provisioner="disk.csi.azure.com",
        parameters={"skuName": args.get("sku", "StandardSSD_ZRS")},
        reclaim_policy=args.get("reclaim_policy", "Delete"),
        volume_binding_mode="WaitForFirstConsumer",
        allow_volume_expansion=True,
        # The API server refuses changes of these, though the provider plans an update.
        opts=pulumi.ResourceOptions.merge(
            opts,
            pulumi.ResourceOptions(
                replace_on_changes=["reclaimPolicy", "volumeBindingMode"], delete_before_replace=True
            ),
        ),
    )
