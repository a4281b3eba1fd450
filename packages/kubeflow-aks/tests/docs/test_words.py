"""A name is the noun of what it holds, never a bare participle; no docstring begins with "Of"."""

import ast
import re
from collections.abc import Iterator
from typing import Final

from kubeflow_aks.project import PROJECT_ROOT
from tests.tracked import tracked

WORDS: Final = ("found", "each", "given", "own", "known", "told", "said", "asked", "wanted", "had")
_MAY_BE_ONE: Final = re.compile(
    rf"""(?<!\w)_*({"|".join(WORDS)})_*( *([=,:)(|#\]\[}}]|\W=|in\b|if\b)|$)|["']\s*Of\s""", re.MULTILINE
)
"""What a mistake looks like as text; a file without it is not parsed."""


def mistakes(source: str) -> Iterator[str]:
    """The line and the words of each mistake in a module; a plain use of a name is none, only binding it."""
    for node in ast.walk(ast.parse(source)) if _MAY_BE_ONE.search(source) else ():
        match node:
            case (
                ast.Name(id=name, ctx=ast.Store())
                | ast.Attribute(attr=name, ctx=ast.Store())
                | ast.arg(arg=name)
                | ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
                | ast.ClassDef(name=name)
                | ast.ExceptHandler(name=str(name))
                | ast.MatchAs(name=str(name))
                | ast.MatchStar(name=str(name))
                | ast.MatchMapping(rest=str(name))
                | ast.alias(asname=str(name))
            ) if name.strip("_") in WORDS:
                yield f"{getattr(node, 'lineno', 0)}: {name}"
            case ast.Expr(value=ast.Constant(value=str(text))) if text.lstrip().startswith("Of "):
                yield f"{node.lineno}: {text}"
            case _:
                pass


def test_no_name_is_a_bare_participle_and_no_docstring_begins_with_of() -> None:
    modules = {file.relative_to(PROJECT_ROOT): file.read_text() for file in tracked("*.py")}
    assert len(modules) > 1000
    assert [f"{file}:{mistake}" for file, text in modules.items() for mistake in mistakes(text)] == []


def test_every_way_to_bind_a_name_counts() -> None:
    for binding in (
        "found = 1",
        "found: int = 1",
        "x, *found = []",
        "if found := 1: pass",
        "for each in (): pass",
        "[x for _, each in ()]",
        "def f(a, *, given=1): pass",
        "lambda given: 1",
        "known += 1",
        "def _own(): pass",
        "class known: pass",
        "import x as known",
        "x.known_ = 1",
        "with x as (found): pass",
        "try: pass\nexcept E as found: pass",
        "match x:\n case [found, _] if x: pass",
        "match x:\n case [_, *found]: pass",
        "match x:\n case {**found}: pass",
        "N = 1\n'''Of a pool.'''",
        'def f():\n    """\n    Of a pool.\n    """',
    ):
        assert len(list(mistakes(binding))) == 1, binding
    for use in (
        "x(given=1)",
        "known.x = 1",
        "found[1] = 2",
        "# found: x",
        "well_known = 1",
        "x = 'Of a pool'",
    ):
        assert list(mistakes(use)) == [], use
