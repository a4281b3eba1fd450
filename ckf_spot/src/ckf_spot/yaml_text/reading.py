"""Reads YAML and JSON into plain values, and keeps the text for writing it again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import yaml
from yaml import Node

from ckf_spot.errors import ABSENT, Mistake, PlacementError
from ckf_spot.fields import Json
from ckf_spot.yaml_text import editing, writing
from ckf_spot.yaml_text.nodes import Composed, Values

_TOO_DEEP: Final = "it is nested too deeply"


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

    def changed(self, documents: Sequence[Any]) -> str:
        """The text with other values, in which all that did not change stands as it was, comments too.

        Args:
            documents: as many as were read, and then those to add.
        """
        added = documents[len(self.documents) :]
        if not self.nodes and not added:
            return writing.dump_json(documents[0], self.text)
        text = editing.edited(self.text, list(zip(self.nodes, self.documents, documents, strict=False)))
        if text is not None and added:
            text = f"{text.rstrip()}\n---\n{writing.dump(added)}"
        if text is not None and writing.same(_read(text).documents, list(documents)):
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
    except json.JSONDecodeError as error:
        raise PlacementError(_malformed(origin, error.lineno, error.msg)) from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = error.problem or error.context or "it can't be read"
        raise PlacementError(_malformed(origin, mark.line + 1 if mark else None, problem)) from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1 if isinstance(error.position, int) else None
        raise PlacementError(
            _malformed(origin, line, f"the character {error.character!r} is not allowed")
        ) from None
    except RecursionError:
        raise PlacementError(_malformed(origin, None, _TOO_DEEP)) from None


def parse(text: str, origin: str) -> Any:
    """The one value of a text, or None where there is none.

    Raises:
        PlacementError: it is malformed, or there are several.
    """
    documents = load(text, origin).documents
    if len(documents) > 1:
        raise PlacementError(Mistake(origin, ABSENT, "expected one", f"{len(documents)} documents"))
    return documents[0] if documents else None


def _malformed(origin: str, line: int | None, problem: str) -> Mistake:
    where = origin if line is None else f"{origin}, line {line}"
    return Mistake(where, ABSENT, "", f"malformed YAML: {problem}")


def _read(text: str) -> Stream:
    if text.lstrip().startswith(("{", "[")):
        try:
            return Stream([json.loads(text, object_pairs_hook=_once)], text, ())
        except json.JSONDecodeError:
            pass  # a flow collection of YAML looks alike
    composed = Composed(text)
    nodes: list[Node] = []
    while composed.check_node():
        nodes += filter(None, [composed.get_node()])
    values = Values()
    documents = [values.of(node) for node in nodes]
    kept = [(node, found) for node, found in zip(nodes, documents, strict=True) if found is not None]
    return Stream([found for _, found in kept], text, tuple(node for node, _ in kept))


def _once(pairs: list[tuple[str, Any]]) -> Json:
    found: Json = {}
    for key, value in pairs:
        if key in found:
            raise yaml.MarkedYAMLError(problem=f"the key {key!r} is given twice")
        found[key] = value
    return found
