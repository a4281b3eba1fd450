"""Quantities, as the Kubernetes client reads them too."""

from decimal import Decimal

import pytest
from hypothesis import given as arbitrary
from hypothesis import strategies as st
from kubernetes.utils import parse_quantity

from ckf_spot.quantities import quantity

NUMBERS = st.from_regex(r"\A[+-]?(0|[1-9][0-9]{0,8})(\.[0-9]{1,6})?\Z")
SUFFIXES = st.sampled_from(
    ["", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"]
)


@arbitrary(NUMBERS, SUFFIXES)
def test_the_client_reads_the_same(number: str, suffix: str) -> None:
    assert quantity(number + suffix) == parse_quantity(number + suffix)


@pytest.mark.parametrize(
    ("text", "number"), [("1e3", 1000), ("2E-1", "0.2"), (".5", "0.5"), ("5.", 5), (8, 8), (0.5, "0.5")]
)
def test_forms_that_the_client_lacks(text: object, number: object) -> None:
    assert quantity(text) == Decimal(str(number))


@pytest.mark.parametrize(
    "text", ["", "Gi", "1 Gi", "1gi", "four", "1e", "1Gi\n", "{{x}}", None, True, [1], "٣"]
)
def test_what_is_none_is_refused(text: object) -> None:
    with pytest.raises(ValueError, match="is no quantity"):
        quantity(text)
