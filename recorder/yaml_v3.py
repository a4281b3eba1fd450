"""YAML as the CLI reads it: untyped values by the rules of gopkg.in/yaml.v3 3.0.1 (`resolve.go`, `decode.go`).

That is neither YAML 1.1, which PyYAML reads, nor 1.2: `yes` and `22:00` are text, `010` and `0o10` are 8, a date is a
time. PyYAML finds the nodes (`recorder.yaml_nodes`), and this decides what they are.
"""

import base64
import binascii
import math
import re
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import Any, cast

import yaml

from recorder.yaml_nodes import Nodes, YamlError

_PREFIX = "tag:yaml.org,2002:"
_WORDS: dict[str, Any] = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
    **{sign + word: math.inf for sign in ("", "+") for word in (".inf", ".Inf", ".INF")},
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
}
_INTEGER = re.compile(r"([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_DOT_FLOAT = re.compile(r"\.[0-9]+(_[0-9]+)*([eE][-+]?[0-9]+)?")
_TIME = re.compile(
    r"(\d{4})-(\d\d?)-(\d\d?)"
    r"(?:(?P<gap>[Tt ])(\d\d?):(\d\d?):(\d\d?)(?:[.,](\d{1,9})\d*)?(?P<zone>Z|[-+]\d\d:\d\d)?)?",
    re.ASCII,
)
_LONGEST_INTEGER = 70
"""More characters than any integer of 64 bits has."""
_SMALLEST, _LARGEST = -(2**63), 2**64 - 1
_DEEPEST = 200
"""Levels of nesting; the CLI allows 10,000, Python's stack fewer."""
_ALIASES, _MOST_ALIASES, _MOST_VALUES = 100, 0.99, 400_000
"""Where many values come from aliases: from how many on, which share, and how many values at all (`decode.go`)."""


class Time(str):
    """A date or time without quotes, as the text that Go's `time.Time.String` gives and Pulumi takes."""

    __slots__ = ()


class Key(str):
    """A key that is no text in the file, as the text that Go's `%v` gives and Pulumi takes."""

    __slots__ = ()


def load(text: str) -> Any:
    """The first document of a text: None, bool, int, float, str, `Time`, lists, and maps whose keys are text.

    Raises:
        YamlError: it is not YAML as the CLI reads it.
    """
    try:
        node = Nodes(text).first()
        return _Values().value(node) if node else None
    except (ValueError, OverflowError) as error:
        if isinstance(error, YamlError):
            raise
        raise YamlError("an escape in quotes names no character") from None
    except RecursionError:
        raise YamlError(f"brackets or indents nested deeper than {_DEEPEST} levels") from None
    except yaml.MarkedYAMLError as error:
        raise YamlError(str(error.problem or error.context), error.problem_mark) from None
    except yaml.reader.ReaderError as error:
        raise YamlError(f"character U+{cast(int, error.character):04X} is not allowed") from None


class _Values:
    """Values of nodes, with the limits that the CLI has for them."""

    def __init__(self) -> None:
        self._inside: list[yaml.Node] = []
        self._seen: set[int] = set()
        self._count = self._repeated = 0

    def value(self, node: yaml.Node) -> Any:
        """The value of a node and all below it."""
        self._limit(node)
        if isinstance(node, yaml.ScalarNode):
            return _scalar(node)
        if node in self._inside:
            raise YamlError("an anchor contains itself", node.start_mark)
        if len(self._inside) >= _DEEPEST:
            raise YamlError(f"nested deeper than {_DEEPEST} levels", node.start_mark)
        self._inside.append(node)
        found = (
            self._mapping(node)
            if isinstance(node, yaml.MappingNode)
            else [self.value(item) for item in cast(list[yaml.Node], node.value)]
        )
        self._inside.pop()
        return found

    def _limit(self, node: yaml.Node) -> None:
        self._count += 1
        self._repeated += id(node) in self._seen
        self._seen.add(id(node))
        many = self._count > _MOST_VALUES or self._repeated / self._count > _MOST_ALIASES
        if self._repeated > _ALIASES and many:
            raise YamlError("too many values come from aliases", node.start_mark)

    def _mapping(self, node: yaml.MappingNode) -> dict[str, Any]:
        pairs = cast(list[tuple[yaml.Node, yaml.Node]], node.value)
        _no_key_twice(pairs)
        found: dict[str, Any] = {}
        for key, item in pairs:
            if _merges(key):
                continue
            name = self.value(key)
            if isinstance(name, list | dict):
                raise YamlError("a list or mapping is no key", key.start_mark)
            found[name if type(name) is str else Key(_go_text(name))] = self.value(item)
        for merged in (merged for key, item in pairs if _merges(key) for merged in _sources(item)):
            found = {**cast(dict[str, Any], self.value(merged)), **found}
        return found


def _no_key_twice(pairs: list[tuple[yaml.Node, yaml.Node]]) -> None:
    lines: dict[str, int] = {}
    for key, _ in pairs:
        text = str(key.value)
        if text in lines:
            raise YamlError(f"the key {text} occurs twice, first in line {lines[text]}", key.start_mark)
        lines[text] = key.start_mark.line + 1


def _merges(key: yaml.Node) -> bool:
    """Whether a key is `<<`; one in quotes is written anew without them and merges when Pulumi reads that."""
    return isinstance(key, yaml.ScalarNode) and key.value == "<<"


def _sources(node: yaml.Node) -> Iterator[yaml.Node]:
    """The mappings that `<<` merges; the first that has a key wins, after the mapping itself."""
    nodes = cast(list[yaml.Node], node.value) if isinstance(node, yaml.SequenceNode) else [node]
    for source in nodes:
        if not isinstance(source, yaml.MappingNode):
            raise YamlError("<< needs a mapping or a list of mappings", source.start_mark)
        yield source


def _scalar(node: yaml.ScalarNode) -> Any:
    text: str = node.value
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise YamlError("an escape in quotes names half of a character", node.start_mark)
    kind = str(node.tag).removeprefix(_PREFIX)
    if kind == "binary":
        try:
            return base64.b64decode("".join(text.split()), validate=True).decode(errors="replace")
        except binascii.Error:
            raise YamlError("!!binary needs base64", node.start_mark) from None
    if kind not in ("", "bool", "int", "float", "null", "timestamp"):
        return text
    found: object = plain_value(text, timestamp=kind in ("", "timestamp"))
    if kind == "float" and type(found) is int:
        return float(found)
    if kind and _KINDS.get(type(found)) != kind:
        raise YamlError(f"{text!r} is not of the type !!{kind} that its tag says", node.start_mark)
    return found


def _go_text(value: Any) -> str:
    """A key as text. Whole floats are integers by then: Pulumi writes the file anew and reads it again."""
    if value is None:
        return "<nil>"
    return str(value).lower() if isinstance(value, bool) else go_number(value)


def go_number(value: float | str) -> str:
    """A number as Go's `encoding/json` writes it: no exponent from 1e-6 up to 1e21; text stays as it is."""
    if not isinstance(value, float):
        return str(value)
    if not value:
        return "0"
    if 1e-6 <= abs(value) < 1e21:  # noqa: PLR2004 - the two limits above
        text = format(Decimal(repr(value)), "f")
        return text.rstrip("0").rstrip(".") if "." in text else text
    return repr(value).replace("e-0", "e-")


_KINDS: dict[type, str] = {bool: "bool", int: "int", float: "float", type(None): "null", Time: "timestamp"}


def plain_value(text: str, *, timestamp: bool = True) -> Any:
    """What a scalar without quotes is."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] == ".":
        return _number(text) if _DOT_FLOAT.fullmatch(text) else text
    if text[0] not in "+-0123456789":
        return text
    if timestamp and (time := _time(text)):
        return time
    digits = text.replace("_", "")
    if len(digits) <= _LONGEST_INTEGER and (found := _INTEGER.fullmatch(digits)):
        sign, *by_base = found.groups()
        base, value = next((b, v) for b, v in zip((16, 2, 8, 10), by_base, strict=True) if v is not None)
        number = int(f"{sign}{value}", base)
        if _SMALLEST <= number <= _LARGEST:
            return number
    return _number(digits, text) if _FLOAT.fullmatch(digits) else text


def _number(digits: str, text: str | None = None) -> float | str:
    """The number; one beyond the range of 64 bits stays text."""
    number = float(digits)
    return (text or digits) if math.isinf(number) else number


def _time(text: str) -> Time | None:
    found = _TIME.fullmatch(text)
    if not found:
        return None
    year, month, day, _, hour, minute, second, fraction, zone = found.groups()
    gap = found["gap"]
    if gap and (gap == " ") == bool(zone):  # a zone with T, none with a blank
        return None
    offset = timedelta()
    if zone and zone != "Z":
        offset = timedelta(hours=int(zone[1:3]), minutes=int(zone[4:])) * (-1 if zone[0] == "-" else 1)
    try:
        moment = datetime(
            *(int(part or 0) for part in (year, month, day, hour, minute, second)),  # pyright: ignore[reportArgumentType]
            tzinfo=timezone(offset),
        )
    except ValueError:
        return None
    rest = (fraction or "").rstrip("0")
    name = "UTC" if zone in (None, "Z") or not offset else f"{moment:%z}"
    year_first = f"{moment.year:04}-{moment:%m-%d %H:%M:%S}"
    return Time(f"{year_first}{'.' if rest else ''}{rest} {moment:%z} {name}")
