"""The whole program, recorded for every stack that has a file."""

import pytest

from kubeflow_aks.recorder.run import Record
from tests.program.whole.records import STACKS, recorded


@pytest.fixture(params=STACKS)
def up(request: pytest.FixtureRequest) -> Record:
    """An up of each stack."""
    return recorded(request.param)


@pytest.fixture(params=STACKS)
def preview(request: pytest.FixtureRequest) -> Record:
    """A preview of each stack."""
    return recorded(request.param, preview=True)


@pytest.fixture
def dev() -> Record:
    """An up of the stack that states only what differs from the defaults."""
    return recorded("dev")
