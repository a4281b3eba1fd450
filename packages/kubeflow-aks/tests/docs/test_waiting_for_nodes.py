"""What the pages say of nodes that are kept warm is what the table of the simulated months has."""

from collections.abc import Mapping

from kubeflow_aks.project import PROJECT_ROOT
from tests.benchmarks.waiting import CASES, PAGE, VARIANTS

Row = Mapping[str, str]
_COLUMNS = ("work", "kept", "wait", "late", "at once", "hours", "more", "bill")


def rows() -> dict[tuple[str, str], Row]:
    text = (PROJECT_ROOT / PAGE).read_text(encoding="utf-8")
    cells = [
        [cell.strip() for cell in line.split("|")[1:-1]]
        for line in text.splitlines()
        if line.startswith("| 1")
    ]
    return {(row[0], row[1]): dict(zip(_COLUMNS, row, strict=True)) for row in cells}


def number(text: str) -> float:
    return float(text.split(maxsplit=1)[0].replace(",", ""))


def test_the_table_has_each_case_with_and_without_warm_nodes() -> None:
    assert list(rows()) == [(case.name, variant) for case in CASES for variant in VARIANTS]


def test_pages_have_the_waits_of_the_table() -> None:
    of_case = {kept: row for (work, kept), row in rows().items() if work == CASES[0].name}
    cold, warm = (
        of_case[kept]["wait"].split()[0] for kept in ("nothing", "`headroom`, 1 node with `images`")
    )
    for page in ("docs/how-to/keep-nodes-warm.md", "CHANGELOG.md"):
        assert f"{warm} s instead of {cold} s" in (PROJECT_ROOT / page).read_text(encoding="utf-8")


def test_headroom_costs_what_the_bill_has_and_images_alone_save_nothing() -> None:
    for (_, kept), row in rows().items():
        if row["bill"]:
            assert abs(number(row["more"]) / number(row["bill"]) - 1) < 0.075
        if "DaemonSet" in kept:
            assert abs(number(row["wait"]) - number(rows()[row["work"], "nothing"]["wait"])) <= 2
