"""The report on a change as a page of blocks, in their order."""

import json
from collections.abc import Iterator, Mapping, Sequence
from difflib import unified_diff
from typing import Any

from kubeflow_aks.cost.report import change as cost_change
from kubeflow_aks.pull_request.report.document import (
    ChangeDocument,
    ChangeEntry,
    Policy,
    RevisionEntry,
    ViolationEntry,
)
from kubeflow_aks.pull_request.report.pool_entries import picture
from kubeflow_aks.text import terminal as written
from kubeflow_aks.text.blocks import Alert, Block, Items, Lines, Page, Paragraph, Picture, Section, Table
from kubeflow_aks.text.columns import cut_apart
from kubeflow_aks.text.escape import LONGEST_VALUE, shortened
from kubeflow_aks.text.numbers import counted
from kubeflow_aks.text.sentences import first_of

_MOST_LINES = 400
"""Lines of one value that are compared."""
_MOST_SHOWN = 60
"""Lines of one property's diff that are shown."""
MOST = 15
"""Items of one kind at the top; the others are in a section below."""
_MOST_QUOTAS = 30
_MOST_FAILURE_LINES = 40
_PAGE_OF_MEANINGS = "docs/reference/what-a-change-means.md"
_ACTIONS = {"replace": "replaced", "delete": "deleted", "create": "created", "update": "updated"}


def page(document: ChangeDocument) -> Page:
    """The page for a document by itself, as a terminal shows it."""
    stack = f"`{document['stack']}`"
    headline = f"{stack}: {happening(document)}."
    if document["outcome"] == "unchanged":
        return _unchanged(document, headline)
    return Page(headline, list(_top(document)), list(_sections(document)))


def terminal(document: ChangeDocument, width: int) -> list[str]:
    """The top of the page for a terminal, as lines of at most `width` columns."""
    shown = page(document)
    lines = written.terminal(shown, width)
    if shown.sections:
        more = ", ".join(section.title for section in shown.sections)
        lines += written.wrapped(f"The comment has more: {more}.", width)
    return lines


def page_beside_table(document: ChangeDocument) -> Page:
    """The page for a document whose counts, bill and policy stand in a table above."""
    top = [*_failures(document), *_warnings(document), *_over_budget(document), *_not_simulated(document)]
    headline = f"`{document['stack']}`: {happening(document)}"
    if document["outcome"] == "changed" and document["counts"]["same"] and not document["words"]:
        top.append(
            Paragraph(
                f"Nothing of this concerns running work, access or data, as page `{_PAGE_OF_MEANINGS}` has it."
            )
        )
    sections = list(_sections(document))
    if document["quota"]:
        sections.insert(1, Section(f"vCPU quota ({len(document['quota'])})", list(_quota(document))))
    return Page(headline, [*top, *_top_violations(document["policy"])], sections)


def happening(document: ChangeDocument) -> str:
    """What happens to the stack, with the number of resources."""
    match document["outcome"]:
        case "unchanged":
            same = document["counts"]["same"]
            return f"nothing changes in its {counted(same, 'resource')}" if same else "nothing changes"
        case "headFailed":
            return "the program of this change does not run, so there is no preview"
        case "notJudged":
            return "the program of this change can't be run here, so what `pulumi up` would do is not known"
        case "removed":
            return "the stack file is removed"
        case "new":
            return f"a new stack, {_counts(document)}"
        case "baseFailed":
            return f"the base does not run, so everything is shown as new: {_counts(document)}"
        case "changed":
            return _counts(document)


def _unchanged(document: ChangeDocument, headline: str) -> Page:
    policy = document["policy"]
    if any(policy.values()):
        headline += f" {_policy_counts(document)}"
    return Page(
        headline,
        list(_top_violations(policy)),
        [Section("Notes", list(_notes(document)))] if document["notes"] else [],
    )


def _top(document: ChangeDocument) -> Iterator[Block]:
    """The top: losses, cost, policy, quota."""
    yield from _failures(document)
    yield from _warnings(document)
    if document["outcome"] in ("headFailed", "notJudged", "removed"):
        return
    yield from cost_change.top(document["cost"])
    yield from _not_simulated(document)
    yield Paragraph(_policy_counts(document))
    yield from _top_violations(document["policy"])
    yield from _quota(document)


def _failures(document: ChangeDocument) -> Iterator[Block]:
    if failure := document["failures"]["head"] or document["failures"]["base"]:
        lines = failure.splitlines()
        shown = [f"  {line}" for line in lines[:_MOST_FAILURE_LINES]]
        if len(lines) > _MOST_FAILURE_LINES:
            shown.append(f"  … {len(lines) - _MOST_FAILURE_LINES} more lines")
        yield Lines(tuple(shown))


def _over_budget(document: ChangeDocument) -> Iterator[Block]:
    """The warning of a bill above the budget, and the reason where there is no bill."""
    cost = document["cost"]
    for block in cost_change.top(cost):
        if isinstance(block, Alert) or (cost and cost["after"] is None):
            yield block


def _not_simulated(document: ChangeDocument) -> Iterator[Block]:
    types = {change["type"]: None for change in document["changes"] if not change["simulated"]}
    if types:
        yield Paragraph(f"Not simulated, shown from the plan: {_names(list(types))}.")


