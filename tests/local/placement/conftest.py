"""The demo stack with every row of the truth table tried on it."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from tests.local.demo_stack import DemoStack
from tests.local.placement.table import Table, load
from tests.local.placement.trial import Trial, Trials


@pytest.fixture(scope="module")
def table() -> Table:
    return load()


@pytest.fixture(scope="module")
def trials(demo: DemoStack, table: Table) -> Generator[Trials]:
    """What became of the whole table; what it ran stays until the tests are over."""
    for name, settings in table.namespaces.items():
        demo.create_namespace(name, settings)
    trials = Trials()
    with demo.playing() as play:
        for phase in table.phases:
            trial = Trial(demo, play, phase)
            trials.with_nodes[phase.given] = trial.with_nodes()
            trials.seen.update(trial.outcomes())
    yield trials
    for name in table.namespaces:
        demo.clear(name, "daemonsets")
