"""Nothing that others wrote comes alive in a comment: read by a parser, then by a model of GitHub.

GitHub renders Markdown, and then looks in the text outside of code for mentions, issues, commits, emoji and formulas.
"""

import copy
import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, cast

import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.pull_request.observed import Run
from kubeflow_aks.pull_request.priced import priced
from kubeflow_aks.pull_request.report import MARKER, ChangeDocument, change_document, comment, terminal
from kubeflow_aks.pull_request.violations import Judged
from kubeflow_aks.text.escape import code, inline, visible
from tests.pull_request.hostile import ATTACKS, spoilt, texts
from tests.pull_request.observations import observed, pools, run
from tests.pull_request.test_report_document import VALIDATOR, violation

PARSER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
MERMAID = re.compile(
    r"flowchart LR|  classDef [a-z]+ [a-z0-9:#,\- ]+|  pool\d+ -\. \"sold out\" \.-> pool\d+"
    r"|  pool\d+\[\"[\w?-]+: [a-z]+(?:<br/>[\w?– -]+(?: → [\w?– -]+)?){3}\"\]:::[a-z]+",
    re.ASCII,
)
OURS = re.compile(r"<details(?: open)?>|</details>|<summary>[A-Za-z ]+(?: \(\d+\))?</summary>")
PAGES = "https://github.com/team/kubeflow-aks/blob/HEAD"
_HEADINGS = 3
"""Headings of a comment on two stacks."""
ALIVE = {
    "a mention": r"@\w",
    "an issue": r"#\d|\bGH-\d",
    "a commit": r"\b[0-9a-fA-F]{7,}\b",
    "an address": r"://|www\.|mailto:|xmpp:|\w@\w|\w\.\w",
    "an emoji": r":[\w+-]+:",
    "a formula": r"\$|\\\(|\\\[",
    "a footnote": r"\[\^",
    "HTML or an entity": r"[<>&]",
    "what nobody sees": r"[^\x20-\x7e\n\u2013\u2014\u2019\u2026\u2192]",
}
FORMS = [
    json.loads(
        json.dumps(
            change_document(
                observation,
                Judged([violation("a"), violation("b")], [violation("b"), violation("c", mandatory=True)]),
                priced(observation),
            )
        )
    )
    for observation in (
        observed(
            run(),
            run(
                **pools(cpuspot={"vmSize": "Standard_D16ds_v5"}, general={"workload": None}),
                budget={"monthly": 300},
            ),
        ),
        observed(run(location="atlantiscentral"), run()),
        observed(run(), run(**pools(general={"maxCount": 5}), cost={"currency": "EUR"})),
        observed(run(), run()),
        observed(Run(failure="x"), run()),
        observed(run(), Run(failure="x")),
        observed(run(), None),
    )
]
FIXED = frozenset({"outcome", "level", "severity", "action", "change", "kind", "day", "part"})
"""Keys whose values the schema fixes; `kind` is free for words, which do not show it."""


def wrong(text: str) -> list[str]:
    """What is alive in a comment that should not be."""
    return [*_wrong_tokens(list(_leaves(PARSER.parse(text)))), *_wrong_frame(text)]


