"""Storage for Juju and the charms, and for checkpoints."""

from typing import Final, NotRequired, TypedDict

import pulumi
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs
from pulumi_kubernetes.storage.v1 import StorageClass

from ..arguments import defaults
from ..arguments.choices import BlobSku, DiskSku, ReclaimPolicy
from .labels import labels

_FRESH: Final = (
    "-o allow_other",
    "--file-cache-timeout-in-seconds=0",
    "--use-attr-cache=false",
    "-o attr_timeout=0",
    "-o entry_timeout=0",
    "-o negative_timeout=0",
    "--cancel-list-on-mount-seconds=10",
    "--log-level=LOG_WARNING",
)
"""AKS's own mount options of BlobFuse with every cache off: a pod sees at once what another one has written.

AKS's (MicrosoftDocs/azure-aks-docs, articles/aks/azure-csi-blob-storage-provision.md, 2025-03-13) keep files and names
for 120 s, in which a resumed pod would read a checkpoint that is no longer the last one.
"""
_RENEWED: Final = pulumi.ResourceOptions(
    replace_on_changes=["reclaimPolicy", "volumeBindingMode"], delete_before_replace=True
)
"""The API server refuses changes of these, though the provider plans an update."""


class StorageClassSpec(TypedDict):
    """The class; not the cluster's default, because AKS keeps that one as it is.

    Source: MicrosoftDocs/azure-aks-docs, articles/aks/concepts-storage.md (2026-08-21).
    """

    name: NotRequired[pulumi.Input[str]]
    """Name of the class. Default: ckf-zrs."""
    sku: NotRequired[pulumi.Input[DiskSku]]
    """Kind of Azure disk. Default: StandardSSD_ZRS, which can move between zones."""
    reclaim_policy: NotRequired[pulumi.Input[ReclaimPolicy]]
    """What happens to a disk when its claim is deleted: Delete (default) or Retain."""


class CheckpointClassSpec(TypedDict):
    """The class for checkpoints: each claim is a container of Blob storage that many pods mount."""

    enabled: NotRequired[bool]
    """Whether to make it. Default: true; the cluster must run the Blob CSI driver."""
    name: NotRequired[pulumi.Input[str]]
    """Name of the class. Default: checkpoints."""
    sku: NotRequired[pulumi.Input[BlobSku]]
    """Redundancy and speed of the account that the driver makes. Default: Standard_ZRS."""
    reclaim_policy: NotRequired[pulumi.Input[ReclaimPolicy]]
    """What happens to the data when its claim is deleted: Retain (default) or Delete."""


def storage_class(name: str, args: StorageClassSpec, opts: pulumi.ResourceOptions) -> StorageClass:
    """A class whose disks are made in the zone of the pod that claims them."""
    return StorageClass(
        f"{name}-storage",
        metadata=ObjectMetaArgs(name=args.get("name", defaults.STORAGE_CLASS), labels=labels("storage")),
        provisioner="disk.csi.azure.com",
        parameters={"skuName": args.get("sku", defaults.DISK_SKU)},
        reclaim_policy=args.get("reclaim_policy", defaults.DISK_RECLAIM_POLICY),
        volume_binding_mode="WaitForFirstConsumer",
        allow_volume_expansion=True,
        opts=pulumi.ResourceOptions.merge(opts, _RENEWED),
    )


def checkpoint_class(name: str, args: CheckpointClassSpec, opts: pulumi.ResourceOptions) -> StorageClass:
    """A class whose volumes outlive nodes and are mounted by many pods.

    BlobFuse and not NFS, which has no sign-in and no encryption on the way: whoever is in the network could mount all
    (docs/decisions/0010-checkpoints-on-blob-storage.md has the sources).
    """
    return StorageClass(
        f"{name}-checkpoints",
        metadata=ObjectMetaArgs(name=args.get("name", defaults.CHECKPOINT_CLASS), labels=labels("storage")),
        provisioner="blob.csi.azure.com",
        parameters={
            "protocol": "fuse2",
            "skuName": args.get("sku", defaults.BLOB_SKU),
            "isHnsEnabled": "true",  # renaming a file is one step, as checkpoints need it
            "secretNamespace": "kube-system",  # the account's key opens every team's volume, so no team may read it
        },
        mount_options=list(_FRESH),
        reclaim_policy=args.get("reclaim_policy", defaults.CHECKPOINT_RECLAIM_POLICY),
        volume_binding_mode="Immediate",
        allow_volume_expansion=True,
        opts=pulumi.ResourceOptions.merge(opts, _RENEWED),
    )
