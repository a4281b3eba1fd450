"""The report on a change as a page of blocks, in their order."""

import json
from collections.abc import Iterator, Sequence

from kubeflow_aks.cost.report import change_page
from kubeflow_aks.pull_request.report.diff_lines import difference_lines
from kubeflow_aks.pull_request.report.document import (
    ChangeDocument,
    ChangeEntry,
    Policy,
    RevisionEntry,
    ViolationEntry,
)
from kubeflow_aks.pull_request.report.picture import picture
from kubeflow_aks.text.blocks import Alert, Block, Items, Lines, Page, Paragraph, Picture, Section, Table
from kubeflow_aks.text.sentences import first_of

MOST = 15
"""Items of one kind at the top; the others are in a section below."""
_MOST_QUOTAS = 30
_MOST_FAILURE_LINES = 40
_ACTIONS = {"replace": "replaced", "delete": "deleted", "create": "created", "update": "updated"}


def page(document: ChangeDocument) -> Page:
    """The page for a document."""
    stack = f"`{document['stack']}`"
    match document["outcome"]:
        case "unchanged":
            return _unchanged(document, stack)
        case "headFailed":
            headline = f"{stack}: the program of this change does not run, so there is no preview."
            return Page(headline, [_failure(document["failures"]["head"])], list(_sections(document)))
        case "removed":
            return Page(
                f"{stack}: the stack file is removed.", list(_warnings(document)), list(_sections(document))
            )
        case "new":
            headline = f"{stack}: a new stack. {_counts(document)}"
        case "baseFailed":
            headline = f"{stack}: the base does not run, so everything is shown as new. {_counts(document)}"
        case "changed":
            headline = f"{stack}: {_counts(document)}"
    return Page(headline, list(_top(document)), list(_sections(document)))


def _unchanged(document: ChangeDocument, stack: str) -> Page:
    policy = document["policy"]
    headline = f"{stack}: nothing changes."
    if any(policy.values()):
        headline += f" {_policy_counts(document)}"
    return Page(
        headline,
        list(_top_violations(policy)),
        [Section("Notes", list(_notes(document)))] if document["notes"] else [],
    )


def _top(document: ChangeDocument) -> Iterator[Block]:
    """The top: losses, cost, policy, quota."""
    if document["failures"]["base"]:
        yield _failure(document["failures"]["base"])
    yield from _warnings(document)
    yield from change_page.top(document["cost"])
    not_simulated = {change["type"]: None for change in document["changes"] if not change["simulated"]}
    if not_simulated:
        yield Paragraph(f"Not simulated, shown from the plan: {_names(list(not_simulated))}.")
    yield Paragraph(_policy_counts(document))
    yield from _top_violations(document["policy"])
    if document["quota"]:
        rows = [
            (f"`{found['family']}`", _number(found["before"]), _number(found["after"]))
            for found in document["quota"]
        ]
        yield Table(("vCPU quota", "before", "after"), tuple(rows[:_MOST_QUOTAS]))
        if len(rows) > _MOST_QUOTAS:
            yield Paragraph(f"And {len(rows) - _MOST_QUOTAS} more quotas.")


def _top_violations(policy: Policy) -> Iterator[Block]:
    """Violations that are new or mandatory."""
    if found := [*policy["new"], *(one for one in policy["staying"] if one["mandatory"])]:
        yield Items(tuple(_limited(list(map(_violation, found)))))


def _warnings(document: ChangeDocument) -> Iterator[Block]:
    for level in ("danger", "caution"):
        texts = [impact["text"] for impact in document["words"] if impact["level"] == level]
        if texts:
            yield Alert(level == "danger", tuple(_limited(texts)))


