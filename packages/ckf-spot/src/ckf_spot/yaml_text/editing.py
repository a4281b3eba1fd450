"""Changes values in a YAML text and leaves the rest of it as it stands, to the last comment and blank."""

from __future__ import annotations

import difflib
import json
import operator
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from yaml import MappingNode, Node, ScalarNode, SequenceNode

from ckf_spot.fields import Object
from ckf_spot.yaml_text import writing
from ckf_spot.yaml_text.nodes import AliasNode, Values, is_merge, key_of

_GAP: Final = re.compile(r"(?:[ \t\r\n\ufeff]|#[^\n]*|[&!]\S*)*")
"""What stands between a list's items, or before its first one, apart from the dash."""


@dataclass(frozen=True)
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


def edited(text: str, changes: Sequence[tuple[Node, Any, Any]], *, spelt_out: bool) -> str:
    """The text with changed values.

    Whether it means what it should is left to the caller: a change to what an anchor names changes its aliases too.

    Args:
        text: the whole stream. Where its last line has no end, the result's has none either, and a `|` that it belongs
            to stays last: kubectl adds the end, Python's readers do not, and neither is to read another text than
            before.
        changes: each document's node, its value, and the value that it is to have.
        spelt_out: whether what an alias stands for is written in its place, so that it keeps its meaning.
    """
    open_end = not text.endswith("\n")
    if open_end:
        text = f"{text}\n"
    editor = _Editor(text, spelt_out, open_end)
    edits = [edit for change in changes for edit in editor.document(*change)]
    edits.sort(key=lambda edit: (edit.start, edit.end))  # stable: at one place the inner part comes first
    for edit in reversed(edits):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text.removesuffix("\r\n").removesuffix("\n") if open_end else text


def _became(old: list[str], new: list[str]) -> list[tuple[int, int, int, int]]:
    """Which old items became which new ones, as ranges of both.

    Items of lists of one length go by their place unless more of them differ that way: of two that are alike, the one
    that stays keeps its comment.
    """
    codes = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    differing = sum(
        max(end - start, last - first) for tag, start, end, first, last in codes if tag != "equal"
    )
    if len(old) == len(new) and sum(map(operator.ne, old, new)) <= differing:
        return [(0, len(old), 0, len(new))]
    return [(start, end, first, last) for _, start, end, first, last in codes]


class _WholeError(Exception):
    """A value can't be changed in part."""


