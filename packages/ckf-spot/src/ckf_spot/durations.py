"""Durations as data scientists write them: `30s`, `5m`, `2h`, `7d`."""

import re
from typing import Final

from ckf_spot.errors import refusal

_SECONDS: Final = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
_FORM: Final = re.compile(r"([0-9]{1,9})([smhd])")
_PART: Final = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)(ms|s|m|h|d)")
_ALLOWED: Final = (
    "expected a whole number with s, m, h or d, such as '30s', '5m', '2h' or '7d', up to '3650d'"
)
_LONGEST: Final = 3_650 * _SECONDS["d"]
"""Ten years; Argo counts in Go's durations, which hold at most 292 years."""


def seconds(name: str, text: str) -> int:
    """The duration in seconds.

    Args:
        name: of the argument, for messages.
        text: as the data scientist wrote it.

    Raises:
        PlacementError: it has another form, or is longer than ten years.
    """
    match = _FORM.fullmatch(text) if isinstance(text, str) else None  # pyright: ignore[reportUnnecessaryIsInstance]
    length = int(match[1]) * _SECONDS[match[2]] if match else None
    if length is None or length > _LONGEST:
        raise refusal(name, text, _ALLOWED, "is no duration")
    return length


def text(length: int) -> str:
    """The shortest form of a duration in seconds: `1500` is `25m`."""
    unit = next(unit for unit in ("d", "h", "m", "s") if length % _SECONDS[unit] == 0)
    return f"{length // _SECONDS[unit]}{unit}" if length else "0s"


def of_argo(value: object) -> int | None:
    """Seconds of a duration as Argo reads it, and Kubeflow's compiler writes it: `90`, `3600s`, `1h30m`, `1d`.

    None where it is no duration, or one of which only the workflow knows the value.
    """
    written = str(value)
    if re.fullmatch(r"[0-9]{1,9}", written):
        return int(written)
    parts = _PART.findall(written)
    if not parts or "".join(number + unit for number, unit in parts) != written:
        return None
    return int(sum(float(number) * (_SECONDS.get(unit) or 0.001) for number, unit in parts))