def _sections(document: ChangeDocument) -> Iterator[Section]:
    impacts, changes, policy = document["words"], document["changes"], document["policy"]
    below = [impact["text"] for impact in impacts if impact["level"] == "news"]
    for level in ("caution", "danger"):
        below = [*[impact["text"] for impact in impacts if impact["level"] == level][MOST:], *below]
    if below:
        yield Section(f"What it means ({len(below)})", [Items(tuple(below))], unfolded=True)
    if drawn := picture(document["pools"]):
        yield Section("Pools", [Picture(tuple(drawn))])
    yield from change_page.sections(document["cost"])
    if any(policy.values()):
        yield Section(f"Policy ({sum(map(len, policy.values()))})", list(_policy(document)))
    for action, done in _ACTIONS.items():
        rows = [_resource(change) for change in changes if change["action"] == action]
        if rows:
            yield Section(f"{done.capitalize()} ({len(rows)})", [Items(tuple(rows))])
    if document["outputs"]:
        lines = (
            line
            for found in document["outputs"]
            for line in difference_lines(found["name"], found["before"], found["after"])
        )
        yield Section(f"Outputs ({len(document['outputs'])})", [Lines(tuple(lines), diff=True)])
    if any(document["warnings"].values()):
        yield Section(
            f"Warnings of the program ({sum(map(len, document['warnings'].values()))})",
            [
                Items(tuple(f"{when}: {text}" for text in texts))
                for when, texts in document["warnings"].items()
                if texts
            ],
        )
    yield Section("Notes", list(_notes(document)))
    if any(change["differences"] for change in changes):
        yield Section("Properties", _properties(changes))


def _policy(document: ChangeDocument) -> Iterator[Block]:
    for when, title in (("new", "New:"), ("staying", "Staying:"), ("gone", "Gone:")):
        if violations := document["policy"][when]:
            yield Paragraph(title)
            yield Items(tuple(map(_violation, violations)))


def _notes(document: ChangeDocument) -> Iterator[Block]:
    yield Paragraph(f"From {_revision(document['base'])} to {_revision(document['head'])}.")
    if document["notes"]:
        yield Items(tuple(document["notes"]))
    if names := document["looksReplaced"]:
        yield Paragraph(f"Role assignments that only seem to be replaced, left out: {_names(names)}.")


def _properties(changes: Sequence[ChangeEntry]) -> Iterator[Block]:
    """The diff of each resource; resources with equal diffs share one."""
    groups: dict[str, list[ChangeEntry]] = {}
    for change in changes:
        if change["differences"]:
            key = json.dumps([change["action"], change["type"], change["differences"]], default=str)
            groups.setdefault(key, []).append(change)
    for found in groups.values():
        first = found[0]
        yield Paragraph(f"{first['action']} {_kind(first['type'])} {_names([one['name'] for one in found])}")
        lines = (
            line
            for one in first["differences"]
            for line in difference_lines(one["path"], one["before"], one["after"])
        )
        yield Lines(tuple(lines), diff=True)


def _resource(change: ChangeEntry) -> str:
    forced = f", forced by {_names(change['forcedBy'])}" if change["forcedBy"] else ""
    return f"{_kind(change['type'])} `{change['name']}`{forced}"


def _kind(type_token: str) -> str:
    return f"`{type_token.rpartition(':')[2]}`"


def _violation(violation: ViolationEntry) -> str:
    where = violation["urn"].rpartition("::")[2]
    weight = "mandatory" if violation["mandatory"] else violation["severity"]
    return f"{weight}: `{violation['rule']}`{f' at `{where}`' if where else ''}: {violation['message']}"


def _revision(revision: RevisionEntry) -> str:
    name = f"`{revision['ref']}`, " if revision["ref"] else ""
    edited = ", with uncommitted changes" if revision["edited"] else ""
    return f"{name}`{revision['commit'][:12]}` of `{revision['day']}`{edited}"


def _counts(document: ChangeDocument) -> str:
    counts = document["counts"]
    return ", ".join(f"{counts[action]} {done}" for action, done in _ACTIONS.items()) + "."


def _policy_counts(document: ChangeDocument) -> str:
    policy = document["policy"]
    if not any(policy.values()):
        return "Policy: no violation."
    counted = ", ".join(f"{len(found)} {when}" for when, found in policy.items())
    mandatory = sum(one["mandatory"] for one in (*policy["new"], *policy["staying"]))
    return f"Policy: {counted}; {mandatory} mandatory."


def _failure(text: str) -> Block:
    lines = text.splitlines()
    shown = [f"  {line}" for line in lines[:_MOST_FAILURE_LINES]]
    if len(lines) > _MOST_FAILURE_LINES:
        shown.append(f"  … {len(lines) - _MOST_FAILURE_LINES} more lines")
    return Lines(tuple(shown))


def _names(names: Sequence[str]) -> str:
    return first_of([f"`{name}`" for name in names], MOST)


def _limited(texts: list[str]) -> Iterator[str]:
    yield from texts[:MOST]
    if len(texts) > MOST:
        yield f"and {len(texts) - MOST} more, below."


def _number(value: int | None) -> str:
    return "not known" if value is None else str(value)
