"""Settings of GPU nodes."""

from typing import Literal

from components.arguments.choices import GpuDriver
from components.pools.pool_specs import GPU_DRIVER
from program.settings._model import SettingsModel, setting, setting_of


class Gpu(SettingsModel):
    """Who installs the driver, and who runs the device plugin that makes GPUs visible to Kubernetes."""

    driver: GpuDriver = setting_of(GPU_DRIVER)
    """Whether AKS installs the NVIDIA driver; None leaves it to NVIDIA's GPU Operator."""
    plugin: Literal["devicePlugin", "none"] = setting(
        "devicePlugin", "docs/facts/aks.md#gpu-driver-and-device-plugin"
    )
    """Whether this program runs NVIDIA's device plugin; none leaves it to the GPU Operator."""
