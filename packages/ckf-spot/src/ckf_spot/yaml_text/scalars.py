"""What an unquoted YAML scalar means to Kubernetes, which follows neither YAML 1.1 nor 1.2 to the letter.

kubectl and the API server read YAML with `sigs.k8s.io/yaml`, a copy of go-yaml v2: `y` is true, `08` is 8, `0o17` is
15, `8350e12` is a number; `12:30:00` and dates are texts. Source: our own test against kubectl,
`packages/kubeflow-aks/tests/local/demo/placement/test_yaml_as_kubectl.py`.
"""

import math
import re
from typing import Final

Scalar = str | int | float | bool | None

_NAMED: Final[dict[str, Scalar]] = {
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
}
_INTEGERS: Final = (
    (re.compile(r"([+-]?)0[bB]([01]+)"), 2),
    (re.compile(r"0b([+-])([01]+)"), 2),
    (re.compile(r"([+-]?)0[xX]([0-9a-fA-F]+)"), 16),
    (re.compile(r"([+-]?)0[oO]?([0-7]+)"), 8),
    (re.compile(r"([+-]?)(0|[1-9][0-9]{0,19})"), 10),
)
"""Forms of Go's `strconv.ParseInt` with base 0, and one of go-yaml's own."""
_FLOAT: Final = re.compile(r"[+-]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][+-]?[0-9]+)?")
_POINT_FIRST: Final = re.compile(r"\.[0-9]+(?:_[0-9]+)*(?:[eE][+-]?[0-9]+(?:_[0-9]+)*)?")
_FIRST: Final = frozenset("+-0123456789")


def value(text: str) -> Scalar:
    """What an unquoted scalar means: a text, unless it is a number, a boolean or nothing."""
    if text in _NAMED:
        return _NAMED[text]
    if text[0] == ".":
        return _float(_POINT_FIRST, text, text)
    if text[0] not in _FIRST:
        return text
    digits = text.replace("_", "")
    for form, base in _INTEGERS:
        if match := form.fullmatch(digits):
            number = int("".join(match.groups()), base)
            if (
                -(2**63) <= number < (2**63 if match[1] else 2**64)
            ):  # Go's int64, or uint64 where there is no sign
                return number
    return _float(_FLOAT, digits, text)


def is_text(text: str) -> bool:
    """Whether it may stand without quotes and still means itself."""
    return isinstance(value(text), str)


def _float(form: re.Pattern[str], digits: str, text: str) -> float | str:
    """The number, or the text itself where it is none or is too large for one."""
    if not form.fullmatch(digits):
        return text
    number = float(digits)
    return number if math.isfinite(number) else text
