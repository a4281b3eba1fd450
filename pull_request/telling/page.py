"""What a reader gets to see of a document, in which order; how it is written is another matter."""

import json
from collections.abc import Iterator, Sequence

from cost.report import change_page
from pull_request.telling.document import ChangeDocument, ChangeTold, RevisionTold, ViolationTold
from pull_request.telling.lines import difference_lines
from pull_request.telling.picture import picture
from writing.blocks import Alert, Block, Items, Lines, Page, Paragraph, Picture, Section, Table

MOST = 15
"""Items of one kind above the fold; the others are in a section below."""
_MOST_QUOTAS = 30
_MOST_FAILURE_LINES = 40
_ACTIONS = {"replace": "replaced", "delete": "deleted", "create": "created", "update": "updated"}


def page(document: ChangeDocument) -> Page:
    """What is shown of a document."""
    stack = f"`{document['stack']}`"
    match document["outcome"]:
        case "unchanged":
            return _unchanged(document, stack)
        case "headFailed":
            said = f"{stack}: the program of this change does not run, so nothing can be shown."
            return Page(said, [_failure(document["failures"]["head"])], list(_sections(document)))
        case "removed":
            return Page(
                f"{stack}: the stack file goes.", list(_warnings(document)), list(_sections(document))
            )
        case "new":
            headline = f"{stack}: a new stack. {_counts(document)}"
        case "baseFailed":
            headline = f"{stack}: the base does not run, so all is shown as new. {_counts(document)}"
        case "changed":
            headline = f"{stack}: {_counts(document)}"
    return Page(headline, list(_top(document)), list(_sections(document)))


def _unchanged(document: ChangeDocument, stack: str) -> Page:
    policy = document["policy"]
    said = f"{stack}: nothing changes."
    if any(policy.values()):
        said += f" {_policy_counts(document)}"
    told = [*policy["new"], *(one for one in policy["staying"] if one["mandatory"])]
    top = [Items(tuple(_limited(list(map(_violation, told)))))] if told else []
    return Page(said, top, [Section("Notes", list(_notes(document)))] if document["notes"] else [])


def _top(document: ChangeDocument) -> Iterator[Block]:
    """Above the fold: what is lost, policy, quota."""
    if document["failures"]["base"]:
        yield _failure(document["failures"]["base"])
    yield from _warnings(document)
    yield from change_page.top(document["cost"])
    strange = {change["type"]: None for change in document["changes"] if not change["simulated"]}
    if strange:
        yield Paragraph(f"Not simulated, shown from the plan: {_names(list(strange))}.")
    yield Paragraph(_policy_counts(document))
    policy = document["policy"]
    told = [*policy["new"], *(one for one in policy["staying"] if one["mandatory"])]
    if told:
        yield Items(tuple(_limited(list(map(_violation, told)))))
    if document["quota"]:
        rows = [
            (f"`{found['family']}`", _number(found["before"]), _number(found["after"]))
            for found in document["quota"]
        ]
        yield Table(("vCPU quota", "before", "after"), tuple(rows[:_MOST_QUOTAS]))
        if len(rows) > _MOST_QUOTAS:
            yield Paragraph(f"And {len(rows) - _MOST_QUOTAS} more quotas.")


def _warnings(document: ChangeDocument) -> Iterator[Block]:
    for level in ("danger", "caution"):
        texts = [word["text"] for word in document["words"] if word["level"] == level]
        if texts:
            yield Alert(level == "danger", tuple(_limited(texts)))


def _sections(document: ChangeDocument) -> Iterator[Section]:
    words, changes, policy = document["words"], document["changes"], document["policy"]
    below = [word["text"] for word in words if word["level"] == "news"]
    for level in ("caution", "danger"):
        below = [*[word["text"] for word in words if word["level"] == level][MOST:], *below]
    if below:
        yield Section(f"In words ({len(below)})", [Items(tuple(below))], unfolded=True)
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
        yield Paragraph(f"Role assignments that only look replaced, and are left out: {_names(names)}.")


def _properties(changes: Sequence[ChangeTold]) -> Iterator[Block]:
    """The diff of each resource; resources with the same one share it."""
    same: dict[str, list[ChangeTold]] = {}
    for change in changes:
        if change["differences"]:
            key = json.dumps([change["action"], change["type"], change["differences"]], default=str)
            same.setdefault(key, []).append(change)
    for found in same.values():
        first = found[0]
        yield Paragraph(f"{first['action']} {_kind(first['type'])} {_names([one['name'] for one in found])}")
        lines = (
            line
            for one in first["differences"]
            for line in difference_lines(one["path"], one["before"], one["after"])
        )
        yield Lines(tuple(lines), diff=True)


def _resource(change: ChangeTold) -> str:
    forced = f", forced by {_names(change['forcedBy'])}" if change["forcedBy"] else ""
    return f"{_kind(change['type'])} `{change['name']}`{forced}"


def _kind(type_token: str) -> str:
    return f"`{type_token.rpartition(':')[2]}`"


def _violation(violation: ViolationTold) -> str:
    where = violation["urn"].rpartition("::")[2]
    weight = "mandatory" if violation["mandatory"] else violation["severity"]
    return f"{weight}: `{violation['rule']}`{f' at `{where}`' if where else ''}: {violation['message']}"


def _revision(revision: RevisionTold) -> str:
    name = f"`{revision['ref']}`, " if revision["ref"] else ""
    edited = ", with edits that are not committed" if revision["edited"] else ""
    return f"{name}`{revision['commit'][:12]}` as of `{revision['day']}`{edited}"


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
    more = f" and {len(names) - MOST} more" if len(names) > MOST else ""
    return ", ".join(f"`{name}`" for name in names[:MOST]) + more


def _limited(texts: list[str]) -> Iterator[str]:
    yield from texts[:MOST]
    if len(texts) > MOST:
        yield f"and {len(texts) - MOST} more, below."


def _number(value: int | None) -> str:
    return "not known" if value is None else str(value)
