"""Images of the objects this program runs itself, each pinned to its bytes.

A digest is that of the index of all architectures, so that an ARM node finds its image too. Where each comes from and
when it was last compared: packages/kubeflow-aks/src/kubeflow_aks/ci/images.csv.
"""

from typing import Final

BUSYBOX: Final = (
    "mcr.microsoft.com/azurelinux/busybox:1.36"
    "@sha256:330ce7e940f7476089c4c74565c63767988e188b06988e58e76b54890e7f621b"
)
PAUSE: Final = (
    "mcr.microsoft.com/oss/v2/kubernetes/pause:3.10.2"
    "@sha256:b64246f245be905d38c365c02ea1c3529a19d99a555a193caf2024cf7542cf7d"
)
DEVICE_PLUGIN: Final = (
    "nvcr.io/nvidia/k8s-device-plugin:v0.20.1"
    "@sha256:27c1b2553a690ca3d29889dcd61df97525d46f58272c0be8dc63c2b18f120075"
)
"""Newer than the 0.18.0 of AKS's own manifest (docs/facts/aks.md#pods-of-this-program)."""
PYTHON: Final = (
    "mcr.microsoft.com/azurelinux/distroless/python:3.12-nonroot"
    "@sha256:d921452dba64944bf959f22450bb3740f5b2fff4a59faa64bd6b8eaf4c57b5b8"
)


def version(image: str) -> str:
    """The version that an image's tag names."""
    return image.partition("@")[0].rpartition(":")[2]
