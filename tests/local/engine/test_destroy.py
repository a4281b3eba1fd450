"""The end of a stack: all of it, or, where it is protected, nothing of it."""

from __future__ import annotations

import pytest

from localaks.engine import EngineError
from tests.local.engine.deployment import Deployment


def test_destroy_leaves_nothing_and_the_stack_can_be_made_again(demo: Deployment) -> None:
    first = demo.engine().up().changes
    assert demo.engine().destroy().changes == {"delete": first["create"]}
    demo.assert_nothing_exists()
    assert demo.engine().up().changes == first


def test_destroy_of_a_protected_stack_deletes_nothing(dev: Deployment) -> None:
    dev.engine().up()
    before = dev.azure.all(), dev.versions(), dev.engine().export()["resources"]
    with pytest.raises(EngineError, match=r"cannot be deleted\s+because it is protected") as refusal:
        dev.engine().destroy()
    assert refusal.value.result is not None
    assert [step for step in refusal.value.result.steps if step.done] == []
    assert (dev.azure.all(), dev.versions(), dev.engine().export()["resources"]) == before


def test_a_stack_that_gives_up_its_protection_can_be_destroyed(dev: Deployment) -> None:
    dev.engine().up()
    assert dev.engine(protect=False).up().changed() == ()
    dev.engine(protect=False).destroy()
    dev.assert_nothing_exists()


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param({"autoscaler": {"scanInterval": "20s"}}, id="cluster"),
        pytest.param({"tags": {"owner": "data-science", "environment": "dev"}}, id="everything"),
    ],
)
def test_updates_of_a_protected_stack_can_be_previewed(dev: Deployment, settings: dict[str, object]) -> None:
    dev.engine().up()
    dev.engine(**settings).preview()
    assert {step.op for step in dev.engine(**settings).up().changed()} == {"update"}
