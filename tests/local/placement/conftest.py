"""The demo stack with every row of the truth table tried on it."""

from __future__ import annotations

from collections.abc import Generator, Mapping

import pytest

from tests.local.demo_stack import DemoStack, deployed
from tests.local.placement.table import Table, load
from tests.local.placement.trial import Seen, Trial
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
def seen(demo: DemoStack, table: Table) -> Mapping[str, Seen]:
    """What became of every row, by its name."""
    for name, settings in table.namespaces.items():
        demo.create_namespace(name, settings)
    outcomes: dict[str, Seen] = {}
    with demo.playing() as play:
        for phase in table.phases:
            outcomes |= Trial(demo, play, phase).outcomes()
    return outcomes
