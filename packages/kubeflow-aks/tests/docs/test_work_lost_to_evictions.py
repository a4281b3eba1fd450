"""The page on lost work agrees with a small run, and what is played does what the kubelet and the handler do."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from components.kubeflow.prerequisites_args import KubeflowPrerequisitesArgs
from components.kubeflow.script_client import READY
from kubeflow_aks.local_aks.simulation.vms.scale_sets import Timings
from tests.benchmarks.eviction import KINDS, LEADS, NOTICES, PAGE, SETTING, advice_rows, cell, row
from tests.benchmarks.eviction_page import (
    AdviceRow,
    Row,
    advice_table,
    cordon_table,
    cordoned,
    lost_table,
    stood_table,
)
from tests.benchmarks.eviction_world import (
    GRACE,
    HANDLER_SECONDS,
    REPORT_SECONDS,
    Advice,
    Kind,
    Outcome,
    World,
)
from tests.faulty_api_server import Fault, play

SMALL = 60
TRAINING = Kind(name="training", every=600, saving=5)
STEP = Kind(name="step", length=600)


def _figures(table: str) -> list[tuple[float, float]]:
    """Each mean with half of its interval."""
    cells = [cell for line in table.splitlines()[2:] for cell in line.strip("| ").split(" | ")[1:]]
    return [(float(mean), float(half or 0.05)) for mean, _, half in (text.partition(" ± ") for text in cells)]


def _table_of(page: str, heading: str) -> str:
    section = re.search(rf"## {heading}\n[^|]*((?:\|.*\n)+)", page)
    assert section is not None, heading
    return section[1]


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return [row(kind, SMALL) for kind in KINDS]


@pytest.mark.parametrize(
    ("heading", "table"),
    [("Work that is lost", lost_table), ("Work that stands still", stood_table)],
    ids=["lost", "stands still"],
)
def test_the_page_agrees_with_a_small_run(
    rows: list[Row], heading: str, table: Callable[[list[Row], Sequence[float]], str]
) -> None:
    written = _figures(_table_of(PAGE.read_text(encoding="utf-8"), heading))
    played = _figures(table(rows, NOTICES))
    assert len(written) == len(played) == 2 * len(KINDS) * len(NOTICES)
    for (mean, half), (small, small_half) in zip(written, played, strict=True):
        assert abs(mean - small) <= 2 * (half + small_half)


@pytest.fixture(scope="module")
def advice() -> list[AdviceRow]:
    return advice_rows(SMALL // 2)


def test_the_page_agrees_with_a_small_run_of_advice(advice: list[AdviceRow]) -> None:
    page = PAGE.read_text(encoding="utf-8")
    written = _figures(_table_of(page, "Advisories"))
    played = _figures(advice_table(advice, LEADS))
    assert len(written) == len(played) == len(advice) * (1 + 2 * len(LEADS))
    for (mean, half), (small, small_half) in zip(written, played, strict=True):
        assert abs(mean - small) <= 2 * (half + small_half)
    assert cordon_table(LEADS, Timings().boot) in page


def test_the_default_saves_more_than_it_costs_though_half_of_the_advice_is_false(
    advice: list[AdviceRow],
) -> None:
    """If a save takes 5 s; work that takes 20 s should not agree, and a cordon costs more at 30 s."""
    default = KubeflowPrerequisitesArgs.__annotations__["on_advisory"].__metadata__[0].default
    assert default == "checkpoint"
    quick = [row for row in advice if "saves in 5 s" in row.name]
    assert quick
    assert all(row.net(lead).value < row.none.value for row in quick for lead in row.leads)
    [slow] = [row for row in advice if "saves in 20 s" in row.name]
    assert slow.net(slow.leads[0]).value > slow.none.value
    assert cordoned(LEADS[0], Timings().boot) < 0 < cordoned(LEADS[-1], Timings().boot)


def test_the_page_has_every_fault_and_no_pod_that_ends_too_late() -> None:
    page = PAGE.read_text(encoding="utf-8")
    table = page[page.index("## While the API server misbehaves") :]
    head, _, in_time, *_ = (
        [text.strip() for text in line.strip("|\n").split("|")]
        for line in table.splitlines()
        if line.startswith("|")
    )
    assert head == ["Fault", *Fault]
    assert in_time[1:] == [str(SETTING.pods)] * len(Fault)


def test_a_process_does_what_the_page_says_of_events_that_cannot_be_read(tmp_path: Path) -> None:
    played = play(Fault.ODD, tmp_path, nodes=2, pods=6)
    assert (played.pods, played.ended, played.report) == (6, None, READY)
    skipped = [line for line in played.log if "skipped, as it cannot be read" in line]
    assert skipped
    assert len(skipped) == len(set(skipped))


def test_a_training_that_saves_within_the_notice_loses_nothing_with_the_handler() -> None:
    assert World(TRAINING, 30, 200).play(detector=1, handled=True) == Outcome(0.0, 5 + REPORT_SECONDS)
    assert World(TRAINING, 30, 200).play(detector=1, handled=False) == Outcome(230.0, 59.0)


def test_what_takes_longer_than_the_grace_is_killed_and_reported() -> None:
    slow = Kind(name="slow", every=600, saving=GRACE + 1)
    lost = 200 + 1 + HANDLER_SECONDS
    assert World(slow, 30, 200).play(detector=1, handled=True) == Outcome(lost, GRACE + REPORT_SECONDS)


def test_a_vm_that_goes_before_the_work_is_saved_takes_it_along() -> None:
    lost, stood = 200 + 1 + HANDLER_SECONDS, 4 - 1 - HANDLER_SECONDS + 59
    assert World(TRAINING, 4, 200).play(detector=1, handled=True) == Outcome(lost, stood)


def test_a_save_on_advice_is_what_work_loses_nothing_before() -> None:
    """Advice 100 s before the VM goes, read 10 s later, saved in 5 s: the rest of the 100 s is lost, and the save."""
    world = World(TRAINING, 0, 400, Advice(100, 10))
    lost = 100 - 1 - HANDLER_SECONDS - 10 - 5 + 5
    assert world.play(detector=1, handled=False).lost == pytest.approx(lost)
    unread = World(TRAINING, 0, 400, Advice(12, 20)).play(detector=1, handled=False)
    assert unread.lost == 400


@pytest.mark.parametrize("handled", [True, False])
def test_a_notice_that_nobody_reads_in_time_changes_nothing(handled: bool) -> None:
    assert World(STEP, 1, 200).play(detector=1.5, handled=handled) == Outcome(201.0, 59.0)


def test_a_checkpoint_that_is_half_written_saves_nothing() -> None:
    assert TRAINING.unsaved(599) == 599
    assert TRAINING.unsaved(603) == 600
    assert TRAINING.unsaved(606) == 1


def test_a_step_that_would_end_within_the_notice_is_cut_off_by_the_handler_alone() -> None:
    assert World(STEP, 30, 580).play(detector=1, handled=False) == Outcome(0.0, 0.0)
    assert World(STEP, 30, 580).play(detector=1, handled=True).lost == 581 + HANDLER_SECONDS


def test_the_same_evictions_come_with_and_without_the_handler() -> None:
    outcome = cell(KINDS[0], 0.0, SMALL)
    assert outcome.lost == outcome.lost_handled
    assert outcome.stood == outcome.stood_handled
