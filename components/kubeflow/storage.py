"""Storage for Juju and the charms, and for checkpoints."""

from typing import Final

import pulumi
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs
from pulumi_kubernetes.storage.v1 import StorageClass

from ..arguments.checked import whole
from .labels import labels
from .prerequisites_args import CheckpointClassSpec, StorageClassSpec

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


def storage_class(name: str, args: StorageClassSpec, opts: pulumi.ResourceOptions) -> StorageClass:
    """A class whose disks are made in the zone of the pod that claims them."""
    return StorageClass(
        f"{name}-storage",
        metadata=ObjectMetaArgs(name=whole(args)["name"], labels=labels("storage")),
        provisioner="disk.csi.azure.com",
        parameters={"skuName": whole(args)["sku"]},
        reclaim_policy=whole(args)["reclaim_policy"],
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
        metadata=ObjectMetaArgs(name=whole(args)["name"], labels=labels("storage")),
        provisioner="blob.csi.azure.com",
        parameters={
            "protocol": "fuse2",
            "skuName": whole(args)["sku"],
            "isHnsEnabled": "true",  # renaming a file is one step, as checkpoints need it
            "secretNamespace": "kube-system",  # the account's key opens every team's volume, so no team may read it
        },
        mount_options=list(_FRESH),
        reclaim_policy=whole(args)["reclaim_policy"],
        volume_binding_mode="Immediate",
        allow_volume_expansion=True,
        opts=pulumi.ResourceOptions.merge(opts, _RENEWED),
    )
