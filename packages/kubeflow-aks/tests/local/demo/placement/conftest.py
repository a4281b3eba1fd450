"""The demo stack with every row of the truth table tried on it."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import ExitStack
from typing import Final

import pytest

from kubeflow_aks.clients.kubernetes.objects import Kind
from tests.local.demo.placement.table import Table, load
from tests.local.demo.placement.trial import Trial, Trials
from tests.local.demo_stack import DemoStack

_DAEMON_SET: Final = Kind("apps", "v1", "DaemonSet")


@pytest.fixture(scope="module")
def table() -> Table:
    return load()


@pytest.fixture(scope="module")
def trials(demo: DemoStack, table: Table) -> Generator[Trials]:
    """What became of the whole table; what it ran stays until the tests are over."""
    trials = Trials()
    with ExitStack() as namespaces:
        for name, settings in table.namespaces.items():
            namespaces.enter_context(demo.namespace(_DAEMON_SET, name=name, annotations=settings))
        with demo.playing() as play:
            for phase in table.phases:
                trial = Trial(demo, play, phase)
                trials.with_nodes[phase.situation] = trial.with_nodes()
                trials.outcome_of.update(trial.outcomes())
        yield trials
