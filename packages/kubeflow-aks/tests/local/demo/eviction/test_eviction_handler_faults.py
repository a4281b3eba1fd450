"""The eviction handler as a process ends all pods of 40 nodes in time, however the API server misbehaves."""

from __future__ import annotations

from collections.abc import Generator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial

import pytest

from components.kubeflow.script_client import READY
from tests.faulty_api_server import PODS, Fault, Played, play

BUSY_SECONDS = 10
"""By so much a machine that is busy with other tests may delay a request; the benchmark allows nothing."""
PLAYED = tuple(set(Fault) - {Fault.NONE, Fault.ODD})
"""The others are played by tests/docs/test_work_lost_to_evictions.py."""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Generator[dict[Fault, Future[Played]]]:
    """All of them at once: most of the time they wait."""
    with ThreadPoolExecutor() as threads:
        folder = tmp_path_factory.mktemp("faults")
        yield {fault: threads.submit(partial(play, fault, folder / fault.name)) for fault in PLAYED}


@pytest.mark.parametrize("fault", sorted(PLAYED))
def test_every_pod_ends_before_its_deadline(played: dict[Fault, Future[Played]], fault: Fault) -> None:
    result = played[fault].result()
    assert (result.pods, result.ended) == (PODS, None), result.log[-10:]
    assert result.late < BUSY_SECONDS


def test_what_the_handler_may_not_do_is_reported_and_logged_once(played: dict[Fault, Future[Played]]) -> None:
    result = played[Fault.NO_EVICTIONS].result()
    assert result.report == "rights: it may not create pods/eviction"
    assert result.log.count(result.report) == 1


@pytest.mark.parametrize("fault", [Fault.CONFLICTS, Fault.SLOW, Fault.WRONG_DATES])
def test_the_handler_stays_ready_where_it_can_do_its_work(
    played: dict[Fault, Future[Played]], fault: Fault
) -> None:
    assert played[fault].result().report == READY


@pytest.mark.parametrize("fault", sorted(PLAYED))
def test_no_line_of_the_log_comes_again_and_again(played: dict[Fault, Future[Played]], fault: Fault) -> None:
    """A refusal may alternate with another one, once for each look at a pod or a node."""
    assert len(played[fault].result().log) < 6 * PODS