class _Editor:
    def __init__(self, text: str, spelt_out: bool, open_end: bool) -> None:  # noqa: FBT001
        self._text = text
        self._spelt_out = spelt_out
        self._open_end = open_end
        self._newline = "\r\n" if "\r\n" in text else "\n"

    def document(self, node: Node, before: Any, after: Any) -> list[_Edit]:
        """What changes a document, as a whole if it must be."""
        try:
            return list(self._parts(node, before, after))
        except _WholeError:
            start, end = node.start_mark.index, self._end(node)
            line = start - self._column(start)
            own_line = not self._text[line:start].strip()
            long = _is_long(after, node) and not isinstance(after, str)
            whole = _block(after, 0) if long else writing.dump_flow(after)
            text = self._lines(whole) + self._last_end(end)
            return [_Edit(line, end, text) if own_line else _Edit(start, end, self._newline + text)]

    def _parts(self, node: Node, before: Any, after: Any) -> Iterator[_Edit]:
        """What changes a value part by part.

        Raises:
            _WholeError: it must be replaced as a whole.
        """
        same = writing.same(before, after)
        if same and not (self._spelt_out and _has_alias(node)):
            return
        if isinstance(node, MappingNode) and node.value and isinstance(after, Mapping):
            yield from self._map(node, before, after)
        elif isinstance(node, SequenceNode) and node.value and isinstance(after, list):
            yield from self._list(node, before, after)
        else:
            raise _WholeError

    def _map(self, node: MappingNode, before: Object, after: Object) -> Iterator[_Edit]:
        entries = {key_of(key): (key, value) for key, value in node.value if not is_merge(key)}
        gone = before.keys() - after.keys()
        if gone - entries.keys() or gone == entries.keys():
            raise _WholeError
        for key, (key_node, value_node) in entries.items():
            if key in gone:
                yield self._without(node, key_node.start_mark.index, value_node)
                continue
            try:
                yield from list(self._parts(value_node, before[key], after[key]))
            except _WholeError:
                yield self._entry(node, key_node, value_node, after[key])
        if self._spelt_out:
            for key_node, value_node in node.value:
                if is_merge(key_node) and _has_alias(value_node):
                    text = writing.dump_flow(Values().value(value_node))
                    yield _Edit(value_node.start_mark.index, self._end(value_node), text)
        kept = {key for key in before if key in after and writing.same(before[key], after[key])}
        new = {key: desired for key, desired in after.items() if key not in entries and key not in kept}
        if new:
            last_key, last = node.value[-1]
            lines = _block(new, self._indent(node))
            if node.flow_style:
                yield self._inserted(self._end(last), f", {writing.dump_flow(new)[1:-1]}")
            elif self._open_end and self._end(last) == len(self._text) and self._begins_line(last_key):
                yield self._before(last_key, lines)
            else:
                yield self._after(last, lines)

    def _list(self, node: SequenceNode, before: list[Any], after: list[Any]) -> Iterator[_Edit]:
        old, new = ([json.dumps(item, sort_keys=True) for item in values] for values in (before, after))
        for start, end, first, last in _became(old, new):
            both = min(end - start, last - first)
            for number in range(both):
                item, desired = node.value[start + number], after[first + number]
                try:
                    yield from list(self._parts(item, before[start + number], desired))
                except _WholeError:
                    yield self._value(node, item, desired)
            for number in range(start + both, end):
                if not after:
                    raise _WholeError
                item = node.value[number]
                begin = item.start_mark.index if node.flow_style else self._dash(node, number)
                yield self._without(node, begin, item)
            if first + both < last:
                yield self._more(node, start + both, after[first + both : last])

    def _more(self, node: SequenceNode, number: int, desired: list[Any]) -> _Edit:
        """New items before the one with this number, or at the end."""
        if node.flow_style:
            text = writing.dump_flow(desired)[1:-1]
            if number:
                return self._inserted(self._end(node.value[number - 1]), f", {text}")
            return self._inserted(node.value[0].start_mark.index, f"{text}, ")
        dash = self._dash(node, 0)
        column = self._column(dash)
        lines = _block(desired, column)
        if number:
            return self._after(node.value[number - 1], lines)
        if self._text[dash - column : dash].strip():  # the key's own line, or another list's
            return self._inserted(dash, self._lines(f"{lines[column:]}\n{' ' * column}"))
        return self._above(dash - column, lines)

    def _without(self, node: MappingNode | SequenceNode, start: int, value: Node) -> _Edit:
        """An entry of a collection taken away with its lines.

        Raises:
            _WholeError: it does not have them for itself.
        """
        end = self._end(value)
        line = start - self._column(start)
        if node.flow_style or self._text[line:start].strip():
            raise _WholeError
        if self._text[end - 1] != "\n":
            end += len(self._rest(end))
            end = self._text.find("\n", end) + 1 or end
        return _Edit(line, end, "")

    def _entry(self, node: MappingNode, key_node: Node, old: Node, desired: Any) -> _Edit:
        """An entry of a map with another value; the key stays as it is written."""
        if node.flow_style or not (_is_long(desired, old) or _is_block(old)):
            return self._value(node, old, desired)
        colon = self._text.find(":", key_node.end_mark.index)
        if colon < 0:
            raise _WholeError
        end = self._end(old)
        comment = self._text[colon + 1 : max(old.start_mark.index, colon + 1)].rstrip()
        if self._text[end - 1] != "\n":
            rest = self._rest(end)
            end += len(rest)
            comment += rest.rstrip().expandtabs(1)
        if _is_long(desired, old) and not (isinstance(desired, str) and "\n" in comment):
            block = _block({"key": desired}, self._indent(node)).split(":", 1)[1]  # what stands behind a key
            header, newline, lines = block.partition("\n")
            text = header + comment + self._lines(newline + lines)
        else:
            text = f" {writing.dump_flow(desired)}{comment}"
        return _Edit(colon + 1, end, text + self._last_end(end))

    def _value(self, node: MappingNode | SequenceNode, old: Node, desired: Any) -> _Edit:
        """A value with another one in its place."""
        start, end = old.start_mark.index, self._end(old)
        blank = " " if start == end else ""
        if node.flow_style or not _is_long(desired, old):
            text = writing.dump_flow(desired)
            return _Edit(start, end, blank + text + self._last_end(end))
        column = self._column(start) + len(blank)
        lines = blank + _block(desired, column)[column:]
        if self._text[end - 1] == "\n":
            return _Edit(start, end, self._lines(f"{lines}\n"))
        rest = self._rest(end)
        if rest.strip():
            lines = f"{rest.strip()}\n{' ' * column}{lines.lstrip()}"
        end += len(rest)
        return _Edit(start, end, self._lines(lines) + self._last_end(end))

    def _after(self, last: Node, lines: str) -> _Edit:
        """Lines after an entry of a collection in block style."""
        end = self._end(last)
        if self._text[end - 1] == "\n":
            return self._inserted(end, self._lines(f"{lines}\n"))
        rest = self._rest(end)
        if rest.strip() and not rest.lstrip().startswith("#"):
            raise _WholeError
        end += len(rest)
        return self._inserted(end, self._lines(f"\n{lines}"))

    def _before(self, key: Node, lines: str) -> _Edit:
        """Lines before an entry of a map in block style that begins its line."""
        start = key.start_mark.index
        return self._above(start - self._column(start), lines)

    def _above(self, place: int, lines: str) -> _Edit:
        """Lines above the one that begins here, and above its comments, which belong to what is below them."""
        while (above := self._text.rfind("\n", 0, place - 1) + 1) < place and self._text[
            above:place
        ].lstrip()[:1] == "#":
            place = above
        return self._inserted(place, self._lines(f"{lines}\n"))

    def _begins_line(self, node: Node) -> bool:
        """Whether nothing but blanks stands before it in its line."""
        start = node.start_mark.index
        return not self._text[start - self._column(start) : start].strip()

    def _inserted(self, place: int, text: str) -> _Edit:
        return _Edit(place, place, text)

    def _lines(self, text: str) -> str:
        """The text with the document's ends of lines."""
        return text.replace("\n", self._newline)

    def _last_end(self, position: int) -> str:
        """The end of a line, where what was written up to here had one."""
        return self._newline if self._text[position - 1] == "\n" else ""

    def _rest(self, position: int) -> str:
        """What stands behind a position in its line."""
        end = self._text.find("\n", position)
        return self._text[position : end if end >= 0 else None].removesuffix("\r")

    def _end(self, node: Node) -> int:
        """Where a value ends; a block collection's own mark lies behind the comments that follow it."""
        if _is_block(node):
            last = node.value[-1]
            return self._end(last[1] if isinstance(node, MappingNode) else last)
        end = node.end_mark.index
        return len(self._text[:end].rstrip()) if isinstance(node, ScalarNode) and node.style is None else end

    def _dash(self, node: SequenceNode, number: int) -> int:
        """Where an item of a list in block style begins.

        Raises:
            _WholeError: it isn't found.
        """
        start = self._end(node.value[number - 1]) if number else node.start_mark.index
        gap = _GAP.match(self._text, start)
        if not gap or self._text[gap.end() : gap.end() + 1] != "-":
            raise _WholeError
        return gap.end()

    def _indent(self, node: MappingNode) -> int:
        """The column in which a map's entries begin, in block style."""
        start = node.start_mark.index
        marked = self._text[start : start + 1] in ("&", "!")
        return self._column(node.value[0][0].start_mark.index if marked else start)

    def _column(self, position: int) -> int:
        line = self._text.rfind("\n", 0, position) + 1
        return position - line - self._text.startswith("\ufeff", line)


def _is_long(desired: Any, old: Node) -> bool:
    """Whether a value takes lines of its own; what was written in brackets stays so."""
    if isinstance(desired, str):
        return "\n" in desired
    flow = isinstance(old, MappingNode | SequenceNode) and bool(old.flow_style) and bool(old.value)
    return isinstance(desired, Mapping | list) and bool(desired) and not flow


def _is_block(node: Node) -> bool:
    return isinstance(node, MappingNode | SequenceNode) and not node.flow_style and bool(node.value)


def _has_alias(node: Node) -> bool:
    match node:
        case AliasNode():
            return True
        case MappingNode():
            return any(_has_alias(part) for pair in node.value for part in pair)
        case SequenceNode():
            return any(map(_has_alias, node.value))
        case _:
            return False


def _block(value: Any, column: int) -> str:
    """A value in block style, indented, without the last line's end."""
    indent = " " * column
    lines = writing.dump([value]).rstrip("\n").split("\n")
    return "\n".join(f"{indent}{line}" if line else line for line in lines)
