"""The placement truth table (issue 4): the real scheduler and API server agree with what was written by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import pytest

from tests.local.demo_stack import DemoStack
from tests.local.placement.table import OnEach, Pending, Refused, Row, Runs, Table, load
from tests.local.placement.trial import Seen


@pytest.mark.parametrize("row", load().rows(), ids=lambda row: row.name)
def test_it_is_as_the_documents_say(row: Row, seen: Mapping[str, Seen]) -> None:
    became = seen[row.name]
    match row.expected:
        case Runs(pools):
            assert became.pools, became
            assert became.pools <= pools
        case OnEach(pools):
            assert became == Seen(pools=pools)
        case Pending(message):
            assert message in became.pending, became
        case Refused(message):
            assert message in became.refused, became


@pytest.mark.usefixtures("seen")
def test_the_program_s_own_daemons_are_where_they_belong(demo: DemoStack) -> None:
    """Every pool has a node after the last phase."""
    pools: dict[str, set[str]] = {}
    for pod in demo.pods("kubeflow-aks"):
        pools.setdefault(pod["metadata"]["labels"]["app.kubernetes.io/name"], set()).add(demo.pool_of(pod))
    assert pools == {"inotify-limits": {"general"}, "nvidia-device-plugin": {"gpuspot", "gpuod"}}


def test_the_table_is_long_enough_and_tells_each_row_s_source(table: Table) -> None:
    rows = table.rows()
    assert len(rows) >= 40
    assert all(row.source for row in rows)
    assert [name for name, count in Counter(row.object_name for row in rows).items() if count > 1] == []
    kinds = Counter(type(row.expected) for row in rows)
    assert min(kinds[Runs], kinds[Pending], kinds[Refused]) >= 10
