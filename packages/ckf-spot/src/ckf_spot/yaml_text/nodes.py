"""The nodes of a YAML stream with their places in the text: PyYAML's, and aliases kept apart from what they name."""

import math
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
"""Tag of a scalar with neither quotes nor a tag, whose type follows from its text alone."""
_YAML: Final = "tag:yaml.org,2002:"
_STR: Final = f"{_YAML}str"
_TYPED: Final[dict[str, tuple[type, ...]]] = {
    f"{_YAML}bool": (bool,),
    f"{_YAML}int": (int,),
    f"{_YAML}float": (int, float),
    f"{_YAML}null": (type(None),),
}
_MERGE: Final = "<<"
_BREAKS: Final = "\r\n\x85\u2028\u2029"
_MOST: Final = 1_000_000
"""Values of one stream; aliases of aliases make more of a few lines than any memory holds."""
_LARGEST_KEY: Final = 1e38
"""Kubernetes writes a key that is a number from 32 bits: up to six digits come out as they went in."""
FILLED_IN_FIRST: Final = "a template such as {{ name }} must be filled in first"
DEEPEST: Final = 100
"""Levels of maps and lists; deeper ones meet Python's limit, in one reader or another."""


class AliasNode(Node):
    """An alias, `*name`.

    Attributes:
        value: the node it stands for.
    """

    id = "alias"

    def __init__(self, target: Node, start: Any, end: Any) -> None:
        super().__init__(target.tag, target, start, end)


class Composed(Reader, Scanner, Parser, Composer, BaseResolver):
    """The nodes of a text.

    PyYAML's scanner and go-yaml's have the same origin, libyaml, so what one takes for a scalar the other does too; but
    PyYAML's knows no tab between values (nor do we behind `|` and `>`), and no second anchor of the same name. Source:
    our own test against kubectl, `packages/kubeflow-aks/tests/local/demo/placement/test_yaml_as_kubectl.py`.
    """

    def __init__(self, text: str) -> None:
        Reader.__init__(self, text)
        Scanner.__init__(self)
        Parser.__init__(self)
        Composer.__init__(self)
        BaseResolver.__init__(self)
        self._depth = 0

    def resolve(self, kind: type[Node], value: Any, implicit: Any) -> str:
        """The tag of a node that has none."""
        if kind is not ScalarNode:
            return super().resolve(kind, value, implicit)
        return _PLAIN if implicit[0] else _STR

    def compose_node(self, parent: Node | None, index: Any) -> Node | None:
        """A node; an alias as such."""
        event = self.peek_event()
        if self._depth > DEEPEST:
            raise yaml.MarkedYAMLError(
                problem=f"more than {DEEPEST} levels of maps and lists", problem_mark=event.start_mark
            )
        if isinstance(event, yaml.AliasEvent):
            node = super().compose_node(parent, index)
            return AliasNode(node, event.start_mark, event.end_mark) if node is not None else node
        self.anchors.pop(event.anchor, None)  # the last one of a name counts
        if isinstance(event, yaml.ScalarEvent) and event.tag == "!":
            event.tag = _STR
        self._depth += 1
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node

    def scan_to_next_token(self) -> None:
        """Skips blanks and comments; a tab may stand wherever it indents nothing."""
        super().scan_to_next_token()
        while self.peek() == "\t" and (self.flow_level or not self.allow_simple_key):
            self.forward()
            super().scan_to_next_token()

    def scan_plain_spaces(self, indent: int, start_mark: Mark) -> list[str]:
        """The blanks within an unquoted scalar, tabs too."""
        blanks = self._blanks()
        if self.peek() not in _BREAKS:
            return [blanks] if blanks else []
        blanks_and_breaks: list[str] = super().scan_plain_spaces(indent, start_mark) or []
        if self.column >= indent:
            self._blanks()
        return blanks_and_breaks

    def _blanks(self) -> str:
        length = 0
        while self.peek(length) in " \t":
            length += 1
        blanks = self.prefix(length)
        self.forward(length)
        return blanks


class Values:
    """The plain values of nodes.

    Raises:
        yaml.MarkedYAMLError: what Kubernetes would not read, or read otherwise than it is meant.
    """

    def __init__(self) -> None:
        self._made = 0
        self._aliases: list[AliasNode] = []

    def value(self, node: Node) -> Any:
        """A map, a list, a text, a number, a boolean or None."""
        self._made += 1
        if self._made > _MOST:
            raise _error(self._aliases[0] if self._aliases else node, f"more than {_MOST:,} values")
        match node:
            case AliasNode():
                return self._alias(node)
            case MappingNode():
                return self._map(node)
            case SequenceNode():
                return [self.value(item) for item in node.value]
            case ScalarNode():
                return _scalar(node)
            case _:
                raise TypeError(node)

    def _alias(self, node: AliasNode) -> Any:
        if any(alias.value is node.value for alias in self._aliases):
            raise _error(node, "the value of an anchor holds itself")
        if len(self._aliases) > DEEPEST:
            raise _error(node, f"more than {DEEPEST} aliases in aliases")
        self._aliases.append(node)
        value = self.value(node.value)
        self._aliases.pop()
        return value

    def _map(self, node: MappingNode) -> Json:
        result: Json = {}
        keys: set[str] = set()
        for key_node, value_node in node.value:
            if is_merge(key_node):
                result |= self._merged(
                    value_node
                )  # go-yaml's order: what is merged later wins over what stands before
                continue
            key = key_of(key_node)
            if key in keys:
                raise _error(key_node, f"the key {key!r} is given twice")
            keys.add(key)
            result[key] = self.value(value_node)
        return result

    def _merged(self, node: Node) -> Json:
        value = self.value(node)
        parts = value if isinstance(value, list) else [value]
        if not all(isinstance(part, dict) for part in parts):
            raise _error(node, "<< merges maps only")
        return {key: value for part in reversed(parts) for key, value in part.items()}


def is_merge(node: Node) -> bool:
    """Whether a key merges another map in."""
    return isinstance(node, ScalarNode) and node.tag == _PLAIN and node.value == _MERGE


def key_of(node: Node) -> str:
    """A key as Kubernetes reads it: a text, whatever it looks like."""
    target = node.value if isinstance(node, AliasNode) else node
    if not isinstance(target, ScalarNode):
        raise _error(node, f"a map or a list can't be a key; {FILLED_IN_FIRST}")
    match _scalar(target):
        case str() as text:
            return text
        case bool() as truth:
            return str(truth).lower()
        case int() as number if number < 2**63:
            return str(number)
        case float() as number if float(f"{number:g}") == number and abs(number) < _LARGEST_KEY:
            return f"{number:g}"
        case None:
            raise _error(node, "a key is missing")
        case _:
            raise _error(node, f"the key {target.value} is not the text that it looks like; put it in quotes")


def _scalar(node: ScalarNode) -> scalars.Scalar:
    text: str = node.value
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise _error(node, "a text holds half of a character (a lone surrogate)") from None
    if node.tag == _STR:
        return text
    if node.tag != _PLAIN and node.tag not in _TYPED:
        raise _error(node, f"the tag {node.tag.replace(_YAML, '!!')} is not supported")
    value = scalars.value(text)
    if isinstance(value, float) and not math.isfinite(value):
        raise _error(node, f"{text} is no number in JSON; put it in quotes if it is a text")
    if node.tag in _TYPED and not isinstance(value, _TYPED[node.tag]):
        raise _error(node, f"{text!r} is not what its tag says")
    return value


def _error(node: Node, problem: str) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(problem=problem, problem_mark=node.start_mark)