def _leaves(tokens: list[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _leaves(token.children or [])


def _wrong_tokens(tokens: list[Token]) -> Iterator[str]:
    html = [token.content for token in tokens if token.type == "html_block"]
    lines = [line for block in html for line in block.splitlines()]
    if lines[0] != MARKER:
        yield f"first line {lines[0]!r}"
    yield from (f"HTML {line!r}" for line in lines[1:] if not OURS.fullmatch(line))
    opened = sum(line.startswith("<details") for line in lines), lines.count("</details>")
    if opened[0] != opened[1]:
        yield f"folds {opened}"
    if sum(token.type == "heading_open" for token in tokens) > _HEADINGS:
        yield "a heading"
    for token in tokens:
        if token.type in (
            "image",
            "html_inline",
            "code_block",
            "hr",
            "strong_open",
            "em_open",
            "s_open",
            "ordered_list_open",
        ):
            yield f"{token.type} {token.content!r}"
        if token.type == "link_open" and not _is_a_page(token.attrGet("href")):
            yield f"a link to {token.attrGet('href')!r}"
        if token.type == "fence" and token.info == "mermaid":
            yield from (line for line in token.content.splitlines() if not MERMAID.fullmatch(line))
        elif token.type == "fence" and token.info not in ("diff", "text"):
            yield f"a fence of {token.info!r}"
        if token.type == "text":
            yield from _alive(token.content.replace("[!CAUTION]", "").replace("[!WARNING]", ""))


@cache
def _alive(text: str) -> list[str]:
    return [f"{what} in {text!r}" for what, form in ALIVE.items() if re.search(form, text)]


def _is_a_page(address: object) -> bool:
    """Whether a link leads to a page of this repository."""
    page = str(address).removeprefix(f"{PAGES}/")
    return page != address and bool(re.fullmatch(r"docs/[\w/.-]+", page)) and (PROJECT_ROOT / page).is_file()


def _wrong_frame(text: str) -> Iterator[str]:
    if text.count("<!--") != 1 or not text.startswith(f"{MARKER}\n"):
        yield "no marker, or another one"
    if re.search(r"[\x00-\x09\x0b-\x1f]", text):
        yield "a control character"


@st.composite
def documents(draw: st.DrawFn) -> ChangeDocument:
    hostile = spoilt(draw(st.sampled_from(FORMS)), FIXED, draw)
    return cast(ChangeDocument, {**hostile, "stack": hostile["stack"][:255] or "s"})


@given(documents())
@settings(max_examples=25, phases=[Phase.generate])  # the smallest document would take minutes
def test_nothing_of_a_hostile_document_comes_alive(hostile: ChangeDocument) -> None:
    assert VALIDATOR.is_valid(hostile)
    assert wrong(comment([hostile, hostile], pages=PAGES)) == []
    for line in terminal(hostile, 80):
        assert visible(line) == line


@pytest.mark.parametrize("attack", ATTACKS, ids=ascii)
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form["outcome"])
def test_no_attack_comes_alive(form: Any, attack: str) -> None:
    document = copy.deepcopy(form)
    for text in (attack, f"x {attack} y", f"`{attack}`", f"`x`{attack}"):
        filled = cast(ChangeDocument, {**_filled(document, text), "stack": text or "s"})
        assert wrong(comment([filled, filled], pages=PAGES)) == []


def _filled(value: Any, text: str, key: str = "") -> Any:
    if isinstance(value, dict):
        return {name: _filled(item, text, name) for name, item in cast(dict[str, Any], value).items()}
    if isinstance(value, list):
        return [_filled(item, text, key) for item in cast(list[Any], value)]
    return text if isinstance(value, str) and key not in FIXED else value


@given(texts())
@example("`" * 81)
@settings(max_examples=250)
def test_a_sentence_holds_plain_words_and_code_only(text: str) -> None:
    shown = inline(text)
    tokens = list(_leaves(PARSER.parse(f"- {shown}")))
    assert {token.type for token in tokens} <= {
        "bullet_list_open", "list_item_open", "paragraph_open", "inline", "text", "code_inline", "paragraph_close",
        "list_item_close", "bullet_list_close",
    }  # fmt: skip
    assert len(PARSER.parse(f"| a |\n| --- |\n| {shown} |")) == len(PARSER.parse("| a |\n| --- |\n| b |"))


@given(texts())
@settings(max_examples=300)
def test_a_value_is_one_code_span(text: str) -> None:
    children = PARSER.parseInline(f"a {code(text)} b")[0].children or []
    assert [token.type for token in children] == (["text", "code_inline", "text"] if text else ["text"])


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Pool `cpuspot` scales from 0 to 4 nodes.", "Pool `cpuspot` scales from 0 to 4 nodes."),
        ("kubernetes.version is 1.34: it ends", "`kubernetes.version` is `1.34`: it ends"),
        ("the cluster's (own) pool, spot-only", "the cluster's (own) pool, spot-only"),
        ("`a``b`", "`a` `b`"),
        ("1. one", "`1.` one"),
        ("@octocat approved (octo/cat#1)", "`@octocat` approved (`octo/cat#1`)"),
        ("effaced www. GH-1", "`effaced` `www`. `GH-1`"),
        ("effaced-a, it's non-effaced: well-faced", "`effaced-a`, it's `non-effaced`: well-faced"),
        ("a\nb  c", "a b c"),
        ("left `open", "left `\\u{60}open`"),
        ("`a|b`", "`a\\u{7c}b`"),
        ("", "(empty)"),
    ],
)
def test_how_a_sentence_looks(text: str, shown: str) -> None:
    assert inline(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\u202eb", "a\\u{202e}b"),
        ("a\u200bb", "a\\u{200b}b"),
        ("a\nb\tc", "a\\nb\\tc"),
        ("\x1b[2J", "\\u{1b}[2J"),
        ("\u3164", "\\u{3164}"),
        ("Zürich 東京 ✓", "Zürich 東京 ✓"),
    ],
)
def test_what_nobody_would_see_is_written(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_a_page_is_linked_once_and_only_one_of_this_repository() -> None:
    page = "docs/how-to/move-a-pool.md"
    hostile = " ".join(
        f"`{it}`" for it in (page, page, "docs/none.md", "docs/../README.md", "docs/x.md)(http://e.x")
    )
    document = cast(
        ChangeDocument,
        {**FORMS[0], "words": [{"kind": "k", "level": "danger", "subject": "s", "text": hostile}]},
    )
    text = comment([document], pages=PAGES)
    assert text.count(f"[`{page}`]({PAGES}/{page})") == 1
    assert text.count("](") == 2  # the page about the preview itself is the other one
    assert wrong(text) == []
    assert "](" not in comment([document])
