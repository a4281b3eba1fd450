"""Whatever a stack file holds, it is read or refused in lines of the form that every message has."""

from pathlib import Path

import pytest

from tests.program.whole.made_up import judged, made_up, project, wrong


@pytest.mark.parametrize("seed", range(3))
def test_a_made_up_stack_file_is_read_or_refused_in_lines(tmp_path: Path, seed: int) -> None:
    folder = project(tmp_path)
    outcomes: set[str] = set()
    for text in made_up(100, seed):
        outcome, lines = judged(text, folder)
        assert lines or outcome == "read"
        assert wrong(outcome, lines) == [], text
        outcomes.add(outcome)
    assert outcomes == {"read", "refused", "unreadable"}
