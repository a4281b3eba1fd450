"""The cluster in memory has what the simulation uses of a real one, called alike."""

import inspect

from kubeflow_aks.local_aks.simulation.live_cluster import LiveCluster
from tests.stepped.memory_cluster import MemoryCluster


def test_the_cluster_in_memory_is_called_as_the_real_one() -> None:
    methods = {name for name, _ in inspect.getmembers(LiveCluster, inspect.isfunction) if name[0] != "_"}
    for name in methods - {"close"}:
        assert inspect.signature(getattr(MemoryCluster, name)) == inspect.signature(
            getattr(LiveCluster, name)
        )
