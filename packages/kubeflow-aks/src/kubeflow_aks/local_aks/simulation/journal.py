"""The journal of a simulation: what happened to pools, nodes and pods, one JSON object a line.

Every line has `time` (simulated seconds since the clock started), `wall` (seconds since the epoch), `kind`
(a `Kind`), `source` (a `Source`), and, where they apply, `pool`, `node`, `pod` (`namespace/name`) and `detail`
(a sentence for people). The other keys of a kind are named in its docstring.
"""

import json
import threading
import time
from enum import StrEnum
from typing import TextIO

from kubeflow_aks.events import Kind
from kubeflow_aks.local_aks.simulation.clock import Clock


class Source(StrEnum):
    """The actor of a line; every actor but the real control plane is named as simulated."""

    CONTROL_PLANE = "control plane"
    SCALE_SET = "simulated scale set"
    MARKET = "simulated spot market"
    AUTOSCALER = "simulated autoscaler"
    SIMULATION = "simulation"


class Journal:
    """Writes lines as they happen; safe for several threads."""

    def __init__(self, sink: TextIO, clock: Clock) -> None:
        """`sink` is flushed after each line and stays open."""
        self._sink = sink
        self._clock = clock
        self._lock = threading.Lock()
        self._errors: set[str] = set()

    def error_once(self, problem: str) -> None:
        """Add an error of the simulation's own, unless the same was written before."""
        if problem not in self._errors:
            self._errors.add(problem)
            self.write(Kind.ERROR, Source.SIMULATION, detail=problem)

    def write(self, kind: Kind, source: Source, **fields: object) -> None:
        """Add one line; fields that are empty text are left out."""
        line: dict[str, object] = {
            "time": round(self._clock.now(), 3),
            "wall": round(time.time(), 3),
            "kind": kind,
            "source": source,
            **{key: value for key, value in fields.items() if value != ""},
        }
        with self._lock:
            self._sink.write(json.dumps(line, ensure_ascii=False) + "\n")
            self._sink.flush()
