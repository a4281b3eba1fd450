"""The demo stack with every row of the truth table tried on it."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from tests.local.demo_stack import DemoStack, deployed
from tests.local.placement.table import Table, load
from tests.local.placement.trial import Trial, Trials
from tools import Tools


@pytest.fixture(scope="module")
def table() -> Table:
    return load()


@pytest.fixture(scope="module")
def demo(tools: Tools, tmp_path_factory: pytest.TempPathFactory) -> Generator[DemoStack]:
    """The demo stack on a local AKS."""
    with deployed(tools, tmp_path_factory.mktemp("placement")) as demo:
        yield demo


@pytest.fixture(scope="module")
def trials(demo: DemoStack, table: Table) -> Trials:
    """What became of the whole table."""
    for name, settings in table.namespaces.items():
        demo.create_namespace(name, settings)
    trials = Trials()
    with demo.playing() as play:
        for phase in table.phases:
            trial = Trial(demo, play, phase)
            trials.with_nodes[phase.given] = trial.with_nodes()
            trials.seen.update(trial.outcomes())
    return trials
