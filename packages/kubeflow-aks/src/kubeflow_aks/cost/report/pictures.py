"""The pictures of one stack's bill, as files."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from kubeflow_aks.cost.basis import Work
from kubeflow_aks.cost.bill import Bill
from kubeflow_aks.cost.by_rate import of_work
from kubeflow_aks.cost.figures import CostError
from kubeflow_aks.cost.report import cost_by_pool
from kubeflow_aks.cost.report.cost_by_rate import cost_by_rate
from kubeflow_aks.cost.terms import Terms
from kubeflow_aks.ownership import open_folder
from kubeflow_aks.text.files import write_whole

BY_POOL: Final = "cost-by-pool.svg"
BY_RATE: Final = "cost-by-rate.svg"
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")


def pictures(bill: Bill, batch: Mapping[str, tuple[Work, Terms]]) -> dict[str, str]:
    """SVG documents of a bill and its work (`billing.Account`) by file name; only one without work on spot."""
    drawn = {BY_POOL: cost_by_pool.of_bill(bill)}
    rates = of_work(batch)
    if rates:
        assumed = (
            " (of Canonical's article, because the stack has none)"
            if any(work.assumed for work in bill.work)
            else ""
        )
        title = f"Stack {bill.stack}: what evictions do to the cost of work on spot"
        subtitle = (
            f"a month's work{assumed}, at the expected price of each pool, fallback and idle time included"
        )
        drawn[BY_RATE] = cost_by_rate(rates, bill.currency, title, subtitle)
    return drawn


def write(build: Path, stack: str, documents: Mapping[str, str]) -> list[Path]:
    """Writes them into the stack's folder in `build`; a picture of an earlier bill that this one lacks is removed.

    Raises:
        CostError: the name is no name of a folder.
    """
    if not _NAME.fullmatch(stack):
        raise CostError(
            f"stack: {stack!r} is not allowed; expected letters, digits, '-', '_' and '.' after a letter or digit"
        )
    folder = open_folder(build, stack)
    for name in {BY_POOL, BY_RATE} - documents.keys():
        (folder / name).unlink(missing_ok=True)
    for name, document in documents.items():
        write_whole(folder / name, document)
    return [folder / name for name in documents]
