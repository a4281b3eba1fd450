"""Images of the objects this program runs itself, each pinned to one version."""

from typing import Final

BUSYBOX: Final = "mcr.microsoft.com/cbl-mariner/busybox:2.0"
PAUSE: Final = "mcr.microsoft.com/oss/kubernetes/pause:3.6"
DEVICE_PLUGIN: Final = "nvcr.io/nvidia/k8s-device-plugin:v0.18.0"
"""The version AKS's own manifest names (MicrosoftDocs/azure-aks-docs, articles/aks/use-nvidia-gpu.md, 2026-08-21)."""
