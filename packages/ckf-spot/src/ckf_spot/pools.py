"""All pools of a cluster by name, read from the pool contract."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from ckf_spot import backend as backends
from ckf_spot import contract, sources
from ckf_spot.agent_pool import POOL_LABEL, WORKLOAD_LABEL, AgentPool
from ckf_spot.backend import Backend
from ckf_spot.errors import Mistake, PlacementError, refusal
from ckf_spot.placement import Expression
from ckf_spot.pods import strict_schema
from ckf_spot.target import Target


class Pools(Mapping[str, Target]):
    """Groups of pools by workload (`cpu`, `gpu`) and by the name of a pool (`cpuspot`: that pool and its fallback).

    A pool of several VM sizes is all of its agent pools; each has a name of its own as well.
    A name that is both a workload's and a pool's means the workload.
    """

    def __init__(
        self, pools: tuple[AgentPool, ...], backend: str = backends.DEFAULT, kubernetes: str | None = None
    ) -> None:
        """Groups the given pools.

        Raises:
            PlacementError: these are no pools; the backend is no version, or too old; or the release of Kubernetes is
                none.
        """
        if not _are_pools(pools):
            raise refusal("pools", pools, "expected those of Pools.load('pools.json')", "is no agent pools")
        if kubernetes is not None:
            strict_schema.minor(kubernetes)
        self.all = pools
        self.backend = Backend.parse(backend)
        self.kubernetes = kubernetes

    @classmethod
    def load(
        cls,
        source: str | Path | None = None,
        *,
        backend: str | None = None,
        kubernetes: str | None = None,
    ) -> Pools:
        """The pools of a cluster.

        Args:
            source: a file with the stack's output `poolContract`, with all its outputs, or with the ConfigMap. Left
                out: the file that the environment variable CKF_SPOT_POOLS names, or else the ConfigMap of the
                cluster that this runs in or that KUBECONFIG names.
            backend: release of Kubeflow Pipelines in the cluster, such as `2.16`. Left out: what the contract names,
                or 2.15 where it names none, as the output `poolContract` alone.
            kubernetes: release of the cluster, such as `1.34`, whose fields the pods may have. Left out: that of the
                cluster that the pools come from; of a file, the newest one that is known.

        Raises:
            ContractError: the pools can't be read.
            PlacementError: the backend is no version, or too old; or the release of Kubernetes is none.
        """
        if kubernetes is not None:
            strict_schema.check_release(kubernetes)
        read = sources.find(source)
        release = read.kubernetes if kubernetes is None else kubernetes
        pools = contract.parse(read.text, read.origin)
        if backend is None:
            backend = read.backend or contract.backend(read.text, read.origin) or backends.DEFAULT
        return cls(pools, backend, release)

    @classmethod
    def sample(cls, *, backend: str | None = None) -> Pools:
        """The pools of a cluster made with the program's defaults, to try things out where there is none.

        Args:
            backend: see `load`.

        Raises:
            PlacementError: the backend is no version, or too old.
        """
        return cls.load(sources.SAMPLE, backend=backend)

    def __getitem__(self, name: str) -> Target:
        workloads = {pool.workload for pool in self.all}
        if name in workloads:
            members = [pool for pool in self.all if pool.workload == name]
            selector = Expression(WORKLOAD_LABEL, "In", (name,))
        elif members := self._pool_and_fallback(name):
            selector = Expression(POOL_LABEL, "In", tuple(pool.name for pool in members))
        else:
            raise UnknownPoolError(name, self)
        spot_first = tuple(sorted(members, key=lambda pool: not pool.spot))
        return Target(name, selector, spot_first, self.all, self.backend, self.kubernetes)

    def __iter__(self) -> Iterator[str]:
        workloads = (pool.workload for pool in self.all)
        return iter(dict.fromkeys((*workloads, *(pool.shared_name for pool in self.all))))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _pool_and_fallback(self, name: str) -> list[AgentPool]:
        members = [pool for pool in self.all if pool.pool == name] or [
            pool for pool in self.all if pool.name == name
        ]
        fallbacks = {pool.fallback for pool in members}
        return [*members, *(pool for pool in self.all if pool.shared_name in fallbacks)]


def _are_pools(value: object) -> bool:
    return isinstance(value, tuple) and all(isinstance(pool, AgentPool) for pool in value)


class UnknownPoolError(PlacementError, KeyError):
    """No workload and no pool has that name."""

    def __init__(self, name: str, pools: Pools) -> None:
        super().__init__(Mistake("pool", name, f"expected {', '.join(pools) or 'none'}", "is unknown"))
        self.name = name
