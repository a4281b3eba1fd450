"""What the hand-off writes for Canonical's modules is what they take."""

from __future__ import annotations

from typing import Any

import pytest

from kubeflow_aks.handoff import terraform
from tests.deploy import recorded
from tests.deploy.recorded import Layout
from tests.handoff.made_up_outputs import outputs, values, with_basis

LAYOUTS = [pytest.param(recorded.layout(name), id=name) for name in recorded.RELEASES]
MODULES = recorded.layout("1.11")
STACKS = [
    pytest.param(values(), id="as-recorded"),
    pytest.param(values(ingressAnnotations={}), id="no-annotations"),
    pytest.param(with_basis(network={"policy": "cilium"}), id="cilium"),
]


@pytest.mark.parametrize("stack_outputs", STACKS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_module_takes_every_variable(layout: Layout, stack_outputs: dict[str, Any]) -> None:
    assert layout.refusals(terraform.variables(outputs(stack_outputs), layout.release)) == []


@pytest.mark.parametrize("layout", LAYOUTS)
def test_no_secret_is_written(layout: Layout) -> None:
    """But for maps that are secret because of other keys than these."""
    written = terraform.variables(outputs(), layout.release)
    assert [name for name in written if layout.variables[name]["sensitive"]] == []


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_root_has_exactly_what_is_written(layout: Layout) -> None:
    """OpenTofu only warns of a value for a variable that the root does not have."""
    assert set(terraform.variables(outputs(), layout.release)) == layout.required


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
    assert MODULES.refusals(variables) == [reason]
