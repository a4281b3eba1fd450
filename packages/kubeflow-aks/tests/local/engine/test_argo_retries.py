"""The second stage: a key in the ConfigMap of Argo's charm, which must be there and stays the charm's."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, Final

import pytest

from components.kubeflow.contract import ARGO_RETRIES, CONTRACT
from components.kubeflow.labels import OURS
from kubeflow_aks.clients.kubernetes.objects import Kind, Object, at, resource_id
from kubeflow_aks.local_aks.control_plane.controllers import argo, prerequisites
from kubeflow_aks.local_aks.engine import Engine, EngineError
from kubeflow_aks.local_aks.kubernetes_provider.waiting import Waiter
from kubeflow_aks.tools import Tools
from tests.local.engine.deployment import Cluster, Deployment, deployment
from tests.local.engine.edits import STACK

KEY: Final = "workflowDefaults"


_NAMESPACE: Final[Object] = {
    "apiVersion": "v1",
    "kind": "Namespace",
    "metadata": {"name": prerequisites.NAMESPACE},
}
_PATIENCE_SECONDS: Final = 600.0


class Charm:
    """What the charm argo-controller does to its ConfigMap."""

    def __init__(self, deployed: Deployment) -> None:
        self._api = deployed.cluster.api

    def apply(self, **data: str) -> None:
        """Server-side apply, as in each of its hooks."""
        prerequisites.namespace(self._api)
        config_map = argo.config_map()
        self._api.apply({**config_map, "data": {**config_map["data"], **data}}, argo.CHARM, force=False)

    def remove(self, *, model: bool = False) -> None:
        """Remove the ConfigMap, or the model with all in it, as `juju destroy-model` does."""
        target = _NAMESPACE if model else argo.config_map()
        self._api.delete(target, "Foreground")
        Waiter().gone(self._api, target, {}, timeout=_PATIENCE_SECONDS)

    def exists(self) -> bool:
        """Whether there is a ConfigMap of that name."""
        return resource_id(argo.config_map()) in {
            resource_id(obj) for obj in self._api.list(Kind("", "v1", "ConfigMap"), prerequisites.NAMESPACE)
        }

    def data(self) -> dict[str, Any]:
        """The ConfigMap as it is."""
        return self.live()["data"]

    def published(self) -> object:
        """What users who may not read the charm's ConfigMap find beside the pools."""
        metadata = {"name": CONTRACT, "namespace": OURS}
        contract = self._api.get({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata})
        return contract["data"].get(ARGO_RETRIES)

    def live(self) -> Object:
        """The whole object."""
        return self._api.get(argo.config_map())


@pytest.fixture(scope="module")
def deployed(
    tmp_path_factory: pytest.TempPathFactory, tools: Tools, cluster: Cluster
) -> Generator[Deployment]:
    with deployment(tmp_path_factory.mktemp("argo-retries") / "run", tools, cluster, STACK) as stack:
        stack.engine().up()
        yield stack


@pytest.fixture
def engine(deployed: Deployment) -> Engine:
    """The engine with the second stage switched on."""
    return deployed.engine(kubeflow={"argoRetries": True})


@pytest.fixture
def charm(deployed: Deployment) -> Charm:
    """Argo's charm, deployed; each test leaves the stack without its second stage."""
    charm = Charm(deployed)
    charm.apply()
    return charm


@pytest.mark.parametrize("operation", ["preview", "up"])
def test_without_the_charms_config_map_the_engine_stops_and_makes_none(
    deployed: Deployment, engine: Engine, operation: str
) -> None:
    before = deployed.in_cluster()
    with pytest.raises(EngineError) as refused:
        getattr(engine, operation)()
    assert refused.value.result is not None
    printed = refused.value.result.console
    assert "resource 'kubeflow/argo-workflow-controller-configmap' does not exist" in printed
    assert "kubeflow.argoRetries: true:" in printed
    assert "leave the setting out until Charmed Kubeflow is deployed" in printed
    assert "Traceback" not in printed
    assert deployed.in_cluster() == before


def test_the_charms_own_keys_stay_while_the_key_is_there_and_afterwards(
    charm: Charm, engine: Engine, deployed: Deployment
) -> None:
    """The key outlives what the charm applies later, and goes when it is switched off."""
    before = charm.live()
    engine.up()
    after = charm.data()
    assert "retryPolicy: Always" in after.pop(KEY)
    assert after == before["data"]
    assert charm.published() == "true"

    later = {"executor": "imagePullPolicy: IfNotPresent\n"}
    charm.apply(**later)
    assert KEY in charm.data()
    assert not engine.up().changed()

    deployed.engine().up()
    assert charm.published() is None
    switched_off = charm.live()
    assert switched_off["data"] == before["data"] | later
    assert at(switched_off, "metadata", "uid") == at(before, "metadata", "uid")
    assert {entry["manager"] for entry in switched_off["metadata"]["managedFields"]} == {argo.CHARM}


def test_switched_off_after_the_charms_map_is_gone_an_empty_one_is_left(
    charm: Charm, engine: Engine, deployed: Deployment
) -> None:
    engine.up()
    charm.remove()
    deployed.engine().up()
    assert "data" not in charm.live()


def test_switched_off_after_the_model_is_gone_every_up_fails_until_a_refresh(
    charm: Charm, engine: Engine, deployed: Deployment
) -> None:
    engine.up()
    charm.remove(model=True)
    for _ in range(2):
        with pytest.raises(EngineError, match=f'namespaces "{prerequisites.NAMESPACE}" not found'):
            deployed.engine().up()
    deployed.engine().refresh()
    deployed.engine().up()
    assert not charm.exists()


def test_a_refresh_first_leaves_no_map_behind(charm: Charm, engine: Engine, deployed: Deployment) -> None:
    engine.up()
    charm.remove()
    deployed.engine().refresh()
    deployed.engine().up()
    assert not charm.exists()


def test_a_key_that_somebody_else_has_set_is_not_taken_from_them(charm: Charm, engine: Engine) -> None:
    charm.apply(**{KEY: "spec: {}\n"})
    with pytest.raises(EngineError, match=f'conflict with "{argo.CHARM}": .data.{KEY}'):
        engine.up()
    assert charm.data()[KEY] == "spec: {}\n"
    charm.apply()
