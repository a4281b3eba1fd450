"""The documents of all stacks as one comment on GitHub."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from kubeflow_aks.cost.formatting import money, same
from kubeflow_aks.cost.report.change import expected
from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.pull_request.report.document import ChangeDocument
from kubeflow_aks.pull_request.report.impacts.impact import quoted
from kubeflow_aks.pull_request.report.page import happening, mandatory, page, page_beside_table
from kubeflow_aks.text.blocks import Alert, Block, Items, Page, Paragraph, Table
from kubeflow_aks.text.escape import inline
from kubeflow_aks.text.markdown import LONGEST, blocks_text, page_text
from kubeflow_aks.text.numbers import counted
from kubeflow_aks.text.sentences import first_of

MARKER: Final = "<!-- kubeflow-aks preview -->"
"""The hidden first line, by which the comment is found again."""
_LOSSES: Final = frozenset(
    {
        "cluster-deleted",
        "cluster-replaced",
        "pool-replaced",
        "pool-remade",
        "pool-removed",
        "deleted",
        "replaced",
    }
)
"""Kinds of impacts by which nodes, data or access are lost."""
_WITHOUT_PREVIEW: Final = ("headFailed", "notJudged")
_REFUSALS: Final = {"azure-refuses": "by Azure", "cluster-refuses": "by the API server"}
_MOST_NAMES: Final = 4
_MOST_LINKS: Final = 15
_PAGE: Final = re.compile(r"`(docs/(?:[a-z0-9-]+/)?[a-z0-9-]+\.md)`")
"""A page of this repository, as a value in a sentence."""
_ARM_ID: Final = re.compile(r"/subscriptions/[^\s'\"`,;()]*[^\s'\"`,;().:]", re.IGNORECASE)
_SIMULATED: Final = (
    "Azure is simulated here, and the present state of the clusters is not known: neither edits by hand nor AKS's own "
    "upgrades. Page `docs/how-to/preview-a-pull-request.md` has what this does not show."
)


def comment(
    documents: Sequence[ChangeDocument],
    *,
    note: str = "",
    missing: Sequence[str] = (),
    origin: str = "",
    pages: str = "",
) -> str:
    """The comment, in about 60,000 bytes: safe for any documents that match the schema.

    `note` and `origin`, Markdown of ours, stand above and below it; `pages` is the address of this repository's files,
    to which the first mention of a page is linked.
    """
    ordered = sorted(documents, key=lambda document: (_weight(document), document["stack"]))
    loud = [document for document in ordered if not is_quiet(document)]
    headline = inline(_headline(documents, missing))
    if not loud and not missing:
        return "\n".join([MARKER, headline, *filter(None, [note, origin])]) + "\n"
    parts = [MARKER, f"### {headline}\n", note, blocks_text(_head(ordered, loud, missing))]
    room = LONGEST - sum(len(part.encode()) + 1 for part in parts)
    seen: set[str] = set()
    for number, document in enumerate(loud):
        shown = page_text(
            _with_ids_once(page_beside_table(document), seen), room // (len(loud) - number), "####"
        )
        room -= len(shown.encode()) + 1
        parts.append(shown)
    return _linked("\n".join(filter(None, [*parts, origin])), pages) + "\n"


def is_quiet(document: ChangeDocument) -> bool:
    """Whether one line is all there is to say of a stack."""
    return document["outcome"] == "unchanged" and page(document).quiet


def _weight(document: ChangeDocument) -> int:
    """The place of a stack, the worst first."""
    if document["outcome"] in _WITHOUT_PREVIEW:
        return 0
    levels = {impact["level"] for impact in document["words"]}
    if "danger" in levels or mandatory(document):
        return 1
    return 2 if "caution" in levels else 3


def _headline(documents: Sequence[ChangeDocument], missing: Sequence[str]) -> str:
    stacks = len(documents) + len(missing)
    changing = sum(document["outcome"] != "unchanged" for document in documents)
    if not changing and not missing:
        names = first_of([f"`{document['stack']}`" for document in documents], 50)
        return f"Nothing changes in {names}." if names else "There is no stack."
    return f"Preview: {changing} of {counted(stacks, 'stack')} {'changes' if changing == 1 else 'change'}"


def _head(
    documents: Sequence[ChangeDocument], loud: Sequence[ChangeDocument], missing: Sequence[str]
) -> Iterator[Block]:
    if loud:
        head = ("Stack", "Changes", "Refused", "Lost", "A month", "Policy")
        yield Table(head, tuple(map(_row, loud)))
    if quiet := [f"`{document['stack']}`" for document in documents if document not in loud]:
        yield Paragraph(f"Nothing changes in {first_of(quiet, 50)}.")
    if missing:
        yield Paragraph(f"No result for {first_of([f'`{stack}`' for stack in missing], 50)}: see the run.")
    tried = sum(document["azure"]["tried"] for document in documents)
    untried = sum(len(document["azure"]["untried"]) for document in documents)
    others = "; the others stand under Notes" if untried else ""
    yield Paragraph(
        f"{_SIMULATED} Tried there: {tried} of {counted(tried + untried, 'request')} to Azure{others}."
    )
    if loud:
        yield Paragraph(_next(loud[0]))


def _row(document: ChangeDocument) -> tuple[str, ...]:
    return (
        f"`{document['stack']}`",
        happening(document).partition(",")[0]
        if document["outcome"] in _WITHOUT_PREVIEW
        else happening(document),
        _refused(document),
        _lost(document),
        _bill(document),
        _policy(document),
    )


def _refused(document: ChangeDocument) -> str:
    kinds = [impact["kind"] for impact in document["words"]]
    by = [f"{who}: {kinds.count(kind)}" for kind, who in _REFUSALS.items() if kind in kinds]
    return ", ".join([*by, *(["by protection"] if "refused" in kinds else [])]) or "–"


def _lost(document: ChangeDocument) -> str:
    names = [quoted(impact["subject"]) for impact in document["words"] if impact["kind"] in _LOSSES]
    return first_of(list(dict.fromkeys(names)), _MOST_NAMES) or "–"


def _bill(document: ChangeDocument) -> str:
    cost = document["cost"]
    if cost is None:
        return "–"
    if cost["after"] is None:
        return "unknown"
    after = expected(cost["after"]["monthly"])
    before = expected(cost["before"]["monthly"]) if cost["before"] else None
    now = f"`{money(after, cost['currency'])}`"
    if before is None:
        return f"{now}, was unknown" if cost["whyNot"]["base"] else now
    if same(before, after):
        return f"{now}, as before"
    return f"{now}, was `{money(before, cost['currency'])}`"


def _policy(document: ChangeDocument) -> str:
    numbers = [f"{len(entries)} {when}" for when, entries in document["policy"].items() if entries]
    if count := mandatory(document):
        numbers.append(f"{count} mandatory")
    return ", ".join(numbers) or "–"


def _next(document: ChangeDocument) -> str:
    """The command that comes next, for the stack that needs it most."""
    stack = document["stack"]
    if document["outcome"] == "headFailed":
        return f"Next: `./kubeflow-aks preview {stack}` lists the mistakes of its settings in seconds."
    if any(impact["kind"] in {"refused", *_REFUSALS} for impact in document["words"]):
        return f"Next: `./kubeflow-aks diff --stack {stack}` after what is refused is taken out."
    if mandatory(document):
        return f"Next: `./kubeflow-aks policy {stack}` after what is mandatory is mended."
    if document["outcome"] == "removed":
        return f"Next: `pulumi destroy --stack {stack}` before the merge, if the stack is to go."
    return (
        f"Next: after the merge `pulumi preview --stack {stack}`, which knows what is there, then "
        f"`pulumi up --stack {stack}`."
    )


def _linked(text: str, pages: str) -> str:
    """The comment with links to pages of this repository, none inside a fence."""
    links: dict[str, str] = {}

    def shown(match: re.Match[str]) -> str:
        page_path = match[1]
        if page_path in links or len(links) >= _MOST_LINKS or not (PROJECT_ROOT / page_path).is_file():
            return match[0]
        links[page_path] = f"{pages}/{page_path}"
        return f"[{match[0]}]({links[page_path]})"

    fences = text.split("\n```")  # every other part is inside a fence
    shown_parts = [_PAGE.sub(shown, part) if number % 2 == 0 else part for number, part in enumerate(fences)]
    return "\n```".join(shown_parts) if pages else text


def _with_ids_once(shown: Page, seen: set[str]) -> Page:
    """The page with each ARM id in full where it stands first; afterwards its last two parts are enough."""
    sections = [replace(section, blocks=list(_blocks(section.blocks, seen))) for section in shown.sections]
    return replace(shown, top=list(_blocks(shown.top, seen)), sections=sections)


def _blocks(blocks: Iterable[Block], seen: set[str]) -> Iterator[Block]:
    for block in blocks:
        match block:
            case Paragraph(text):
                yield Paragraph(_once(text, seen))
            case Items(items):
                yield Items(tuple(_once(item, seen) for item in items))
            case Alert(danger, items):
                yield Alert(danger, tuple(_once(item, seen) for item in items))
            case _:
                yield block


def _once(text: str, seen: set[str]) -> str:
    def shown(match: re.Match[str]) -> str:
        arm_id = match[0]
        if arm_id.lower() in seen:
            return "…/" + "/".join(arm_id.split("/")[-2:])
        seen.add(arm_id.lower())
        return arm_id

    return _ARM_ID.sub(shown, text)
