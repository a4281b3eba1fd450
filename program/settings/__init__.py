"""The settings of a stack: frozen models, and the one place that reads Pulumi's configuration.

Only `program.settings.stack` imports pulumi, so that planning and tests use the models without an engine.
"""

from program.settings._model import SettingsError, SettingsModel, UnreadError
from program.settings.cluster import ApiAccess, Kubernetes, OfficeHours, Registry
from program.settings.cost import Price, Work
from program.settings.data import CheckpointClass, DataStore
from program.settings.network import Network, Subnets
from program.settings.parse import parse
from program.settings.pools import Fallback, HeadroomHours, NodeUpgrade, OsDisk, OwnVmSize, UserPool
from program.settings.root import Settings

__all__ = [
    "ApiAccess",
    "CheckpointClass",
    "DataStore",
    "Fallback",
    "HeadroomHours",
    "Kubernetes",
    "Network",
    "NodeUpgrade",
    "OfficeHours",
    "OsDisk",
    "OwnVmSize",
    "Price",
    "Registry",
    "Settings",
    "SettingsError",
    "SettingsModel",
    "Subnets",
    "UnreadError",
    "UserPool",
    "Work",
    "parse",
]
