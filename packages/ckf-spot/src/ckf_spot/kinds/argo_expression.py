"""Evaluates the simple expressions with which workflows of Argo say whether a step is tried again.

Of expr-lang, in which they are written, these are read: texts, numbers, lists, the comparisons, `and`, `or`, `not`, and
`asInt`, `asFloat` and `string`. The value of any other variable or function is unknown, and so is what depends on it.
"""

import operator
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

_TOKEN: Final = re.compile(
    r"""\s*(?:(?P<text>'[^'\\]*'|"[^"\\]*")|(?P<number>\d+(?:\.\d+)?)|(?P<name>[A-Za-z_][\w.]*)"""
    r"""|(?P<sign>&&|\|\||[=!<>]=|[-!<>()\[\],]))"""
)
_MOST: Final = 200
"""Tokens; nobody writes more, and each may be a level of its own."""
_CONSTANTS: Final = {"true": True, "false": False}
_FUNCTIONS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "asInt": int,
    "int": int,
    "asFloat": float,
    "float": float,
    "string": str,
}
_COMPARISONS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "in": lambda value, values: value in _listed(values),
    "not in": lambda value, values: value not in _listed(values),
    "contains": lambda left, right: right in left,
    "startsWith": str.startswith,
    "endsWith": str.endswith,
    "matches": lambda left, right: re.search(right, left) is not None,
}
_UNKNOWN: Final = None


def evaluate(expression: str, variables: Mapping[str, str]) -> bool | None:
    """Whether an expression is true; None where that is not known.

    Args:
        expression: as it stands in the workflow.
        variables: values of those that are known, by name, such as `lastRetry.exitCode`.
    """
    try:
        value = _Reader(_tokens(expression), variables).all()
    except (ArithmeticError, LookupError, TypeError, ValueError, re.error):
        return None
    return value if isinstance(value, bool) else None


def _tokens(expression: str) -> list[tuple[str, str]]:
    """Kinds and texts; ValueError where there is something else."""
    tokens: list[tuple[str, str]] = []
    text = expression.rstrip()
    place = 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None or len(tokens) == _MOST:
            raise ValueError(text[place:])
        tokens.append((str(match.lastgroup), match[str(match.lastgroup)]))
        place = match.end()
    return tokens


class _Reader:
    """Reads an expression from the left, and evaluates it at once."""

    def __init__(self, tokens: list[tuple[str, str]], variables: Mapping[str, str]) -> None:
        self._tokens = [*tokens, ("end", "")]
        self._variables = variables

    def all(self) -> Any:
        value = self._either()
        self._expect("")
        return value

    def _either(self) -> Any:
        value = self._both()
        while self._take("or", "||"):
            value = _either(value, self._both())
        return value

    def _both(self) -> Any:
        value = self._comparison()
        while self._take("and", "&&"):
            other = self._comparison()
            value = _opposite(_either(_opposite(value), _opposite(other)))
        return value

    def _comparison(self) -> Any:
        value = self._single()
        while sign := self._take(*_COMPARISONS, "not"):
            if sign == "not":
                self._expect("in")
                sign = "not in"
            other = self._single()
            readable = _UNKNOWN not in (value, other) and not (isinstance(other, list) and _UNKNOWN in other)
            compare: Any = _COMPARISONS[sign]
            value = compare(value, other) if readable else _UNKNOWN
        return value

    def _single(self) -> Any:
        if self._take("not", "!"):
            return _opposite(self._single())
        if self._take("-"):
            value = self._single()
            return _UNKNOWN if value is _UNKNOWN else -value
        if self._take("("):
            value = self._either()
            self._expect(")")
            return value
        if self._take("["):
            return self._list("]")
        kind, text = self._tokens.pop(0)
        if kind == "text":
            return text[1:-1]
        if kind == "number":
            return float(text) if "." in text else int(text)
        if kind != "name":
            raise ValueError(text)
        if self._take("("):
            arguments = self._list(")")
            readable = text in _FUNCTIONS and len(arguments) == 1 and arguments[0] is not _UNKNOWN
            return _FUNCTIONS[text](arguments[0]) if readable else _UNKNOWN
        return _CONSTANTS.get(text, self._variables.get(text, _UNKNOWN))

    def _list(self, end: str) -> list[Any]:
        values: list[Any] = []
        while not self._take(end):
            values.append(self._either())
            if not self._take(","):
                self._expect(end)
                break
        return values

    def _take(self, *texts: str) -> str:
        """The next sign or word if it is one of these, which is then behind; else nothing."""
        kind, text = self._tokens[0]
        if kind in {"text", "number"} or text not in texts:
            return ""
        self._tokens.pop(0)
        return text

    def _expect(self, text: str) -> None:
        if self._tokens.pop(0)[1] != text:
            raise ValueError(text)


def _listed(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError(value)
    return value


def _either(left: Any, right: Any) -> bool | None:
    """Whether one of two is true, of which one may be unknown."""
    if left is True or right is True:
        return True
    return False if left is False and right is False else _UNKNOWN


def _opposite(value: Any) -> bool | None:
    return not value if isinstance(value, bool) else _UNKNOWN
