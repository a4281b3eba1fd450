"""The journal is one JSON object a line, and every kind of line is documented."""

import io
import json
from pathlib import Path

import pytest

from kubeflow_aks import events
from kubeflow_aks.events import Kind
from kubeflow_aks.local_aks.simulation.journal import Journal, Source
from tests.stepped.manual_clock import ManualClock


def test_a_line_has_time_event_and_actor(tmp_path: Path) -> None:
    clock, path = ManualClock(), tmp_path / "journal.jsonl"
    clock.advance(12.5)
    with path.open("w") as sink:
        Journal(sink, clock).write(Kind.SCALE_UP, Source.AUTOSCALER, pool="cpu", node="", to=2)
    line = json.loads(path.read_text())
    assert line.pop("wall") > 0
    assert line == {
        "time": 12.5,
        "kind": "scale-up",
        "source": "simulated autoscaler",
        "pool": "cpu",
        "to": 2,
    }


def test_lines_reach_the_file_at_once() -> None:
    sink = io.StringIO()
    Journal(sink, ManualClock()).write(Kind.ERROR, Source.SIMULATION, detail="x")
    assert sink.getvalue().endswith("\n")


@pytest.mark.parametrize("kind", list(Kind))
def test_every_kind_is_documented(kind: Kind) -> None:
    source = Path(events.__file__).read_text(encoding="utf-8")
    assert f'{kind.name} = "{kind}"\n    """' in source


def test_every_actor_but_the_control_plane_is_named_as_simulated() -> None:
    assert all("simulat" in source for source in Source if source is not Source.CONTROL_PLANE)
