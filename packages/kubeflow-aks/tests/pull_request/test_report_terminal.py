"""The same top as lines of a terminal."""

from dataclasses import replace

import pytest

from kubeflow_aks.pull_request.observed import Run
from kubeflow_aks.pull_request.report import change_document, terminal
from kubeflow_aks.pull_request.violations import Judged
from tests.pull_request.observations import observed, pools, run
from tests.pull_request.test_report_document import violation


@pytest.mark.parametrize("width", [40, 80, 200])
def test_the_top_fits_the_terminal(width: int) -> None:
    head = run(**pools(general={"vmSize": "Standard_D16s_v5"}, cpuspot={"osDisk": {"sizeGib": 99}}))
    lines = terminal(
        change_document(observed(run(), head), Judged([], [violation("new", "urn::a", mandatory=True)])),
        width,
    )
    assert max(map(len, lines)) <= width
    assert lines[0].startswith("demo: 2 replaced,")
    assert any(line.startswith("!! Pool general is replaced") for line in lines)
    assert any(line.startswith("! Pool cpuspot is replaced") for line in lines)
    assert "- mandatory: new at a: m" in lines
    assert any(line.startswith("vCPU quota") for line in lines)
    assert any(line.startswith("The comment has more: ") for line in lines)


def test_a_terminal_of_no_width_gets_the_narrowest() -> None:
    assert max(map(len, terminal(change_document(observed(run(), run())), 0))) <= 40


def test_nothing_changed_is_one_line() -> None:
    assert terminal(change_document(observed(run(), run())), 80) == [
        f"demo: nothing changes in its {len(run().resources)} resources."
    ]


def test_a_long_reason_is_never_cut() -> None:
    reason = "Deployment.apps is invalid: " + "spec.selector: Invalid value, " * 9 + "field is immutable"
    lines = terminal(change_document(observed(run(), Run(failure=reason))), 80)
    assert max(map(len, lines)) <= 80
    assert reason in " ".join(line.strip() for line in lines)


def test_what_is_not_judged_is_never_reported_as_nothing_changes() -> None:
    lines = terminal(change_document(replace(observed(run(), run()), not_judged=("backend: changes",))), 80)
    assert lines[1] == "!! Not judged: backend: changes."
    assert "nothing changes" not in " ".join(lines)


def test_protection_that_goes_is_reported_though_no_resource_changes() -> None:
    lines = terminal(change_document(observed(run(protect=True), run(protect=False))), 110)
    assert lines[0] == f"demo: {len(run().resources)} unchanged."
    assert lines[1].startswith("!! Protection is removed from ")


def test_what_steers_a_terminal_is_shown_and_does_nothing() -> None:
    lines = terminal(change_document(observed(run(), Run(failure="\x1b[2Jgone\x07"))), 80)
    assert "  \\u{1b}[2Jgone\\u{7}" in lines
