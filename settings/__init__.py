"""What a stack may say: frozen models of every setting, and the one place that reads Pulumi's configuration.

Only `settings.stack` imports pulumi, so that planning and tests use the models without an engine.
"""

from settings._model import SettingsModel
from settings.cluster import ApiAccess, Autoscaler, Kubernetes, MaintenanceWindow, Registry, Ssh
from settings.cost import Budget, Cost, PoolCost, Price, Usage
from settings.data import CheckpointClass, Data, DataStore, Profile
from settings.gpu import Gpu
from settings.kubeflow import Inotify, Kubeflow, StorageClass
from settings.monitoring import Monitoring
from settings.network import Network, Subnets
from settings.office_hours import OfficeHours
from settings.parse import Parsed, parse
from settings.pools import Fallback, OsDisk, SystemPool, UserPool
from settings.problems import Problem, SettingsError
from settings.root import Settings, Tags
from settings.vm_sizes import OwnVmSize
from settings.workload import Work

__all__ = [
    "ApiAccess",
    "Autoscaler",
    "Budget",
    "CheckpointClass",
    "Cost",
    "Data",
    "DataStore",
    "Fallback",
    "Gpu",
    "Inotify",
    "Kubeflow",
    "Kubernetes",
    "MaintenanceWindow",
    "Monitoring",
    "Network",
    "OfficeHours",
    "OsDisk",
    "OwnVmSize",
    "Parsed",
    "PoolCost",
    "Price",
    "Problem",
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
    "Usage",
    "UserPool",
    "Work",
    "parse",
]
