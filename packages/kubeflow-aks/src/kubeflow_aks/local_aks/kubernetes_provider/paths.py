"""Pulumi property paths: `spec.containers[0].image`, `metadata.annotations["pulumi.com/autonamed"]`."""

import re
from typing import Final

Path = tuple[str | int, ...]

ANY: Final = "*"
_PART: Final = re.compile(r'\["((?:[^"\\]|\\.)*)"\]|\[(\d+|\*)\]|\.?([^.\[\]"]+)')
_QUOTED: Final = re.compile(r'[."\[\]]')


def render(path: Path) -> str:
    """A path as the engine writes it."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        elif _QUOTED.search(part):
            text += '["' + part.replace('"', '\\"') + '"]'
        else:
            text += f".{part}" if text else part
    return text


def parse(text: str) -> Path:
    """A path as a program writes it.

    Raises:
        ValueError: not a property path.
    """
    parts: list[str | int] = []
    position = 0
    while position < len(text):
        match = _PART.match(text, position)
        if match is None:
            raise ValueError(f"{text!r} is not a property path")
        quoted, index, name = match.groups()
        if quoted is not None:
            parts.append(quoted.replace('\\"', '"'))
        elif index is not None:
            parts.append(ANY if index == ANY else int(index))
        else:
            parts.append(name)
        position = match.end()
    return tuple(parts)


def covers(pattern: Path, path: Path) -> bool:
    """Whether a path is the pattern or lies below it; `*` stands for any one part."""
    return len(path) >= len(pattern) and all(p in (ANY, part) for p, part in zip(pattern, path, strict=False))
