"""The settings of a stack: frozen models, and the one place that reads Pulumi's configuration.

Only `program.settings.stack` imports pulumi, so that planning and tests use the models without an engine.
"""

from program.settings._model import SettingsError, SettingsModel, UnreadError
from program.settings.cluster import (
    ApiAccess,
    Autoscaler,
    CostExport,
    Kubernetes,
    MaintenanceWindow,
    Monitoring,
    OfficeHours,
    Registry,
    Ssh,
)
from program.settings.cost import Budget, Price, Work
from program.settings.data import CheckpointClass, DataStore, Profile
from program.settings.kubeflow import Inotify, Kubeflow, StorageClass
from program.settings.network import Network, Subnets
from program.settings.parse import parse
from program.settings.pools import Fallback, NodeUpgrade, OsDisk, OwnVmSize, SystemPool, UserPool
from program.settings.root import Settings, Tags

__all__ = [
    "ApiAccess",
    "Autoscaler",
    "Budget",
    "CheckpointClass",
    "CostExport",
    "DataStore",
    "Fallback",
    "Inotify",
    "Kubeflow",
    "Kubernetes",
    "MaintenanceWindow",
    "Monitoring",
    "Network",
    "NodeUpgrade",
    "OfficeHours",
    "OsDisk",
    "OwnVmSize",
    "Price",
    "Profile",
    "Registry",
    "Settings",
    "SettingsError",
    "SettingsModel",
    "Ssh",
    "StorageClass",
    "Subnets",
    "SystemPool",
    "Tags",
    "UnreadError",
    "UserPool",
    "Work",
    "parse",
]
