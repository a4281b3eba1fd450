"""Deleting a cluster: what is inside it goes first, and nobody else waits for that."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import pytest
from azure_bodies import (
    CLUSTER_ID,
    GROUP_ID,
    TODAY,
    arm,
    cluster,
    group,
    pool_id,
    put,
    put_pool,
    user_pool,
    wall_clock,
    with_cluster,
)

from kubeflow_aks.local_aks.azure.arm import ArmError
from kubeflow_aks.local_aks.azure.deletions import Deletions
from kubeflow_aks.local_aks.azure.resource_manager import ResourceManager
from kubeflow_aks.local_aks.azure.state import AGENT_POOL, MANAGED_CLUSTER, AzureState, StoredResource
from kubeflow_aks.local_aks.azure.timing import DELETING, OperationCancelledError, Timing
from kubeflow_aks.local_aks.azure.types import RESOURCE_GROUP, TYPES

OTHER_GROUP = GROUP_ID.replace("kubeflow", "other")
STUCK = "after 60 s these are still in the deleted cluster: Namespace stuck"
Aside = Callable[..., Future[Any]]
"""Runs something in a thread of its own."""
DELETED = pytest.mark.parametrize("deleted", [(MANAGED_CLUSTER, CLUSTER_ID), (RESOURCE_GROUP, GROUP_ID)])


@dataclass
class Contents:
    """What is inside the cluster; it goes when the test lets it."""

    begun: threading.Event = field(default_factory=threading.Event)
    go_on: threading.Event = field(default_factory=threading.Event)
    failure: Exception | None = None
    times: int = 0

    def empty(self) -> None:
        """What the simulated Azure calls."""
        self.times += 1
        self.begun.set()
        assert self.go_on.wait(60)
        if self.failure:
            raise self.failure


@pytest.fixture
def contents() -> Iterator[Contents]:
    contents = Contents()
    yield contents
    contents.go_on.set()


@pytest.fixture
def timing() -> Timing:
    return Timing(float("inf"))


@pytest.fixture
def manager(azure: AzureState, timing: Timing, contents: Contents) -> ResourceManager:
    """An Azure with a cluster whose contents go when the test lets them."""
    with_cluster(azure)
    put_pool(arm(azure), "more", user_pool())
    return ResourceManager(azure, timing, lambda: TODAY, contents.empty)


@pytest.fixture
def aside() -> Iterator[Aside]:
    with ThreadPoolExecutor(4) as threads:
        yield threads.submit


def _delete(manager: ResourceManager, token: str, arm_id: str) -> None:
    operation = manager.delete(TYPES[token], arm_id)
    assert operation
    manager.wait(operation)


def _state(manager: ResourceManager, arm_id: str) -> str:
    return (manager.get(arm_id) or {}).get("provisioningState", "")


@DELETED
def test_other_requests_are_answered_while_a_cluster_is_emptied(
    manager: ResourceManager, contents: Contents, azure: AzureState, aside: Aside, deleted: tuple[str, str]
) -> None:
    deleting = aside(_delete, manager, *deleted)
    assert contents.begun.wait(60)
    other = aside(put, manager, RESOURCE_GROUP, OTHER_GROUP, group())
    other.result(60)
    assert manager.read(TYPES[RESOURCE_GROUP], OTHER_GROUP)
    assert [_state(manager, arm_id) for arm_id in (CLUSTER_ID, pool_id("more"))] == [DELETING, DELETING]
    assert manager.get(GROUP_ID)
    assert AzureState(azure.root).agent_pools() == []
    assert not deleting.done()
    contents.go_on.set()
    deleting.result(60)
    left = {GROUP_ID, OTHER_GROUP} if deleted[0] == MANAGED_CLUSTER else {OTHER_GROUP}
    assert {resource.id for resource in azure.all()} == left
    assert contents.times == 1


@DELETED
def test_a_cluster_that_can_not_be_emptied_fails_to_go_and_stays(
    manager: ResourceManager, contents: Contents, azure: AzureState, deleted: tuple[str, str]
) -> None:
    contents.failure = TimeoutError(STUCK)
    contents.go_on.set()
    before = {resource.id for resource in azure.all()}
    with pytest.raises(ArmError) as failed:
        _delete(manager, *deleted)
    assert str(failed.value) == (
        "Status=500 Code=\"InternalServerError\" Message=\"Cluster 'aks' can't be deleted, because the simulated "
        f"Azure can't empty it: {STUCK}. It stays, in state Failed, and can be deleted again.\""
    )
    assert {resource.id for resource in azure.all()} == before
    assert (_state(manager, CLUSTER_ID), _state(manager, pool_id("more"))) == ("Failed", "Succeeded")
    assert not [resource for resource in azure.all() if resource.operation == DELETING]
    contents.failure = None
    _delete(manager, *deleted)
    assert azure.get(CLUSTER_ID) is None


def test_a_put_of_the_cluster_waits_until_the_old_one_is_empty(
    manager: ResourceManager, contents: Contents, azure: AzureState, aside: Aside
) -> None:
    """A new cluster has the same control plane: what is made in it must not go with the old one."""
    deleting = aside(_delete, manager, MANAGED_CLUSTER, CLUSTER_ID)
    assert contents.begun.wait(60)
    again = aside(put, manager, MANAGED_CLUSTER, CLUSTER_ID, cluster(tags={"made": "again"}))
    assert not again.done()
    contents.go_on.set()
    again.result(60)
    deleting.result(60)
    stored = azure.get(CLUSTER_ID)
    assert stored
    assert (stored.operation, stored.outputs["tags"]) == ("Creating", {"made": "again"})
    assert azure.get(pool_id("more")) is None


def test_a_cancelled_deletion_goes_on(
    manager: ResourceManager,
    contents: Contents,
    azure: AzureState,
    timing: Timing,
    aside: Aside,
) -> None:
    deleting = aside(_delete, manager, MANAGED_CLUSTER, CLUSTER_ID)
    assert contents.begun.wait(60)
    while not deleting.done():  # a cancel that comes before the wait has begun is lost
        timing.cancel()
        time.sleep(0.01)
    with pytest.raises(OperationCancelledError):
        deleting.result()
    assert _state(manager, CLUSTER_ID) == DELETING
    contents.go_on.set()
    if operation := manager.delete(TYPES[MANAGED_CLUSTER], CLUSTER_ID):
        manager.wait(operation)
    assert azure.get(CLUSTER_ID) is None
    assert contents.times == 1


def test_what_a_killed_provider_was_deleting_is_emptied_by_the_next(
    azure: AzureState, contents: Contents
) -> None:
    clock = wall_clock()
    with_cluster(azure)
    killed, following = (
        ResourceManager(azure, Timing(1.0, clock.now), lambda: TODAY, contents.empty) for _ in range(2)
    )
    operation = killed.delete(TYPES[MANAGED_CLUSTER], CLUSTER_ID)
    assert operation
    clock.advance(operation.ends_at - clock.now())
    assert following.read(TYPES[MANAGED_CLUSTER], CLUSTER_ID)
    assert contents.begun.wait(60)
    assert azure.get(CLUSTER_ID)
    contents.go_on.set()
    following.put(TYPES[MANAGED_CLUSTER], CLUSTER_ID, cluster(tags={"made": "again"}))
    stored = azure.get(CLUSTER_ID)
    assert stored
    assert (stored.operation, contents.times) == ("Creating", 1)


def test_a_cluster_that_was_emptied_since_it_was_read_is_not_emptied_again(
    azure: AzureState, contents: Contents, timing: Timing, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_cluster(azure)
    deletions = Deletions(azure, timing, contents.empty)
    deletions.begin(CLUSTER_ID, ends_at=0)
    read_before = azure.get(CLUSTER_ID)
    assert read_before
    contents.go_on.set()
    deletions.wait([CLUSTER_ID])

    def as_before(*_: str) -> list[StoredResource]:
        return [read_before]

    monkeypatch.setattr(azure, "all", as_before)
    deletions.wait([CLUSTER_ID])
    assert contents.times == 1


def test_a_pool_of_a_cluster_that_goes_can_be_deleted(
    manager: ResourceManager, contents: Contents, azure: AzureState, aside: Aside
) -> None:
    deleting = aside(_delete, manager, MANAGED_CLUSTER, CLUSTER_ID)
    assert contents.begun.wait(60)
    _delete(manager, AGENT_POOL, pool_id("more"))
    contents.go_on.set()
    deleting.result(60)
    assert azure.get(pool_id("more")) is None
