# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
"""The nodes of a YAML text, by PyYAML, where it reads otherwise than gopkg.in/yaml.v3 made to read alike.

That is tabs, anchors that are set anew and a second document; what a scalar is `recorder.yaml_v3` decides.
"""

from typing import Any, cast

import yaml
from yaml.composer import Composer
from yaml.parser import Parser
from yaml.reader import Reader
from yaml.resolver import BaseResolver
from yaml.scanner import Scanner


class YamlError(ValueError):
    """Text that the CLI cannot read; the message is one line."""

    def __init__(self, reason: str, mark: yaml.Mark | None = None) -> None:
        self.reason = " ".join(reason.split())
        self.line = mark.line + 1 if mark else None
        super().__init__(self.reason)


class Nodes(Reader, Scanner, Parser, Composer, BaseResolver):
    """The nodes of a text; a scalar without quotes and without a tag has the tag ""."""

    def __init__(self, text: str) -> None:
        Reader.__init__(self, text)
        Scanner.__init__(self)
        Parser.__init__(self)
        Composer.__init__(self)
        BaseResolver.__init__(self)

    def resolve(self, kind: type[yaml.Node], value: Any, implicit: Any) -> str:
        """The tag of a node, see above."""
        plain = kind is yaml.ScalarNode and implicit[0]
        return "" if plain else cast(str, super().resolve(kind, value, implicit))

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """A node; its anchor may have been that of another one before."""
        if not self.check_event(yaml.AliasEvent):
            self.anchors.pop(self.peek_event().anchor, None)
        return super().compose_node(parent, index)

    def first(self) -> yaml.Node | None:
        """The first document; nobody reads the others."""
        self.get_event()  # the start of the stream
        if self.check_event(yaml.StreamEndEvent):
            return None
        start = self.peek_event()
        if start.version not in (None, (1, 1)):
            raise YamlError("another version than %YAML 1.1", cast(yaml.Mark, start.start_mark))
        return self.compose_document()

    def scan_to_next_token(self) -> None:
        """Goes on behind tabs, too, where they are no indent."""
        super().scan_to_next_token()
        while self.peek() == "\t" and (self.flow_level or not self.allow_simple_key):
            self.forward()
            super().scan_to_next_token()

    def scan_plain_spaces(self, indent: int, start_mark: yaml.Mark) -> list[str]:
        """The blanks inside text without quotes, where tabs may stand."""
        blanks = ""
        while self.peek() in (" ", "\t"):
            blanks += self.peek()
            self.forward()
        if self.peek() in "\r\n\x85\u2028\u2029":
            return cast(list[str], super().scan_plain_spaces(indent, start_mark))
        return [blanks] if blanks else []
