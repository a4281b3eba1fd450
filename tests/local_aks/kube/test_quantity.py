"""Kubernetes quantities are read exactly."""

import pytest

from local_aks.kube.quantity import thousandths


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1", 1000),
        ("500m", 500),
        ("0.1", 100),
        ("1.5", 1500),
        ("1Ki", 1_024_000),
        ("32Gi", 32 * 1024**3 * 1000),
        ("2k", 2_000_000),
        ("1e3", 1_000_000),
        ("1E3", 1_000_000),
        ("1E", 10**21),
        ("100u", 1),
        ("1n", 1),
        (2, 2000),
        (0.5, 500),
    ],
)
def test_quantities(text: str | float, expected: int) -> None:
    assert thousandths(text) == expected


@pytest.mark.parametrize("text", ["", "one", "1 Gi", "1KiB", "Gi", "1.2.3", "1e9999"])
def test_what_is_no_quantity_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a Kubernetes quantity"):
        thousandths(text)
