"""Settings of GPU nodes."""

from typing import Literal

from components.arguments import choices, defaults
from program.settings._model import SettingsModel, setting


class Gpu(SettingsModel):
    """Who installs the driver, and who runs the device plugin that makes GPUs visible to Kubernetes."""

    driver: choices.GpuDriver = setting(
        defaults.GPU_DRIVER,
        about="Whether AKS installs the NVIDIA driver; None leaves it to NVIDIA's GPU Operator.",
        source="use-nvidia-gpu.md",
    )
    plugin: Literal["devicePlugin", "none"] = setting(
        "devicePlugin",
        about="Whether this program runs NVIDIA's device plugin; none leaves it to the GPU Operator.",
        source="docs/facts/aks.md#gpu-driver-and-device-plugin",
    )
