"""The settings of a stack: frozen models, and the one place that reads Pulumi's configuration.

Only `program.settings.stack` imports pulumi, so that planning and tests use the models without an engine.
"""

from program.settings._model import SettingsModel
from program.settings.cluster import ApiAccess, Autoscaler, Kubernetes, MaintenanceWindow, Registry, Ssh
from program.settings.cost import Budget, Cost, PoolCost, Price, Usage
from program.settings.data import CheckpointClass, Data, DataStore, Profile
from program.settings.gpu import Gpu
from program.settings.kubeflow import Inotify, Kubeflow, StorageClass
from program.settings.monitoring import Monitoring
from program.settings.names import Names
from program.settings.network import Network, SubnetIds, Subnets
from program.settings.node_upgrades import NodeUpgrade
from program.settings.office_hours import OfficeHours
from program.settings.parse import parse
from program.settings.pools import Fallback, OsDisk, SystemPool, UserPool
from program.settings.problems import SettingsError
from program.settings.root import Settings, Tags
from program.settings.vm_sizes import OwnVmSize
from program.settings.workload import Work

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
    "Names",
    "Network",
    "NodeUpgrade",
    "OfficeHours",
    "OsDisk",
    "OwnVmSize",
    "PoolCost",
    "Price",
    "Profile",
    "Registry",
    "Settings",
    "SettingsError",
    "SettingsModel",
    "Ssh",
    "StorageClass",
    "SubnetIds",
    "Subnets",
    "SystemPool",
    "Tags",
    "Usage",
    "UserPool",
    "Work",
    "parse",
]
