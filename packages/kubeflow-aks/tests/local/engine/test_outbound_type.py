"""Another way to the internet for a running cluster, as on its page."""

from __future__ import annotations

import shlex
from typing import Any, Final

import pytest

from kubeflow_aks.local_aks.azure.state import MANAGED_CLUSTER
from kubeflow_aks.local_aks.engine import EngineError
from kubeflow_aks.local_aks.lifecycle.instance import PROJECT_ROOT
from tests.docs.pages import commands
from tests.local.engine.by_hand import az
from tests.local.engine.deployment import Deployment

_PAGE: Final = PROJECT_ROOT / "docs" / "how-to" / "change-outbound-routing.md"
_SETTINGS: Final[dict[str, Any]] = {"protect": True, "network": {"outboundType": "userAssignedNATGateway"}}


def _way_out(stack: Deployment) -> str:
    [cluster] = stack.azure.all(MANAGED_CLUSTER)
    return cluster.outputs["networkProfile"]["outboundType"]


def test_a_nat_gateway_takes_over_without_a_replacement(demo: Deployment) -> None:
    demo.engine(protect=True).up()
    new_way = demo.engine(**_SETTINGS)
    with pytest.raises(EngineError, match="unable to replace resource"):
        new_way.preview()
    prepare, switch, *_ = commands(_PAGE)
    words = shlex.split(prepare)
    done = new_way.up(targets=[words[words.index("--target") + 1]])
    assert {(step.op, step.name) for step in done.changed()} == {
        ("create", "kubeflow-aks-demo-outbound"),
        ("create", "kubeflow-aks-demo-nat"),
        ("update", "kubeflow-aks-demo-vnet"),
    }
    assert _way_out(demo) == "loadBalancer"
    by_hand = az(demo, switch.replace("kubeflow-aks-dev", "kubeflow-aks-demo"))
    assert (by_hand.returncode, by_hand.stderr) == (0, "")
    assert _way_out(demo) == "userAssignedNATGateway"
    new_way.refresh()
    done = new_way.up()
    assert {step.op for step in done.changed()} <= {"update"}
    assert new_way.up().changed() == ()
