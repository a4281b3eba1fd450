"""What the hand-off writes for Canonical's modules is what they take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kubeflow_aks.deployed.outputs import Outputs
from kubeflow_aks.handoff import terraform
from tests.deploy import recorded
from tests.deploy.recorded import Recorded
from tests.handoff.made_up_outputs import outputs, values, with_basis

Written = Callable[[Outputs], dict[str, Any]]
LAYOUTS = [
    pytest.param(terraform.modules_kubeflow, recorded.modules_kubeflow(), id="modules"),
    pytest.param(terraform.products_kubeflow, recorded.products_kubeflow(), id="products"),
]
STACKS = [
    pytest.param(values(), id="as-recorded"),
    pytest.param(values(ingressAnnotations={}), id="no-annotations"),
    pytest.param(with_basis(network={"policy": "cilium"}), id="cilium"),
]


@pytest.mark.parametrize("stack_outputs", STACKS)
@pytest.mark.parametrize(("written", "module"), LAYOUTS)
def test_the_module_takes_every_variable(
    written: Written, module: Recorded, stack_outputs: dict[str, Any]
) -> None:
    assert module.refusals(written(outputs(stack_outputs))) == []


@pytest.mark.parametrize(("written", "module"), LAYOUTS)
def test_no_secret_is_written(written: Written, module: Recorded) -> None:
    """But for maps that are secret because of other keys than these."""
    assert [name for name in written(outputs()) if module.variables[name]["sensitive"]] == []


def test_the_root_has_exactly_what_is_written() -> None:
    """OpenTofu only warns of a value for a variable that the root does not have."""
    assert set(terraform.modules_kubeflow(outputs())) == recorded.required_by_root()


@pytest.mark.parametrize(
    ("variables", "reason"),
    [
        ({"minio_storage_size": "256G"}, "minio_storage_size: no such variable"),
        ({"minio_size": 256}, "minio_size: 256 is no string"),
        ({"create_model": "yes"}, 'create_model: "yes" is no bool'),
        ({"minio_revision": True}, "minio_revision: true is no number"),
        (
            {"jupyter_ui_config": {"gpus": 0}},
            'jupyter_ui_config: {"gpus": 0} is no map(string)',
        ),
    ],
)
def test_what_the_module_does_not_take_is_found(variables: dict[str, Any], reason: str) -> None:
    assert recorded.modules_kubeflow().refusals(variables) == [reason]


def test_a_name_of_the_other_layout_is_found() -> None:
    assert recorded.products_kubeflow().refusals({"minio_size": "256G"}) == ["minio_size: no such variable"]
