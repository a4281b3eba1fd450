"""Tables on a narrow terminal."""

import pytest

from kubeflow_aks.text.blocks import Page, Table
from kubeflow_aks.text.terminal import terminal

TABLE = Table(
    ("", "Size", "Range"), (("cpuspot", "Standard_NC24ads_A100_v4", "$201 to $2,299"), ("general", "D8", ""))
)


def shown(width: int) -> list[str]:
    return [line for line in terminal(Page("", (TABLE,), ()), width) if line]


@pytest.mark.parametrize("width", [40, 44, 60, 110])
def test_no_width_breaks_a_word(width: int) -> None:
    assert {"Standard_NC24ads_A100_v4", "$2,299"} <= {
        word.strip(";") for line in shown(width) for word in line.split()
    }


def test_what_does_not_fit_is_one_row_below_the_other() -> None:
    assert shown(40) == [
        "cpuspot",
        "  Size: Standard_NC24ads_A100_v4; Range:",
        "  $201 to $2,299",
        "general",
        "  Size: D8",
    ]