def _quota(document: ChangeDocument) -> Iterator[Block]:
    if not document["quota"]:
        return
    rows = [
        (f"`{entry['family']}`", _number(entry["before"]), _number(entry["after"]))
        for entry in document["quota"]
    ]
    yield Table(("vCPU quota", "before", "after"), tuple(rows[:_MOST_QUOTAS]))
    if len(rows) > _MOST_QUOTAS:
        yield Paragraph(f"And {len(rows) - _MOST_QUOTAS} more quotas.")


def _top_violations(policy: Policy) -> Iterator[Block]:
    if violations := [*policy["new"], *(one for one in policy["staying"] if one["mandatory"])]:
        yield Items(tuple(_limited(list(map(_violation, violations)))))


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
        yield Section(f"What else it means ({len(below)})", [Items(tuple(below))])
    if drawn := picture(document["pools"]):
        yield Section("Pools", [Picture(tuple(drawn))])
    yield from cost_change.sections(document["cost"])
    if any(policy.values()):
        yield Section(f"Policy ({sum(map(len, policy.values()))})", list(_policy(document)))
    for action, done in _ACTIONS.items():
        rows = [_resource(change) for change in changes if change["action"] == action]
        if rows:
            yield Section(f"{done.capitalize()} ({len(rows)})", [Items(tuple(rows))])
    if document["outputs"]:
        lines = (
            line
            for output in document["outputs"]
            for line in difference_lines(output["name"], output["before"], output["after"])
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
    for when, title in (
        ("new", "New:"),
        ("accepted", "Accepted by an exception:"),
        ("staying", "Staying:"),
        ("gone", "Gone:"),
    ):
        if violations := document["policy"][when]:
            yield Paragraph(title)
            yield Items(tuple(map(_violation, violations)))


def _notes(document: ChangeDocument) -> Iterator[Block]:
    yield Paragraph(f"From {_revision(document['base'])} to {_revision(document['head'])}.")
    if document["notes"]:
        yield Items(tuple(document["notes"]))
    if untried := document["azure"]["untried"]:
        yield Paragraph(
            "Not tried on the simulated Azure, because it needs what only `pulumi up` has, or what Azure refuses: "
            f"{_names(untried)}."
        )
    if names := document["looksReplaced"]:
        yield Paragraph(f"Role assignments that only seem to be replaced, left out: {_names(names)}.")


def _properties(changes: Sequence[ChangeEntry]) -> Iterator[Block]:
    """The diff of each resource; resources with equal diffs share one."""
    groups: dict[str, list[ChangeEntry]] = {}
    for change in changes:
        if change["differences"]:
            key = json.dumps([change["action"], change["type"], change["differences"]], default=str)
            groups.setdefault(key, []).append(change)
    for group in groups.values():
        first = group[0]
        yield Paragraph(f"{first['action']} {_kind(first['type'])} {_names([one['name'] for one in group])}")
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
    changed = [f"{counts[action]} {done}" for action, done in _ACTIONS.items() if counts[action]]
    return ", ".join([*changed, f"{counts['same']} unchanged"])


def _policy_counts(document: ChangeDocument) -> str:
    policy = document["policy"]
    if not any(policy.values()):
        return "Policy: no violation."
    numbers = ", ".join(f"{len(entries)} {when}" for when, entries in policy.items() if entries)
    return f"Policy: {numbers}; {mandatory(document)} mandatory."


def mandatory(document: ChangeDocument) -> int:
    """How many violations of mandatory rules the head has."""
    return sum(one["mandatory"] for when in ("new", "staying") for one in document["policy"][when])


def _names(names: Sequence[str]) -> str:
    return first_of([f"`{name}`" for name in names], MOST)


def _limited(texts: list[str]) -> Iterator[str]:
    yield from texts[:MOST]
    if len(texts) > MOST:
        yield f"and {len(texts) - MOST} more, below."


def _number(value: int | None) -> str:
    return "not known" if value is None else str(value)


def difference_lines(path: str, before: Any, after: Any) -> list[str]:
    """The lines of one property, each after `+ `, `- ` or two blanks; None is a side without the property."""
    old, new = _lines(before), _lines(after)
    if len(old) == len(new) == 1:
        old, new = ([line] for line in cut_apart(old[0], new[0], LONGEST_VALUE - len(f"{path}: ")))
    if len(old) <= 1 and len(new) <= 1:
        return [
            f"{sign} {shortened(f'{path}: {line}')}"
            for sign, side in (("-", old), ("+", new))
            for line in side
        ]
    if max(len(old), len(new)) > _MOST_LINES:
        return [f"  {shortened(path)}: {len(old)} → {len(new)} lines, too many to compare"]
    lines = list(_diff(old, new))
    shown = [f"  {shortened(path)}:", *(f"{line[0]}   {shortened(line[1:])}" for line in lines[:_MOST_SHOWN])]
    return shown if len(lines) <= _MOST_SHOWN else [*shown, f"  … {len(lines) - _MOST_SHOWN} more lines"]


def _diff(old: list[str], new: list[str]) -> Iterator[str]:
    """Each changed line and its neighbours; an empty line separates blocks."""
    for number, line in enumerate(unified_diff(old, new, n=1, lineterm="")):
        if number > 2:  # noqa: PLR2004 - two lines name the files, one the first block
            yield " " if line.startswith("@@") else line


def _lines(value: Any) -> list[str]:
    if value is None:
        return []
    if isinstance(value, str):
        return value.split("\n") or [""]
    if isinstance(value, Mapping | list | tuple):
        try:
            return json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False, default=str).split("\n")
        except (RecursionError, ValueError):
            return ["(nested too deeply to show)"]
    return [json.dumps(value, default=str)]
