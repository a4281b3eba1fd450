"""Queues of Kueue (kueue.x-k8s.io/v1beta2): quotas of spot before those of the fallback, and no pod pinned to either.

Held against Kueue's own custom resources by packages/kubeflow-aks/tests/local/crds/test_kueue.py, at the version in
packages/kubeflow-aks/src/kubeflow_aks/tools/crds.py.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ckf_spot.agent_pool import GPU, WORKLOAD_LABEL, AgentPool
from ckf_spot.errors import Mistake, Mistakes, PlacementError, missing, not_one_of, refuse
from ckf_spot.fields import Json
from ckf_spot.generated.namespace import named, profile
from ckf_spot.generated.spawner import GENERAL
from ckf_spot.pools import Pools

API_VERSION: Final = "kueue.x-k8s.io/v1beta2"
QUEUE: Final = "batch"
"""Name of the queues, unless another is given."""
NODE_FORM: Final = "SIZE=CPU,MEMORY, such as Standard_D8ds_v5=7820m,27Gi"
_QUANTITY: Final = re.compile(r"([1-9]\d*)(m|k|M|G|T|Ki|Mi|Gi|Ti)?")


@dataclass(frozen=True)
class Room:
    """What one node has for queued pods, as Kubernetes' quantities.

    Attributes:
        cpu: such as `7820m`.
        memory: such as `27Gi`.
    """

    cpu: str
    memory: str

    @classmethod
    def parse(cls, text: str) -> Room:
        """Reads `7820m,27Gi`.

        Raises:
            ValueError: it has another form.
        """
        cpu, _, memory = text.partition(",")
        if not (_QUANTITY.fullmatch(cpu) and _QUANTITY.fullmatch(memory)):
            raise ValueError(text)
        return cls(cpu, memory)


def rooms(texts: Sequence[str]) -> dict[str, Room]:
    """What nodes have, by VM size.

    Args:
        texts: each `SIZE=CPU,MEMORY`.

    Raises:
        PlacementError: one has another form, or a size is there twice.
    """
    by_size: dict[str, Room] = {}
    wrong: list[Mistake] = []
    for text in texts:
        size, _, room = text.partition("=")
        try:
            if size in by_size:
                wrong.append(Mistake("--node", text, "expected each VM size once"))
            by_size[size] = Room.parse(room)
        except ValueError:
            wrong.append(Mistake("--node", text, f"expected {NODE_FORM}"))
    refuse(wrong)
    return by_size


def objects(
    pools: Pools, namespaces: Sequence[str], nodes: Mapping[str, Room], queue: str = QUEUE
) -> list[Json]:
    """ResourceFlavors, one ClusterQueue that all namespaces share, and a LocalQueue in each of them.

    Kueue tries the flavors in the order of the list: of each workload the spot pools first, then the on-demand ones. It
    goes on to the next one where the quota of a flavor is used up, never for want of nodes
    (kubernetes-sigs/kueue#2560). So a flavor pins its work to no pool: what has quota of spot gets the fallback from
    the autoscaler, as without a queue. The flavors have their pools' taints and add no tolerations, so that only work
    that is placed for spot gets quota there.

    Args:
        pools: the cluster's pools. Those of the role `general` are left out: the platform runs there.
        namespaces: of the profiles whose work is queued.
        nodes: what one node has for queued pods, by VM size; the contract does not know it.
        queue: name of the ClusterQueue and of each LocalQueue.

    Raises:
        PlacementError: a name can't be one, there is no pool for work, or a VM size is unknown or missing.
    """
    mistakes = Mistakes()
    mistakes.catch(lambda: named("--queue", queue))
    for namespace in namespaces:
        mistakes.catch(lambda name=namespace: profile(name))
    work = _in_order(pools)
    mistakes.add(_node_problems(work, nodes))
    mistakes.raise_all()
    covered = ["cpu", "memory", *([GPU] if any(pool.gpus for pool in work) else ())]
    return [
        *(_object("ResourceFlavor", pool.name, _flavor(pool)) for pool in work),
        _object(
            "ClusterQueue",
            queue,
            {
                "namespaceSelector": {
                    "matchExpressions": [
                        {
                            "key": "kubernetes.io/metadata.name",
                            "operator": "In",
                            "values": list(dict.fromkeys(namespaces)),
                        }
                    ]
                },
                # Other teams' unused spot nodes come before the fallback, and the fallback before their work.
                "flavorFungibility": {"whenCanBorrow": "MayStopSearch", "whenCanPreempt": "TryNextFlavor"},
                "resourceGroups": [
                    {
                        "coveredResources": covered,
                        "flavors": [
                            {
                                "name": pool.name,
                                "resources": list(_quotas(pool, nodes[pool.vm_size], covered)),
                            }
                            for pool in work
                        ],
                    }
                ],
            },
        ),
        *(
            _object("LocalQueue", queue, {"clusterQueue": queue}, namespace)
            for namespace in dict.fromkeys(namespaces)
        ),
    ]


def _node_problems(work: Sequence[AgentPool], nodes: Mapping[str, Room]) -> Iterator[Mistake]:
    sizes = dict.fromkeys(pool.vm_size for pool in work)
    for size in nodes:
        if size not in sizes:
            yield not_one_of("--node", size, sizes)
    for size in sizes:
        if size not in nodes:
            yield missing(
                "--node", f"expected {size}=CPU,MEMORY, what `kubectl describe node` calls Allocatable"
            )


def _in_order(pools: Pools) -> list[AgentPool]:
    """The pools for work: workload by workload, spot first in each."""
    work = [pool for pool in pools.all if pool.role != GENERAL]
    if not work:
        raise PlacementError("there is no pool for work, and so nothing to queue for")
    workloads = dict.fromkeys(pool.workload for pool in work)
    return [pool for name in workloads for pool in pools[name].pools if pool in work]


def _flavor(pool: AgentPool) -> Json:
    """Kueue matches a pod's node affinity with the label, and puts it on the pod as its node selector."""
    return {
        "nodeLabels": {WORKLOAD_LABEL: pool.workload},
        "nodeTaints": [
            {"key": taint.key, "value": taint.value, "effect": taint.effect} for taint in pool.taints
        ],
    }


def _quotas(pool: AgentPool, room: Room, covered: Sequence[str]) -> Iterator[Json]:
    amounts = {"cpu": room.cpu, "memory": room.memory, GPU: str(pool.gpus)}
    for resource in covered:
        yield {"name": resource, "nominalQuota": _times(pool.max_count, amounts[resource])}


def _times(count: int, quantity: str) -> str:
    """A multiple of a quantity, in its unit."""
    number = quantity.rstrip(string.ascii_letters)
    return f"{count * int(number)}{quantity.removeprefix(number)}"


def _object(kind: str, name: str, spec: Json, namespace: str = "") -> Json:
    metadata = {"name": name} | ({"namespace": namespace} if namespace else {})
    return {"apiVersion": API_VERSION, "kind": kind, "metadata": metadata, "spec": spec}
