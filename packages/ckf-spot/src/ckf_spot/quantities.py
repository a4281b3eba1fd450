"""Reads the quantities of Kubernetes, such as `500m` and `2Gi`."""

import re
from decimal import Decimal
from typing import Final

_FORM: Final = re.compile(
    r"(?P<number>[+-]?(\d+\.?\d*|\.\d+))((?P<binary>[KMGTPE]i)|(?P<decimal>[numkMGTPE])|(?P<power>[eE][+-]?\d{1,2}))?",
    re.ASCII,
)
"""Forms that Kubernetes takes ("Kubernetes resource management", "Resource units in Kubernetes")."""
_EXPONENTS: Final = {
    "n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18,
    "Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60,
}  # fmt: skip
"""Powers of 10, and of 2 for those with an i."""


def quantity(value: object) -> Decimal:
    """The number that a quantity is.

    Raises:
        ValueError: it is none, as one that is put in when the work runs.
    """
    match = _FORM.fullmatch(str(value))
    if match is None:
        raise ValueError(f"{value!r} is no quantity")
    number = Decimal(match["number"])
    if match["binary"]:
        return number * 2 ** _EXPONENTS[match["binary"]]
    if match["decimal"]:
        return number.scaleb(_EXPONENTS[match["decimal"]])
    return number * Decimal(f"1{match['power']}") if match["power"] else number
