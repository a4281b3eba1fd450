"""A stack of the real program on a simulated Azure of its own and the session's control plane, and what is in both."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from kubeflow_aks.clients.kubernetes import cleanup
from kubeflow_aks.clients.kubernetes.api import ApiServer
from kubeflow_aks.clients.kubernetes.objects import Object, at, drop, name_of, put, resource_id
from kubeflow_aks.local_aks.azure import server as azure_native
from kubeflow_aks.local_aks.azure.state import AGENT_POOL, MANAGED_CLUSTER, AzureState, StoredResource
from kubeflow_aks.local_aks.azure.types import SUBNET
from kubeflow_aks.local_aks.engine import Engine
from kubeflow_aks.local_aks.kubernetes_provider import server as kubernetes
from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.recorder.stack_files import stack_names
from kubeflow_aks.tools import Tools
from tests.local.engine.interrupted import Existing

TODAY: Final = date(2026, 11, 21)
"""The day on which everything here happens, so that support windows stay as they are."""
SUBSCRIPTION: Final = "00000000-0000-0000-0000-000000000000"
"""The simulated Azure's only subscription."""
ERASE_SECONDS: Final = 300.0
"""How long a cluster's end may take on a busy machine."""
_MADE_BY_OTHERS: Final = frozenset({"kube-root-ca.crt", "default", "cluster-autoscaler-status"})
"""Objects that every namespace gets, and the autoscaler's status report."""


@dataclass(frozen=True)
class Cluster:
    """The session's API server."""

    kubeconfig: Path

    @cached_property
    def api(self) -> ApiServer:
        """The API server with an administrator's rights."""
        return ApiServer.of(self.kubeconfig)

    def objects(self) -> dict[str, Object]:
        """Every object by uid, but for what comes and goes by itself."""
        return _by_uid(self.api.everything())

    def erase(self) -> dict[str, Object]:
        """Leaves nothing that a test made; what is there then."""
        return _by_uid(cleanup.erase(str(self.kubeconfig), seconds=ERASE_SECONDS))


def _by_uid(objects: list[Object]) -> dict[str, Object]:
    return {at(obj, "metadata", "uid"): obj for obj in objects if obj["kind"] != "Lease"}


@dataclass(frozen=True)
class Deployment:
    """One stack and where it runs.

    Attributes:
        stack: name of a stack file of the project.
        before: objects that were in the cluster already, by uid.
        settings: configuration on top of the stack's file.
    """

    run: RunDirectory
    tools: Tools
    providers: Mapping[str, int]
    cluster: Cluster
    stack: str
    before: Mapping[str, Object]
    settings: Mapping[str, Any]

    def engine(self, **settings: Any) -> Engine:
        """The engine, with more configuration."""
        extra = {**self.settings, **settings}
        return Engine(self.run, self.tools, self.providers, PROJECT_ROOT, self.stack, extra)

    @property
    def azure(self) -> AzureState:
        """The simulated Azure."""
        return AzureState(self.run.azure)

    @property
    def existing(self) -> Existing:
        """Looks up what a killed engine had begun."""
        return Existing(self.azure, self.cluster.kubeconfig)

    def pool(self, name: str) -> StoredResource:
        """A pool of the cluster."""
        [pool] = [pool for pool in self.azure.all(AGENT_POOL) if pool.outputs["name"] == name]
        return pool

    def counts(self) -> dict[str, int]:
        """Nodes of each pool."""
        return {pool["name"]: pool["count"] for pool in self.azure.agent_pools()}

    def set_counts(self, **counts: int) -> None:
        """Gives pools other numbers of nodes, as the autoscaler does."""
        clusters = {pool["name"]: pool["clusterId"] for pool in self.azure.agent_pools()}
        for name, count in counts.items():
            self.azure.set_count(clusters[name], name, count)

    def written(self) -> dict[str, Object]:
        """All that is in the cluster by uid, and who wrote it when; without statuses, which controllers write later."""
        objects = self.cluster.objects()
        for obj in objects.values():
            drop(obj, "status")
            drop(obj, "metadata", "resourceVersion")
            owners = [
                of for of in obj["metadata"].get("managedFields", ()) if of.get("subresource") != "status"
            ]
            put(obj, owners, "metadata", "managedFields")
        return objects

    def in_azure(self) -> set[str]:
        """Ids of the resources that a stack must know; Azure's own, and those inline in another, left out."""
        inline = {
            f"{cluster.id}/agentPools/{profile['name']}".casefold()
            for cluster in self.azure.all(MANAGED_CLUSTER)
            for profile in cluster.inputs["agentPoolProfiles"]
        }
        ids = {resource.id.casefold() for resource in self.azure.all() if not _comes_with_another(resource)}
        return ids - inline

    def in_cluster(self) -> set[str]:
        """Kind and id of the objects that a stack must know; what controllers and the autoscaler make is left out."""
        return {
            f"{obj['kind']} {resource_id(obj)}"
            for uid, obj in self.cluster.objects().items()
            if uid not in self.before
            and not at(obj, "metadata", "ownerReferences")
            and name_of(obj) not in _MADE_BY_OTHERS
            and obj["kind"] not in {"Node", "Pod"}
        }

    def in_state(self) -> tuple[set[str], set[str]]:
        """What the stack's state knows: ids in Azure, kinds and ids in the cluster."""
        resources = self.engine().export().get("resources", [])
        azure = [of["id"].casefold() for of in resources if of["type"].startswith("azure-native:")]
        cluster = [
            f"{of['outputs']['kind']} {of['id']}" for of in resources if of["type"].startswith("kubernetes:")
        ]
        assert len(set(azure)) == len(azure)
        assert len(set(cluster)) == len(cluster)
        return set(azure), set(cluster)

    def assert_state_is_what_exists(self) -> None:
        """Nothing exists that the state does not know, and nothing twice; the state knows nothing that is gone."""
        azure, cluster = self.in_state()
        assert azure == self.in_azure()
        assert cluster == self.in_cluster()

    def assert_nothing_exists(self) -> None:
        """Neither Azure nor the cluster has anything that was not there before; the state is empty."""
        assert self.azure.all() == []
        assert not set(self.cluster.objects()) - set(self.before)
        assert self.engine().export().get("resources", []) == []


