"""Kubernetes resource quantities ("500m", "32Gi") as whole numbers."""

import re
from decimal import ROUND_CEILING, Decimal
from typing import Final

_SUFFIXES: Final = {
    "n": Decimal("1e-9"),
    "u": Decimal("1e-6"),
    "m": Decimal("1e-3"),
    "": Decimal(1),
    **{suffix: Decimal(1000) ** power for power, suffix in enumerate("kMGTPE", start=1)},
    **{f"{suffix}i": Decimal(1024) ** power for power, suffix in enumerate("KMGTPE", start=1)},
}
_QUANTITY: Final = re.compile(r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?)([A-Za-z]*)")


def thousandths(quantity: str | float) -> int:
    """A quantity in thousandths of its unit, rounded up as the API server does: "1.5" cpu is 1500.

    Raises:
        ValueError: the text is not a quantity of the Kubernetes API, or has an exponent of more than three digits.
    """
    match = _QUANTITY.fullmatch(str(quantity))
    if match is None or match[2] not in _SUFFIXES:
        raise ValueError(f"{quantity!r} is not a Kubernetes quantity")
    return int((Decimal(match[1]) * _SUFFIXES[match[2]] * 1000).to_integral_value(ROUND_CEILING))
