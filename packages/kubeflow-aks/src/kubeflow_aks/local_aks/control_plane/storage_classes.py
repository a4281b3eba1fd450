"""The storage classes that AKS makes in every cluster: without a default one, claims that name none stay pending.

Source: `concepts-storage.md`, "Storage classes". The blob classes are left out: AKS makes them with the blob driver.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from kubeflow_aks.clients.kubernetes.api import ApiServer

_MANAGER: Final = "aks-storage-controller"
"""Named like the control plane's own: with these they stay when `kubeflow_aks.clients.kubernetes.cleanup` empties a
cluster."""
_DISK, _FILE = "disk.csi.azure.com", "file.csi.azure.com"
_CLASSES: Final = {
    "default": (_DISK, "StandardSSD_LRS"),
    "managed-csi": (_DISK, "StandardSSD_LRS"),
    "managed-csi-premium": (_DISK, "Premium_LRS"),
    "azurefile-csi": (_FILE, "Standard_LRS"),
    "azurefile-csi-premium": (_FILE, "Premium_LRS"),
}
_DEFAULT: Final = {"storageclass.kubernetes.io/is-default-class": "true"}


def make(kubeconfig: Path) -> None:
    """Make them, or bring them back to what they were, with an administrator's kubeconfig.

    Raises:
        KubeError: the API server does not answer or refuses.
    """
    api = ApiServer.of(kubeconfig)
    for name, (provisioner, sku) in _CLASSES.items():
        disk = provisioner == _DISK
        storage_class = {
            "apiVersion": "storage.k8s.io/v1",
            "kind": "StorageClass",
            "metadata": {"name": name, "annotations": _DEFAULT if name == "default" else {}},
            "provisioner": provisioner,
            "parameters": {"skuname" if disk else "skuName": sku},
            "reclaimPolicy": "Delete",
            "volumeBindingMode": "WaitForFirstConsumer" if disk else "Immediate",
            "allowVolumeExpansion": True,
        }
        api.apply(storage_class, _MANAGER, force=True)
