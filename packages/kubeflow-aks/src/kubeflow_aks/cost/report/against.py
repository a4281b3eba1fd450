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


def page(found: Difference, revision: Revision, *more: Section) -> Page:
    """The difference first, then both bills, then what they rest on."""
    change, now = change_document(found), page_of(found.after, *more)
    where = f"`{revision.ref}` (`{revision.commit[:12]}` of `{revision.day}`)"
    bills = [Section("The bill now", now.top)]
    if found.before:
        bills.append(Section("The bill before", page_of(found.before).top))
    return Page(
        f"Stack `{found.after.stack}` against {where}",
        (
            *change_page.top(change),
            *change_page.lines(change),
            *([Items(found.notes)] if found.notes else []),
        ),
        (*bills, *now.sections),
    )


def as_json(found: Difference, revision: Revision) -> dict[str, Any]:
    """Both bills whole, and each line of either."""
    return {
        "version": VERSION,
        "against": {
            "ref": revision.ref,
            "commit": revision.commit,
            "day": revision.day.isoformat(),
        },
        "before": document.document(found.before) if found.before else None,
        "after": document.document(found.after),
        "whyNot": list(found.why_not),
        "notes": list(found.notes),
        "lines": change_document(found)["lines"],
    }
