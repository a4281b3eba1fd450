"""An engine for network policies: chosen with the cluster, or brought in by hand as on its page."""

from __future__ import annotations

from typing import Any, Final

import pytest

from kubeflow_aks.local_aks.azure.state import MANAGED_CLUSTER
from kubeflow_aks.local_aks.engine import EngineError
from kubeflow_aks.local_aks.lifecycle.instance import PROJECT_ROOT
from tests.docs.pages import commands
from tests.local.engine.by_hand import az
from tests.local.engine.deployment import Deployment

_PAGE: Final = PROJECT_ROOT / "docs" / "how-to" / "choose-a-network-policy-engine.md"
CILIUM: Final = {"policy": "cilium"}


def _network(stack: Deployment) -> dict[str, Any]:
    [cluster] = stack.azure.all(MANAGED_CLUSTER)
    return cluster.outputs["networkProfile"]


def _bring_in(stack: Deployment) -> None:
    """The page's command, on this stack."""
    [command] = [line for line in commands(_PAGE) if line.startswith("az aks update")]
    assert "kubeflow-aks-prod" in command
    done = az(stack, command.replace("kubeflow-aks-prod", f"kubeflow-aks-{stack.stack}"))
    assert (done.returncode, done.stderr) == (0, "")


def test_an_engine_is_brought_in_by_hand_and_not_taken_out_silently(demo: Deployment) -> None:
    """Protection refuses both edits, for each would replace the cluster; by hand the first needs no replacement."""
    demo.engine(protect=True).up()
    with pytest.raises(EngineError, match="unable to replace resource"):
        demo.engine(protect=True, network=CILIUM).up()
    assert "networkPolicy" not in _network(demo)

    _bring_in(demo)
    demo.engine(protect=True).refresh()
    with_cilium = demo.engine(protect=True, network=CILIUM)
    done = with_cilium.up()
    assert {(step.op, step.name) for step in done.changed()} == {
        ("update", "kubeflow-aks-demo"),
        ("create", "kubeflow-aks-demo-no-traffic"),
        ("create", "kubeflow-aks-demo-eviction-handler-traffic"),
    }
    assert (_network(demo)["networkDataplane"], _network(demo)["networkPolicy"]) == ("cilium", "cilium")
    assert with_cilium.up().changed() == ()

    with pytest.raises(EngineError, match="unable to replace resource"):
        demo.engine(protect=True).up()
    assert _network(demo)["networkPolicy"] == "cilium"
