"""Programs of other teams, on the same engines as those of `tests/local/components`."""

from tests.local.components.conftest import make, run

__all__ = ["make", "run"]
