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


def canonical(quantity: str | float) -> str | float:
    """A quantity as the API server writes it: a whole number with the largest suffix of its kind.

    "0.5Gi" is "512Mi", "0.5" is "500m", "1000" is "1k", and what is no quantity, or has an exponent, stays as it is
    (`CanonicalizeBytes` of k8s.io/apimachinery 0.34.4).
    """
    match = _QUANTITY.fullmatch(str(quantity))
    if match is None or match[2] not in _SUFFIXES or "e" in match[1].lower():
        return quantity
    value = Decimal(match[1]) * _SUFFIXES[match[2]]
    binary = match[2].endswith("i") and abs(value) >= _SUFFIXES["Ki"]
    if binary:
        value = value.to_integral_value(ROUND_CEILING)
    suffixes = sorted((s for s in _SUFFIXES if not s or s.endswith("i") == binary), key=_SUFFIXES.__getitem__)
    fitting = (suffix for suffix in reversed(suffixes) if value and value % _SUFFIXES[suffix] == 0)
    suffix = next(fitting, "")
    return f"{int(value / _SUFFIXES[suffix])}{suffix}"
