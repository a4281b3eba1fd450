"""A placed pipeline on one's own machine: kfp's local runner ignores the placement and honours the retries."""

# No `from __future__ import annotations`: kfp reads annotations as they are.

from pathlib import Path

import pytest
from compiling import component, pipeline, work
from kfp import local

from ckf_spot import PlacementError, Pools


@component
def flaky(counter: str, failures: int) -> int:
    """Fails so many times, as an evicted step does."""
    from pathlib import Path  # noqa: PLC0415 - of the component

    file = Path(counter)
    attempt = int(file.read_text()) if file.exists() else 0
    file.write_text(str(attempt + 1))
    if attempt < failures:
        raise RuntimeError(f"attempt {attempt} is evicted")
    return attempt


@pytest.fixture(autouse=True)
def local_runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    local.init(
        local.SubprocessRunner(use_venv=False),
        pipeline_root=str(tmp_path / "outputs"),
        workspace_root=str(tmp_path / "workspace"),  # else a folder in /tmp stays behind
        raise_on_error=False,
    )


@pytest.mark.parametrize(("failures", "attempts"), [(2, 3), (9, 3)])
def test_a_placed_task_is_retried_as_often_as_requested(
    pools: Pools, tmp_path: Path, failures: int, attempts: int
) -> None:
    @pipeline
    def tested(counter: str, failures: int):  # noqa: ANN202 - of kfp
        pools["cpu"].place(flaky(counter=counter, failures=failures), retries=2, backoff="0s")

    counter = tmp_path / "counter"
    tested(counter=str(counter), failures=failures)
    assert counter.read_text() == str(attempts)


def test_a_task_that_has_run_already_is_refused(pools: Pools) -> None:
    with pytest.raises(PlacementError) as error:
        pools["cpu"].place(work())
    assert str(error.value) == "task 'work': it has run already; call its component inside @dsl.pipeline"