_made: Final[dict[str, dict[str, bytes]]] = {}
"""By stack, the files of a run directory in which it is made and its token encrypted: two processes of the engine."""
_KEPT: Final = ("passphrase", "azure-token", "pulumi/state/**/*", "pulumi/workspace/*")


def _put(made: Mapping[str, bytes], run: RunDirectory) -> None:
    for name, content in made.items():
        file = run.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch(mode=0o600)
        file.write_bytes(content)


def _files(run: RunDirectory) -> dict[str, bytes]:
    files = (file for pattern in _KEPT for file in run.root.glob(pattern) if file.is_file())
    return {str(file.relative_to(run.root)): file.read_bytes() for file in files}


@contextmanager
def deployment(
    folder: Path, tools: Tools, cluster: Cluster, stack: str, *, speed: float = float("inf"), **settings: Any
) -> Generator[Deployment]:
    """A stack that is not deployed yet, with both stand-ins in this process.

    Args:
        folder: for a run directory of its own.
        tools: the engine.
        cluster: where its Kubernetes objects go; nothing of them is left afterwards.
        stack: name of a stack file of the project.
        speed: simulated seconds of Azure in one second.
        settings: configuration on top of the stack's file.
    """
    run = RunDirectory.at(folder)
    _put(_made.get(stack, {}), run)
    azure = azure_native.serve(
        AzureState(run.azure),
        token=run.azure_token(),
        kubeconfig=cluster.kubeconfig.read_text,
        speed=speed,
        today=lambda: TODAY,
        empty_cluster=cluster.erase,
    )
    in_cluster = kubernetes.serve(servers=kubernetes.servers_of(cluster.kubeconfig))
    providers = {"azure-native": azure.port, "kubernetes": in_cluster.port}
    extra = {"asOf": TODAY.isoformat(), **settings}
    try:
        made = Deployment(run, tools, providers, cluster, stack, cluster.erase(), extra)
        if stack not in _made and stack in stack_names(PROJECT_ROOT):
            made.engine().export()
            _made[stack] = _files(run)
        yield made
    finally:
        azure.stop()
        in_cluster.stop()
        cluster.erase()


def _comes_with_another(resource: StoredResource) -> bool:
    """Subnets are inline in their network; AKS makes the machines' group."""
    return resource.type == SUBNET or "managedBy" in resource.inputs
