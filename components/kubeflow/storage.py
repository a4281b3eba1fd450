"""Storage for Juju and the charms."""

from typing import TypedDict

import pulumi
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs
from pulumi_kubernetes.storage.v1 import StorageClass


class StorageClassArgs(TypedDict):
    """The class; not the cluster's default, because AKS keeps that one as it is (ckf.md §1.4)."""

    name: str
    """Name of the class."""
    sku: str
    """Kind of Azure disk, e.g. StandardSSD_ZRS."""
    reclaim_policy: str
    """Delete or Retain."""


def storage_class(name: str, args: StorageClassArgs, opts: pulumi.ResourceOptions) -> StorageClass:
    """A class whose disks are made in the zone of the pod that claims them."""
    return StorageClass(
        f"{name}-storage",
        metadata=ObjectMetaArgs(name=args["name"]),
        provisioner="disk.csi.azure.com",
        parameters={"skuName": args["sku"]},
        reclaim_policy=args["reclaim_policy"],
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
