"""Reads the files of `--actual`, whatever wrote them, and sets the bill beside them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kubeflow_aks.cost import observed
from kubeflow_aks.cost.actual import exports, opencost
from kubeflow_aks.cost.actual.charged import Charged, place
from kubeflow_aks.cost.actual.comparison import Actual, Expected, compare
from kubeflow_aks.cost.billing import Account
from kubeflow_aks.cost.figures import CostError
from kubeflow_aks.cost.observed import Observed
from kubeflow_aks.cost.reading import read_cluster
from kubeflow_aks.cost.stack import Stack


def actual(paths: Sequence[Path], stack: Stack, account: Account) -> Actual:
    """What some files say of a stack, beside its bill.

    Raises:
        CostError: a file can't be read, is not about this stack, or does not go with the others; one line for each
            mistake.
    """
    cluster, bill = read_cluster(stack), account.bill()
    agents = {one.name: pool.spot for pool in cluster.pools.values() for one in pool.agent_pools}
    where = place(stack, frozenset(agents))
    csv_files = [path for path in paths if not exports.is_json(path)]
    records = [path for path in paths if path not in csv_files and not opencost.wrote(path)]
    allocations = [path for path in paths if path not in csv_files and path not in records]
    charged: Charged | None = None
    if len(allocations) + bool(csv_files) > 1 or len(records) > 1:
        names = ", ".join(path.name for path in paths)
        raise CostError(
            f"{names}: several sources of the same are not allowed; expected exports of Azure or one answer of "
            "OpenCost, and at most one record of nodes"
        )
    if csv_files:
        charged = exports.read(csv_files, where, bill.currency)
    for path in allocations:
        charged = opencost.read(path, where)
    record = _record(records[0], agents) if records else None
    spot, on_demand = account.node_hours(), account.node_hours(on_demand=True)
    hourly = {name: (spot[name], on_demand[name]) for name in agents}
    expected = Expected(bill, cluster.pools, hourly)
    return compare(expected, where, charged, record, tuple(path.name for path in paths))


def _record(path: Path, agents: dict[str, bool]) -> Observed:
    record = observed.read(path, agents)
    if record.nodes is None:
        raise CostError(
            f"{path.name}: nodes: None is not allowed; expected a record of nodes, from `ckf-spot where --record` with "
            "the right to read nodes"
        )
    return record
