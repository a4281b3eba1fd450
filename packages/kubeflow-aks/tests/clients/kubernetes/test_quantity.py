"""Kubernetes quantities are read exactly."""

import pytest

from kubeflow_aks.clients.kubernetes.quantity import canonical, thousandths


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


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("0.5Gi", "512Mi"),
        ("1024Mi", "1Gi"),
        ("100Mi", "100Mi"),
        ("0.5Ki", "512"),
        ("0.5", "500m"),
        (0.5, "500m"),
        ("1000m", "1"),
        ("1500m", "1500m"),
        ("1000", "1k"),
        ("110", "110"),
        ("0", "0"),
        ("1e3", "1e3"),
        ("many", "many"),
    ],
)
def test_quantities_are_written_as_the_api_server_writes_them(text: str | float, written: str) -> None:
    assert canonical(text) == written
