"""Texts that try to come alive in a comment on GitHub."""

from typing import Any, cast

from hypothesis import strategies as st

ATTACKS = (
    "@octocat",
    "@org/team",
    "a@b.example",
    "#1",
    "GH-1",
    "owner/repo#1",
    "owner/repo@0123456789abcdef0123456789abcdef01234567",
    "0123456",
    "deadbeef",
    "effaced",
    "effaced-a",
    "a-deadbeef's",
    "a-www.",
    "notewww.",
    "xmpp:",
    "amailto:",
    "https://evil.example/x",
    "http://evil.example",
    "www.evil.example",
    "www.",
    "evil.example",
    "mailto:a@b.example",
    "xmpp:a@b.example",
    "<https://evil.example>",
    "[x](https://evil.example)",
    "![x](https://evil.example/p.png)",
    "[x]: https://evil.example",
    "[^1]",
    "[^1]: note",
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "</details>",
    "</summary><h1>x</h1>",
    "<details>",
    "<!-- kubeflow-aks preview: demo -->",
    "-->",
    "--!>",
    "<?php",
    "<![CDATA[",
    "<!DOCTYPE",
    "&#64;octocat",
    "&lt;b&gt;",
    "&commat;octocat",
    "`",
    "``",
    "```",
    "```suggestion\nx\n```",
    "```mermaid\ngraph TD\n```",
    "~~~",
    "`" * 81,
    "`" * 300,
    "|",
    "\\|",
    "\\\\|",
    "| a | b |\n| --- | --- |",
    "\n\n# heading",
    "# heading",
    "\n===\n",
    "\n---\n",
    "- [ ] task",
    "1. one",
    "1)",
    "+ a",
    "* * *",
    "> [!NOTE]",
    "**bold**",
    "_it_",
    "~~gone~~",
    ":rocket:",
    ":+1:",
    "$x$",
    "$$\nx\n$$",
    "$`x`$",
    "\\(x\\)",
    "\u202egnp.exe",
    "\u200b@octocat",
    "a\u0301\u0301\u0301",
    "\u3164",
    "\x1b[2J\x1b]0;x\x07",
    "\x00",
    "\r\n",
    "\u2028\u2029\x85",
    "\ud800",
    "\u212a",
    "@\u017foo",
    "\\",
    "\t",
    "    code",
    "",
    " ",
)
LETTERS = "`|\\<>@#[]()!&*_~$:;.,-+=/ \n\t0123456789abcdefGHghttpswww\u200b\u202eé字"


def texts() -> st.SearchStrategy[str]:
    """Attacks, pieces of them put together, and any text."""
    piece = st.sampled_from(ATTACKS) | st.text(LETTERS, max_size=12)
    return (
        st.lists(piece, max_size=6).map("".join)
        | st.lists(piece, max_size=6).map(" ".join)
        | st.text(max_size=20)
    )


def spoilt(value: Any, keep: frozenset[str], draw: st.DrawFn, key: str = "") -> Any:
    """A document whose texts are all hostile but those under the keys that a schema fixes."""
    if isinstance(value, dict):
        return {name: spoilt(item, keep, draw, name) for name, item in cast(dict[str, Any], value).items()}
    if isinstance(value, list):
        return [spoilt(item, keep, draw, key) for item in cast(list[Any], value)]
    return draw(texts()) if isinstance(value, str) and key not in keep else value
