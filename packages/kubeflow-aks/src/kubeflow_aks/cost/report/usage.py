"""Who used the nodes, as a section of a bill's page, and as JSON."""

from collections.abc import Iterator
from typing import Any, Final

from kubeflow_aks.cost.formatting import hours, money
from kubeflow_aks.cost.usage import Share, Usage
from kubeflow_aks.text.blocks import Block, Items, Paragraph, Section, Table

_MOST_RUNS: Final = 20
"""Rows of the table; JSON has all."""


def section(usage: Usage, currency: str) -> Section:
    """The usage by namespace, then by run."""
    return Section("Who used the recorded nodes", tuple(_blocks(usage, currency)), unfolded=True)


def document(usage: Usage) -> dict[str, Any]:
    """The same as JSON, every run."""
    return {
        "namespaces": [{"namespace": name, **_share(share)} for name, share in usage.namespaces.items()],
        "runs": [
            {"namespace": run.namespace, "kind": run.kind, "name": run.name, **_share(share)}
            for run, share in usage.runs.items()
        ],
        "idle": [{"pool": pool, **_share(share)} for pool, share in usage.idle.items()],
        "unpriced": [{"pool": pool, "nodeHours": number} for pool, number in usage.unpriced.items()],
        "total": _share(usage.total),
    }


def _blocks(usage: Usage, currency: str) -> Iterator[Block]:
    rows = [(name, *_cells(share, currency)) for name, share in usage.namespaces.items()]
    rows += [(f"idle: {pool}", *_cells(share, currency)) for pool, share in usage.idle.items()]
    rows.append(("= all nodes", *_cells(usage.total, currency)))
    yield Table(("Namespace, which is a profile", "Node hours", "Cost"), tuple(rows), range(1, 3))
    if usage.runs:
        runs = list(usage.runs.items())
        head = ("Run", "Namespace", "Kind", "Node hours", "Cost")
        shown = [
            (run.name, run.namespace, run.kind, *_cells(share, currency)) for run, share in runs[:_MOST_RUNS]
        ]
        if others := [share for _, share in runs[_MOST_RUNS:]]:
            rest = Share(sum(it.hours for it in others), sum(it.amount for it in others))
            shown.append((f"{len(others)} more", "", "", *_cells(rest, currency)))
        yield Table(head, tuple(shown), range(3, 5))
    yield Paragraph(
        "Node hours of the record, at the bill's prices of an hour. Pods on one node at the same time share it "
        "equally; daemons and pods that the record does not have count as idle."
    )
    if usage.unpriced:
        yield Items(
            tuple(
                f"{hours(number)} node hours of pool {pool}: no price"
                for pool, number in usage.unpriced.items()
            )
        )


def _cells(share: Share, currency: str) -> tuple[str, str]:
    return f"{share.hours:,.1f}", money(share.amount, currency)


def _share(share: Share) -> dict[str, float]:
    return {"nodeHours": share.hours, "amount": share.amount}
