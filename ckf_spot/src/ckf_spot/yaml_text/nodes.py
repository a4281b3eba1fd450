"""The nodes of a YAML stream with their places in the text: PyYAML's, and aliases kept apart from what they name."""

from __future__ import annotations

from typing import Any, Final

import yaml
from yaml import MappingNode, Mark, Node, ScalarNode, SequenceNode
from yaml.composer import Composer
from yaml.parser import Parser
from yaml.reader import Reader
from yaml.resolver import BaseResolver
from yaml.scanner import Scanner

from ckf_spot.fields import Json
from ckf_spot.yaml_text import scalars

_PLAIN: Final = "plain"
"""Tag of a scalar with neither quotes nor a tag, which only its text tells the type of."""
_STR: Final = "tag:yaml.org,2002:str"
_TYPED: Final = tuple(f"tag:yaml.org,2002:{name}" for name in ("bool", "float", "int", "null"))
_MERGE: Final = "<<"
_MOST: Final = 1_000_000
"""Values of one stream; aliases of aliases make more of a few lines than any memory holds."""


class AliasNode(Node):
    """An alias, `*name`.

    Attributes:
        value: the node it stands for.
    """

    id = "alias"

    def __init__(self, target: Node, start: Mark, end: Mark) -> None:
        super().__init__(target.tag, target, start, end)


class Composed(Reader, Scanner, Parser, Composer, BaseResolver):
    """The nodes of a text.

    PyYAML's scanner and go-yaml's have the same origin, libyaml, so what one takes for a scalar the other does too.
    """

    def __init__(self, text: str) -> None:
        Reader.__init__(self, text)
        Scanner.__init__(self)
        Parser.__init__(self)
        Composer.__init__(self)
        BaseResolver.__init__(self)

    def resolve(self, kind: type[Node], value: Any, implicit: Any) -> str:
        """The tag of a node that has none."""
        if kind is not ScalarNode:
            return super().resolve(kind, value, implicit)
        return _PLAIN if implicit[0] else _STR

    def compose_node(self, parent: Node | None, index: Any) -> Node | None:
        """A node; an alias as such."""
        event = self.peek_event() if self.check_event(yaml.AliasEvent) else None
        node = super().compose_node(parent, index)
        return AliasNode(node, event.start_mark, event.end_mark) if event and node is not None else node


class Values:
    """The plain values of nodes.

    Raises:
        yaml.MarkedYAMLError: what Kubernetes would not read, or read otherwise than it is meant.
    """

    def __init__(self) -> None:
        self._made = 0

    def of(self, node: Node) -> Any:
        """A map, a list, a text, a number, a boolean or None."""
        self._made += 1
        if self._made > _MOST:
            raise _error(node, f"its aliases make more than {_MOST:,} values of it")
        match node:
            case AliasNode():
                return self.of(node.value)
            case MappingNode():
                return self._map(node)
            case SequenceNode():
                return [self.of(each) for each in node.value]
            case ScalarNode():
                return _scalar(node)
            case _:
                raise TypeError(node)

    def _map(self, node: MappingNode) -> Json:
        own: Json = {}
        merged: Json = {}
        for key_node, value_node in node.value:
            if is_merge(key_node):
                merged = {**self._merged(value_node), **merged}
                continue
            key = key_of(key_node)
            if key in own:
                raise _error(key_node, f"the key {key!r} is given twice")
            own[key] = self.of(value_node)
        return {**merged, **own}

    def _merged(self, node: Node) -> Json:
        found = self.of(node)
        parts = found if isinstance(found, list) else [found]
        if not all(isinstance(each, dict) for each in parts):
            raise _error(node, "<< merges maps only")
        return {key: value for part in reversed(parts) for key, value in part.items()}


def is_merge(node: Node) -> bool:
    """Whether a key merges another map in."""
    return isinstance(node, ScalarNode) and node.tag == _PLAIN and node.value == _MERGE


def key_of(node: Node) -> str:
    """A key as Kubernetes reads it: a text, whatever it looks like."""
    target = node.value if isinstance(node, AliasNode) else node
    if not isinstance(target, ScalarNode):
        raise _error(node, "a map or a list can't be a key")
    found = _scalar(target)
    if found is None:
        raise _error(node, "a key is missing")
    return str(found).lower() if isinstance(found, bool) else str(found)


def _scalar(node: ScalarNode) -> Any:
    text: str = node.value
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise _error(node, "a text holds half of a character (a lone surrogate)") from None
    if node.tag == _PLAIN or node.tag in _TYPED:
        return scalars.value(text)
    if node.tag == _STR:
        return text
    raise _error(node, f"the tag {node.tag!r} is not known to Kubernetes")


def _error(node: Node, problem: str) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(problem=problem, problem_mark=node.start_mark)
