"""A demo of stack `demo` as it was observed (`build/demo/demo.json`), whole or with something changed."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kubeflow_aks.scenario.observations import Observations, from_json

FILE = Path(__file__).parent / "data" / "observations.json"

Raw = dict[str, Any]


def recorded(*changes: Callable[[Raw], object]) -> Observations:
    """The recorded observations after some changes to their JSON form."""
    raw = json.loads(FILE.read_text(encoding="utf-8"))
    for change in changes:
        change(raw)
    return from_json(json.dumps(raw))


def pods(raw: Raw, part: str) -> list[Raw]:
    """The pods that play a part."""
    return [pod for pod in raw["pods"] if pod["part"] == part]


def without(kind: str) -> Callable[[Raw], None]:
    """A change: the journal has no lines of that kind."""

    def change(raw: Raw) -> None:
        raw["journal"] = [line for line in raw["journal"] if line["kind"] != kind]

    return change
