"""Writes a value as YAML in one of the many ways in which people and tools write it."""

from __future__ import annotations

import json
import random
import string
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from ckf_spot.yaml_text.scalars import value

Path = tuple[str | int, ...]
_PLAIN = frozenset(string.ascii_letters + string.digits + "_-./é日")


@dataclass
class Author:
    """Someone's habits, chosen at random.

    Attributes:
        chance: where the choices come from.
        comments: the comments written so far, each with the place of the value that it stands at.
        is_simple: no anchors, no merged maps, no `?` before a key; None: by chance.
        only_blocks: no `{` and `[` around anything.
    """

    chance: random.Random
    only_blocks: bool = False
    is_simple: bool | None = None
    comments: list[tuple[str, Path]] = field(default_factory=list[tuple[str, Path]])

    def __post_init__(self) -> None:
        self._anchors: list[tuple[str, str]] = []
        self._numbers = count()
        self._step = self.chance.choice([2, 2, 4])
        if self.is_simple is None:
            self.is_simple = self._often(0.5)
        self._in_line = self.chance.random() < 0.5
        self._newline = self.chance.choice(["\n", "\n", "\n", "\r\n"])

    def stream(self, documents: Sequence[Any]) -> str:
        """All documents in one text."""
        lines: list[str] = []
        for number, document in enumerate(documents):
            self._anchors.clear()
            if number and self._often(0.2):
                lines.append("...")
            if number or self._often(0.3):
                lines += self.chance.choice([["---"], ["--- # start"], ["---", "# nothing here", "---"]])
            lines += self._document(document, (number,))
        text = self._newline.join(lines) + self._newline * self._often(0.9)
        return "\ufeff" * self._often(0.1) + text

    def _document(self, document: Any, path: Path) -> list[str]:
        if isinstance(document, dict | list) and document and (self.only_blocks or self._often(0.9)):
            return self._block(document, 0, path)
        return [self._flow(document)]

    def _block(self, content: Any, indent: int, path: Path) -> list[str]:
        lines: list[str] = []
        merged = isinstance(content, dict) and len(content) > 1 and self._rarely(0.1)
        if merged:
            first = next(iter(content))
            lines.append(f"{' ' * indent}<<: {{{self._key(first)}: {self._flow(content[first])}}}")
        for number, (key, part) in enumerate(_parts(content)):
            if merged and not number:
                continue
            here = (*path, key)
            if self._often(0.2):
                lines += [*[""] * self._often(0.3), f"{' ' * indent}# {self._comment(here)}"]
            name = f"{self._key(str(key))}:" if isinstance(content, dict) else "-"
            if isinstance(content, dict) and self._rarely(0.03):
                lines.append(f"{' ' * indent}? {name[:-1]}")
                name = ":"
            lines += self._entry(" " * indent + name, part, indent, here)
        return lines

    def _entry(self, start: str, content: Any, indent: int, path: Path) -> list[str]:
        """A key or a dash with its value."""
        alias = next((name for name, text in self._anchors if text == _text(content)), None)
        if alias and self._often(0.5):
            return [f"{start} *{alias}{self._remark(path)}"]
        anchor = f" &a{next(self._numbers)}" if self._rarely(0.1) else ""
        tag = self.chance.choice([" !!str", " !"]) if isinstance(content, str) and self._often(0.05) else ""
        name = anchor[2:]
        if isinstance(content, dict | list) and content and (self.only_blocks or self._often(0.85)):
            dash = start.endswith("-")
            deeper = (
                indent if isinstance(content, list) and self._in_line and not dash else indent + self._step
            )
            lines = self._block(content, deeper, path)
            if dash and not anchor and "#" not in lines[0] and lines[0] and self._often(0.8):
                lines[0] = f"{start}{' ' * (deeper - len(start))}{lines[0].lstrip(' ')}"
            else:
                lines = [
                    f"{start}{anchor}{self._remark(path).replace(chr(9), '')}",
                    *lines,
                ]  # no tab behind a dash
        elif isinstance(content, str) and "\n" in content and self._fits_block(content) and self._often(0.8):
            chomp = "-" if not content.endswith("\n") else ""
            body = [
                f"{' ' * (indent + self._step)}{line}" if line else ""
                for line in content.removesuffix("\n").split("\n")
            ]
            lines = [f"{start}{anchor}{tag} |{chomp}", *body]
        else:
            text = self._flow(content, tagged=bool(tag))
            if text == "" and anchor:
                text = "null"
            lines = [f"{start}{anchor}{tag} {text}{self._remark(path)}".rstrip(" ")]
        if name:
            self._anchors.insert(0, (name, _text(content)))
        return lines

    def _fits_block(self, text: str) -> bool:
        lines = text.removesuffix("\n").split("\n")
        odd = any(line != line.strip() or not line.isprintable() for line in lines)
        return bool(lines[0]) and bool(lines[-1]) and not odd

    def _flow(self, content: Any, *, tagged: bool = False) -> str:
        match content:
            case dict():
                return f"{{{', '.join(f'{self._key(key)}: {self._flow(part)}' for key, part in content.items())}}}"
            case list():
                return f"[{', '.join(map(self._flow, content))}]"
            case None:
                return self.chance.choice(["null", "~"])
            case str():
                return self._string(content, tagged)
            case _:
                return json.dumps(content)

    def _key(self, key: str) -> str:
        return self._string(key, False)  # noqa: FBT003

    def _string(self, text: str, tagged: bool) -> str:  # noqa: FBT001
        plain = text[:1] not in ("", "-") and text != "..." and _PLAIN.issuperset(text)
        plain = plain and (tagged or isinstance(value(text), str))
        if plain and self._often(0.8):
            return text
        if self._often(0.5) and text.isprintable():
            return f"""'{text.replace("'", "''")}'"""
        bare = frozenset(string.ascii_letters + string.digits + string.punctuation + " é") - {'"', "\\"}
        return f'"{"".join(letter if letter in bare else f"{chr(92)}U{ord(letter):08x}" for letter in text)}"'

    def _remark(self, path: Path) -> str:
        return self.chance.choice([" # ", "  # ", " \t# "]) + self._comment(path) if self._often(0.15) else ""

    def _comment(self, path: Path) -> str:
        name = f"c{len(self.comments)}: a - b"
        self.comments.append((name, path))
        return name

    def _rarely(self, share: float) -> bool:
        return not self.is_simple and self._often(share)

    def _often(self, share: float) -> bool:
        return self.chance.random() < share


def _parts(content: Any) -> list[tuple[str | int, Any]]:
    return list(content.items()) if isinstance(content, dict) else list(enumerate(content))


def _text(content: Any) -> str:
    return json.dumps(content, sort_keys=False)
