"""Changes values in a YAML text and leaves the rest of it as it stands, to the last comment and blank."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from yaml import MappingNode, Node, ScalarNode, SequenceNode

from ckf_spot.yaml_text import writing
from ckf_spot.yaml_text.nodes import AliasNode, is_merge, key_of


@dataclass(frozen=True, order=True)
class _Edit:
    """A replacement of a part of the text.

    Attributes:
        start: where it begins.
        end: where it ends; the same where text is inserted only.
        text: what comes there instead.
    """

    start: int
    end: int
    text: str


def edited(text: str, changes: Sequence[tuple[Node, Any, Any]]) -> str | None:
    """The text with changed values.

    Args:
        text: the whole stream.
        changes: each document's node, its value, and the value that it is to have.

    Returns:
        The text, or None where a change can't be made in it. Whether it means what it should is left to the caller:
        an anchor in a changed part may change what its aliases mean.
    """
    editor = _Editor(text)
    try:
        edits = sorted(edit for node, before, after in changes for edit in editor.value(node, before, after))
    except _WholeError:
        return None
    for edit in reversed(edits):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


class _WholeError(Exception):
    """A value can't be changed in part."""


class _Editor:
    def __init__(self, text: str) -> None:
        self._text = text
        self._newline = "\r\n" if "\r\n" in text else "\n"

    def value(self, node: Node, before: Any, after: Any) -> Iterator[_Edit]:
        """What changes a collection in block style, part by part.

        Raises:
            _WholeError: it must be replaced as a whole.
        """
        if writing.same(before, after):
            return
        if isinstance(node, MappingNode) and not node.flow_style and isinstance(after, Mapping):
            yield from self._map(node, before, after)
        elif isinstance(node, SequenceNode) and not node.flow_style and isinstance(after, list):
            yield from self._list(node, before, after)
        else:
            raise _WholeError

    def _map(self, node: MappingNode, before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[_Edit]:
        if before.keys() - after.keys():
            raise _WholeError
        own = {key_of(key): (key, value) for key, value in node.value if not is_merge(key)}
        column = self._column(node.value[0][0])
        for key, wanted in after.items():
            if key not in own or writing.same(before[key], wanted):
                continue
            key_node, value_node = own[key]
            try:
                yield from list(self.value(value_node, before[key], wanted))
            except _WholeError:
                if isinstance(key_node, AliasNode):
                    raise
                yield self._replaced(key_node, value_node, key, wanted, column)
        new = {
            key: wanted
            for key, wanted in after.items()
            if key not in own and not (key in before and writing.same(before[key], wanted))
        }
        if new:
            yield self._after(node.value[-1][1], _block(new, column))

    def _replaced(self, key_node: Node, value_node: Node, key: str, wanted: Any, column: int) -> _Edit:
        """An entry of a map with another value; the key stays as it is written."""
        written = self._text[key_node.start_mark.index : key_node.end_mark.index]
        block = isinstance(wanted, Mapping | list) and bool(wanted) and not _is_flow(value_node)
        if block:
            lines = _block({key: wanted}, column).split("\n", 1)
            text = f"{written}:{self._newline}" + lines[1].replace("\n", self._newline)
        else:
            text = f"{written}: {writing.dump_flow(wanted)}"
        end = self._end(value_node)
        if block and self._rest(end).strip():
            raise _WholeError  # a comment behind the old value would move to the end of the new one
        if self._text[end - 1] == "\n":
            text += self._newline
        return _Edit(key_node.start_mark.index, end, text)

    def _list(self, node: SequenceNode, before: list[Any], after: list[Any]) -> Iterator[_Edit]:
        old, new = ([json.dumps(each) for each in values] for values in (before, after))
        column = self._column(node)
        matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
        for what, start, end, first, last in matcher.get_opcodes():
            if what == "insert":
                lines = _block(after[first:last], column)
                if start < len(before):
                    yield self._before(node, start, lines, column)
                else:
                    yield self._after(node.value[-1], lines)
            elif what == "replace" and end - start == last - first:
                for number, wanted in zip(range(start, end), after[first:last], strict=True):
                    yield from self.value(node.value[number], before[number], wanted)
            elif what != "equal":
                raise _WholeError

    def _before(self, node: SequenceNode, number: int, lines: str, column: int) -> _Edit:
        """Items before another one, whose dash stays in its line."""
        dash = self._text.rfind("-", node.start_mark.index, node.value[number].start_mark.index)
        if dash < 0 or self._column_of(dash) != column:
            raise _WholeError
        text = lines.removeprefix(" " * column).replace("\n", self._newline)
        return _Edit(dash, dash, f"{text}{self._newline}{' ' * column}")

    def _after(self, last: Node, lines: str) -> _Edit:
        """Lines after the last entry of a collection."""
        end = self._end(last)
        lines = lines.replace("\n", self._newline)
        if self._text[end - 1] == "\n":
            return _Edit(end, end, f"{lines}{self._newline}")
        rest = self._rest(end)
        if rest.strip() and not rest.lstrip().startswith("#"):
            raise _WholeError
        end += len(rest)
        return _Edit(end, end, f"{self._newline}{lines}")

    def _rest(self, position: int) -> str:
        """What stands behind a position in its line."""
        end = self._text.find("\n", position)
        return self._text[position : end if end >= 0 else None].removesuffix("\r")

    def _end(self, node: Node) -> int:
        """Where a value ends; a block collection's own mark lies behind the comments that follow it."""
        if isinstance(node, MappingNode | SequenceNode) and not node.flow_style and node.value:
            last = node.value[-1]
            return self._end(last[1] if isinstance(node, MappingNode) else last)
        end = node.end_mark.index
        if isinstance(node, ScalarNode) and node.style in ("|", ">"):
            return end
        return len(self._text[:end].rstrip()) if isinstance(node, ScalarNode) and node.style is None else end

    def _column(self, node: Node) -> int:
        """The column in which a block collection's entries begin.

        Raises:
            _WholeError: an anchor or a tag stands there.
        """
        start = node.start_mark.index
        if self._text[start : start + 1] in ("&", "!"):
            raise _WholeError
        return self._column_of(start)

    def _column_of(self, position: int) -> int:
        return position - self._text.rfind("\n", 0, position) - 1


def _is_flow(node: Node) -> bool:
    return isinstance(node, MappingNode | SequenceNode) and bool(node.flow_style) and bool(node.value)


def _block(value: Any, column: int) -> str:
    """A map or a list in block style, indented, without the last line's end."""
    indent = " " * column
    lines = writing.dump([value]).rstrip("\n").split("\n")
    return "\n".join(f"{indent}{line}" if line else line for line in lines)
