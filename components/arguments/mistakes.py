"""What is wrong with one argument or setting. Pure data: `errors` makes an exception of it."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import lru_cache
from typing import Final

HIDDEN: Final = "\0encrypted"
"""Text that replaces a value, or a part of one, that no message may show or that a preview cannot decrypt."""
_LONGEST: Final = 80
_LONGEST_KEY: Final = 120
"""Characters of a value and of a key that a message shows; no key but one that holds a user's own text has more."""


@dataclass(frozen=True)
class Mistake:
    """One argument or setting that cannot be used: its value, and what is expected instead."""

    key: str
    """Its path, such as `pools[1].maxPrice` in Pulumi's schema, or `pools.cpuspot.maxPrice` in a stack file."""
    value: object
    """The value that was given; None where it is missing."""
    expected: str
    """What is allowed, in words that follow "expected"; where it helps, with the reason or what to change."""
    default: bool = False
    """Whether the value is a default that nobody wrote."""

    @property
    def reason(self) -> str:
        """The mistake without its key, in one line whatever it holds."""
        value = f"{_shown(self.value)} (the default)" if self.default else _shown(self.value)
        fault = "missing" if self.value is None else f"{value} is not allowed"
        return _printable(f"{fault}; expected {self.expected}")

    def within(self, path: str) -> "Mistake":
        """The mistake of an argument that is part of another one, whose path is this."""
        gap = "." if self.key and not self.key.startswith("[") else ""
        return replace(self, key=f"{path}{gap}{self.key}")

    def __str__(self) -> str:
        return f"{shown_key(self.key)}: {self.reason}"


def shown_key(key: str) -> str:
    """A key as messages show it: in one line, and cut where a user's own text makes it longer than that."""
    return _printable(_cut(key, _LONGEST_KEY))


def one_of(key: str, value: object, allowed: Sequence[str]) -> Iterator[Mistake]:
    """A value is one of those allowed."""
    if value not in allowed:
        yield Mistake(
            key, value, f"{', '.join(allowed[:-1])} or {allowed[-1]}" if len(allowed) > 1 else allowed[0]
        )


def alike(name: str, names: Iterable[str]) -> str | None:
    """The one of some names that differs from another in case, underscores and hyphens only."""
    plain = letters(name)
    return next((other for other in names if letters(other) == plain), None)


def closest(name: str, names: Sequence[str]) -> str | None:
    """The one of some names that another is probably meant to be."""
    plain = {letters(other): other for other in names}
    close = get_close_matches(letters(name), plain, n=1)
    return plain[close[0]] if close else None


@lru_cache(4096)
def letters(name: str) -> str:
    """A name without its case, underscores and hyphens."""
    return re.sub("[-_]", "", name).lower()


def _shown(value: object) -> str:
    if isinstance(value, float) and value.is_integer():  # written without a fraction, or with one of zeros
        value = int(value)
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    text = text.replace(repr(HIDDEN), "[secret]")
    return _cut(text, _LONGEST)


def _cut(text: str, most: int) -> str:
    """The text without its middle where it is longer: ARM ids differ at their end."""
    return text if len(text) <= most else f"{text[: most // 3]}…{text[1 - most + most // 3 :]}"


def _printable(text: str) -> str:
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in text)
