"""Images of the objects this program runs itself, each pinned to its bytes.

A digest is that of the index of all architectures, so that an ARM node finds its image too. Where each comes from:
docs/facts/aks.md#pods-of-this-program.
"""

from typing import Final

BUSYBOX: Final = (
    "mcr.microsoft.com/azurelinux/busybox:1.36"
    "@sha256:330ce7e940f7476089c4c74565c63767988e188b06988e58e76b54890e7f621b"
)
PAUSE: Final = (
    "mcr.microsoft.com/oss/kubernetes/pause:3.6"
    "@sha256:b4b669f27933146227c9180398f99d8b3100637e4a0a1ccf804f8b12f4b9b8df"
)
DEVICE_PLUGIN: Final = (
    "nvcr.io/nvidia/k8s-device-plugin:v0.18.0"
    "@sha256:2d16df5f3f12081b4bd6b317cf697e5c7a195c53cec7e0bab756db02a06b985c"
)
"""The version AKS's own manifest names (MicrosoftDocs/azure-aks-docs, articles/aks/use-nvidia-gpu.md, 2026-08-21)."""
PYTHON: Final = (
    "mcr.microsoft.com/azurelinux/distroless/python:3.12-nonroot"
    "@sha256:d921452dba64944bf959f22450bb3740f5b2fff4a59faa64bd6b8eaf4c57b5b8"
)


def version(image: str) -> str:
    """The version that an image's tag names."""
    return image.partition("@")[0].rpartition(":")[2]
