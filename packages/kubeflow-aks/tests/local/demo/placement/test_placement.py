"""The placement truth table: the real scheduler and API server agree with what was written by hand."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.local.demo.placement.table import OnEach, Pending, Phase, Refused, Row, Runs, Table, load
from tests.local.demo.placement.trial import Outcome, Trials
from tests.local.demo_stack import DemoStack


@pytest.mark.parametrize("row", load().rows(), ids=lambda row: row.name)
def test_it_is_as_the_documents_say(row: Row, trials: Trials) -> None:
    outcome = trials.outcome_of[row.name]
    match row.expected:
        case Runs(pools):
            assert outcome.pools, outcome
            assert outcome.pools <= pools
        case OnEach(pools):
            assert outcome == Outcome(pools=pools)
        case Pending(message):
            assert message in outcome.pending, outcome
        case Refused(message):
            assert message in outcome.refused, outcome


@pytest.mark.parametrize("phase", load().phases, ids=lambda phase: phase.situation)
def test_the_pools_had_nodes_as_the_phase_presumes(phase: Phase, trials: Trials) -> None:
    assert trials.with_nodes[phase.situation] == phase.nodes_of


@pytest.mark.usefixtures("trials")
def test_the_program_s_own_pods_are_where_they_belong(demo: DemoStack) -> None:
    pools: dict[str, set[str]] = {}
    for pod in demo.pods("kubeflow-aks"):
        pools.setdefault(pod["metadata"]["labels"]["app.kubernetes.io/name"], set()).add(demo.pool_of(pod))
    assert pools == {
        "eviction-handler": {"general"},
        "return-to-spot": {"general"},
        "inotify-limits": {"general"},
        "nvidia-device-plugin": {"gpuspot", "gpuod"},
    }


def test_the_table_is_long_enough_and_its_rows_differ(table: Table) -> None:
    rows = table.rows()
    assert len(rows) >= 40
    assert [name for name, count in Counter(row.object_name for row in rows).items() if count > 1] == []
    kinds = Counter(type(row.expected) for row in rows)
    assert min(kinds[Runs], kinds[Pending], kinds[Refused]) >= 10
