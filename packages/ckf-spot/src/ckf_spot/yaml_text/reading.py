"""Reads YAML and JSON into plain values, and keeps the text for writing it again."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import yaml
from yaml import Node

from ckf_spot.errors import ABSENT, Mistake, PlacementError, refusal
from ckf_spot.fields import Json
from ckf_spot.yaml_text import editing, writing
from ckf_spot.yaml_text.nodes import DEEPEST, FILLED_IN_FIRST, Composed, Values

_TEMPLATE: Final = re.compile(r"^\s*\{\{", re.MULTILINE)
"""A line that begins with an instruction of Helm's."""
_TOO_DEEP: Final = "it is nested too deeply"
_TOO_LONG: Final = "a number in it is too long"


@dataclass(frozen=True)
class Stream:
    """What was read.

    Attributes:
        documents: the plain values, without empty documents.
        text: as it was read.
        nodes: of each document; none where it was JSON.
    """

    documents: list[Any]
    text: str
    nodes: tuple[Node, ...]

    @property
    def is_json(self) -> bool:
        """Whether it is JSON, which has no comments to keep."""
        return bool(self.documents) and not self.nodes

    def changed(self, documents: Sequence[Any]) -> str:
        """The text with other values, in which all that did not change stands as it was, comments too.

        Args:
            documents: as many as were read, or more, which come at the end.
        """
        if writing.same(self.documents, list(documents)):
            return self.text
        if self.is_json and len(documents) == 1:
            return writing.dump_json(documents[0], self.text)
        changes = list(zip(self.nodes, self.documents, documents, strict=False))
        more = documents[len(changes) :]
        for spelt_out in (False, True):
            text = editing.edited(self.text, changes, spelt_out=spelt_out)
            if more:
                text = f"{text.rstrip()}\n---\n{writing.dump(more)}"
            if _means(text, documents):
                return text
        return writing.dump(documents)  # rather without comments than with another meaning


def load(text: str, origin: str) -> Stream:
    """Reads a stream of documents.

    Args:
        text: YAML, or one JSON value.
        origin: where it comes from, for messages.

    Raises:
        PlacementError: it is malformed; the text says in which line.
    """
    try:
        return _read(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = error.problem or error.context or "it can't be read"
        if FILLED_IN_FIRST not in problem and _TEMPLATE.search(text):
            problem = f"{problem}; {FILLED_IN_FIRST}"
        raise PlacementError(_malformed(origin, mark.line + 1 if mark else None, problem)) from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1 if isinstance(error.position, int) else None
        raise PlacementError(
            _malformed(origin, line, f"the character U+{error.character:04X} is not allowed")
        ) from None
    except RecursionError:
        raise PlacementError(_malformed(origin, None, _TOO_DEEP)) from None
    except ValueError:  # Python refuses to read a whole number of more than 4300 digits
        raise PlacementError(_malformed(origin, None, _TOO_LONG)) from None


def parse(text: str, origin: str) -> Any:
    """The one value of a text, or None where there is none.

    Raises:
        PlacementError: it is malformed, or there are several.
    """
    documents = load(text, origin).documents
    if len(documents) > 1:
        raise refusal(origin, ABSENT, "expected one", f"{len(documents)} documents")
    return documents[0] if documents else None


def _malformed(origin: str, line: int | None, problem: str) -> Mistake:
    where = origin if line is None else f"{origin}, line {line}"
    return Mistake(where, ABSENT, "", f"malformed YAML: {problem}")


def _means(text: str, documents: Sequence[Any]) -> bool:
    try:
        return writing.same(_read(text).documents, list(documents))
    except (yaml.YAMLError, RecursionError):
        return False


def _read(text: str) -> Stream:
    if text.lstrip("\ufeff \t\r\n").startswith(("{", "[")):
        try:
            return Stream([_json(text)], text, ())
        except (ValueError, RecursionError):
            pass  # YAML looks alike, and its reader knows in which line a mistake is
    # With an end of its last line, as kubectl reads it: it matters to a `|` at a file's end.
    composed = Composed(text if text.endswith("\n") else f"{text}\n")
    nodes: list[Node] = []
    while composed.check_node():
        nodes += filter(None, [composed.get_node()])
    values = Values()
    documents = [values.value(node) for node in nodes]
    kept = [(node, document) for node, document in zip(nodes, documents, strict=True) if document is not None]
    return Stream([document for _, document in kept], text, tuple(node for node, _ in kept))


def _json(text: str) -> Any:
    """The value of a JSON text.

    Raises:
        ValueError: it isn't JSON, or holds what no JSON may: a key twice, half of a character, `NaN`, too many levels.
    """
    value = json.loads(text.removeprefix("\ufeff"), object_pairs_hook=_once, parse_constant=_no_constant)
    level = [value]
    for _ in range(DEEPEST):
        level = [part for value in level for part in _parts(value)]
    if level:
        raise ValueError
    json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    return value


def _parts(value: Any) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


def _no_constant(name: str) -> None:
    raise ValueError(name)


def _once(pairs: list[tuple[str, Any]]) -> Json:
    result = dict(pairs)
    if len(result) < len(pairs):
        raise ValueError
    return result
