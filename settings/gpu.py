"""Settings of GPU nodes."""

from typing import Literal

from settings._model import SettingsModel, setting


class Gpu(SettingsModel):
    """Who installs the driver and who announces the GPUs to Kubernetes."""

    driver: Literal["Install", "None"] = setting(
        "Install",
        about="Whether AKS installs the NVIDIA driver; None leaves it to NVIDIA's GPU Operator.",
        source="AKS gpuProfile.driver, aks.md §2.1",
    )
    plugin: Literal["devicePlugin", "none"] = setting(
        "devicePlugin",
        about="Whether this program runs NVIDIA's device plugin; none leaves it to the GPU Operator.",
        source="aks.md §2.2: never both on one node",
    )
