"""A bill beside that of another commit: as a page, and as JSON by `kubeflow_aks/cost/report/against.schema.json`."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from kubeflow_aks.cost.difference import Difference
from kubeflow_aks.cost.report import change_page, document
from kubeflow_aks.cost.report.change import change_document
from kubeflow_aks.cost.report.page import page as page_of
from kubeflow_aks.revisions.repository import Revision
from kubeflow_aks.text.blocks import Items, Page, Section

VERSION: Final = 2
SCHEMA: Final = Path(__file__).parent / "against.schema.json"


def page(difference: Difference, revision: Revision, *more: Section) -> Page:
    """The difference first, then both bills, then what they rest on."""
    change, now = change_document(difference), page_of(difference.after, *more)
    where = f"`{revision.ref}` (`{revision.commit[:12]}` of `{revision.day}`)"
    bills = [Section("The bill now", now.top)]
    if difference.before:
        bills.append(Section("The bill before", page_of(difference.before).top))
    return Page(
        f"Stack `{difference.after.stack}` against {where}",
        (
            *change_page.top(change),
            *change_page.lines(change),
            *([Items(difference.notes)] if difference.notes else []),
        ),
        (*bills, *now.sections),
    )


def as_json(difference: Difference, revision: Revision) -> dict[str, Any]:
    """Both bills whole, and each line of either."""
    return {
        "version": VERSION,
        "against": {
            "ref": revision.ref,
            "commit": revision.commit,
            "day": revision.day.isoformat(),
        },
        "before": document.document(difference.before) if difference.before else None,
        "after": document.document(difference.after),
        "whyNot": list(difference.why_not),
        "notes": list(difference.notes),
        "lines": change_document(difference)["lines"],
    }
