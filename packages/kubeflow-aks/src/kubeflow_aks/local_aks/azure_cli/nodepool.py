"""The commands `az aks nodepool …` (azure-cli 2.91.0, command_modules/acs/custom.py, run with a client of ours)."""

import argparse
import time
from concurrent.futures import Future
from typing import Any, Final

from kubeflow_aks.local_aks.azure import arm
from kubeflow_aks.local_aks.azure.arm import Json
from kubeflow_aks.local_aks.azure.state import MANAGED_CLUSTER, AzureState
from kubeflow_aks.local_aks.azure.types import TYPES
from kubeflow_aks.local_aks.azure_cli.client import Client

POLL_SECONDS: Final = 0.05
_SCALE_SET: Final = "VirtualMachineScaleSets"
_TYPE: Final = "Microsoft.ContainerService/managedClusters/agentPools"


class UsageError(Exception):
    """A command can't be carried out as given; the text is `az`'s own."""


class NodePools:
    """The agent pools of one cluster.

    Every method raises `ArmError` if Azure refuses and `ServiceUnavailableError` if the service does not answer.
    """

    def __init__(self, client: Client, state: AzureState, group: str, cluster: str) -> None:
        """Find the cluster; names are those of Azure, which ignores case.

        Raises:
            ArmError: there is no such cluster.
        """
        self._azure = client.azure
        self._cluster = cluster_id(state, group, cluster)
        self._group = group

    def list(self, _options: argparse.Namespace) -> list[Json]:
        """Every pool."""
        cluster, _ = self._azure.get(self._cluster, MANAGED_CLUSTER)
        return [self._shown(pool) for pool in cluster["agentPoolProfiles"]]

    def show(self, options: argparse.Namespace) -> Json:
        """One pool."""
        return self._shown(self._get(options.nodepool_name)[0])

    def delete(self, options: argparse.Namespace) -> None:
        """Delete a pool and its nodes.

        Raises:
            UsageError: there is no such pool.
        """
        if options.nodepool_name.lower() not in {pool["name"] for pool in self.list(options)}:
            raise UsageError(
                f"Node pool {options.nodepool_name} doesnt exist, use 'aks nodepool list' to get current node pool list"
            )
        self._end(self._azure.delete(self._id(options.nodepool_name)), options)

    def upgrade(self, options: argparse.Namespace) -> Json | None:
        """Bring a pool to a version of Kubernetes.

        Raises:
            UsageError: the pool has the version, and nothing confirms it; the original prompts.
        """
        version = self._get(options.nodepool_name)[0].get("orchestratorVersion")
        if version == options.kubernetes_version and not options.yes:
            raise UsageError(
                f"The cluster is already on version {version} and is not in a failed state; confirm by --yes"
            )
        return self._change(options, {"orchestratorVersion": options.kubernetes_version})

    def update(self, options: argparse.Namespace) -> Json | None:
        """Change what can be changed in place; without a change the pool is put as it is.

        Raises:
            UsageError: an option needs another one.
        """
        counts = {"minCount": options.min_count, "maxCount": options.max_count}
        numbers = [value for value in counts.values() if value is not None]
        if options.update_cluster_autoscaler and len(numbers) < len(counts):
            raise UsageError(
                "Please specify both min-count and max-count when --enable-cluster-autoscaler enabled"
            )
        if numbers and not options.update_cluster_autoscaler:
            raise UsageError(
                "min-count and max-count are required for --enable-cluster-autoscaler or "
                "--update-cluster-autoscaler, please use the flag"
            )
        if numbers and options.min_count > options.max_count:
            raise UsageError("Value of min-count should be less than or equal to value of max-count")
        options_by_name = {
            **counts,
            "nodeLabels": options.labels and dict(options.labels),
            "nodeTaints": options.node_taints,
            "mode": options.mode,
            "osSKU": options.os_sku,
        }
        changes = {name: value for name, value in options_by_name.items() if value is not None}
        return self._change(options, changes)

    def _change(self, options: argparse.Namespace, changes: Json) -> Json | None:
        _, body = self._get(options.nodepool_name)
        body["type"] = _SCALE_SET  # azure-native's outputs have the type of the resource there
        self._end(self._azure.put(self._id(options.nodepool_name), body | changes), options)
        return None if options.no_wait else self.show(options)

    def _end(self, operation: Future[Any], options: argparse.Namespace) -> None:
        """Wait for the end of an operation, or with `--no-wait` until Azure has accepted it."""
        while options.no_wait and not operation.done():
            if self._get(options.nodepool_name)[0].get("provisioningState") in ("Updating", "Deleting"):
                return
            time.sleep(POLL_SECONDS)
        self._azure.result(operation)

    def _get(self, name: str) -> tuple[Json, Json]:
        pool, body = self._azure.get(self._id(name))
        if not pool:
            raise arm.not_found(self._id(name))
        return pool, body

    def _id(self, name: str) -> str:
        return f"{self._cluster}/agentPools/{name}"

    def _shown(self, pool: Json) -> Json:
        kept = {name: value for name, value in pool.items() if name != "azureApiVersion"}
        kind = pool["type"]  # the pool's in the list of a cluster, the resource's elsewhere
        types = {"type": _TYPE, "typePropertiesType": _SCALE_SET if kind == _TYPE else kind}
        return kept | types | {"id": self._id(pool["name"]), "resourceGroup": self._group}


def cluster_id(state: AzureState, group: str, name: str) -> str:
    """The id of a cluster, whichever subscription it is in.

    Raises:
        ArmError: there is no such cluster.
    """
    cluster_type = TYPES[MANAGED_CLUSTER]
    names = {"resourceGroupName": group.lower(), "resourceName": name.lower()}
    for cluster in state.all(MANAGED_CLUSTER):
        if {key: value.lower() for key, value in cluster_type.names_in(cluster.id).items()} == names:
            return cluster.id
    missing = {"resourceGroupName": group, "resourceName": name}
    raise arm.not_found(cluster_type.id_of(missing, "00000000-0000-0000-0000-000000000000"))
