"""A trainer that loses at most a second of work to an eviction, in pure Python.

It fits a line to noisy points by stochastic gradient descent. What matters is not the model but the four rules:

1. Save everything that the next step depends on, the random state too, every second: an eviction may come without a
   SIGTERM.
2. Save to another name, flush it to the disk and rename it: whoever reads the checkpoint finds the old one or the new
   one, never half of one.
3. On Azure's notice, save and go on: who leaves now is started again on a VM that is about to go, or counts as failed.
4. On SIGTERM, save and leave with 143 (128 + 15). With 0 the task would count as done, with 1 as broken.

The checkpoint must outlive the node: a volume of Azure Blob, not the node's own disk.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sys
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import preemption  # the file beside this one

EVICTED = 128 + signal.SIGTERM
"""Exit code that the training operator takes for "make the pod again" (restartPolicy ExitCode)."""

ABANDONED = 600.0
"""Seconds without a change after which nobody writes a file any more: longer than a trainer lives after its notice."""


@dataclass
class State:
    """Everything that the next step depends on.

    Attributes:
        step: steps done.
        slope: the model's first parameter.
        offset: the model's second parameter.
        random: state of the random numbers, as `random.getstate` gives it.
    """

    step: int
    slope: float
    offset: float
    random: Any


def start(seed: int) -> State:
    """The state before the first step."""
    return State(0, 0.0, 0.0, random.Random(seed).getstate())  # noqa: S311 - no secrets


def load(path: Path) -> State | None:
    """The last checkpoint, or None where there is none yet."""
    try:
        state = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    version, numbers, gauss = state.pop("random")
    return State(**state, random=(version, tuple(numbers), gauss))


def save(state: State, path: Path) -> None:
    """Replaces the checkpoint in one step."""
    write(json.dumps(asdict(state)), path)


def write(text: str, path: Path) -> None:
    """Replaces a file in one step, so that a reader finds the old text or the new one."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    with draft.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)  # the name too must be on the disk
    finally:
        os.close(folder)


def tidy(path: Path) -> None:
    """Removes what a trainer left that was killed while it wrote; what may still be written stays."""
    for draft in path.parent.glob(f".{path.name}.*"):
        with suppress(FileNotFoundError):
            if time.time() - draft.stat().st_mtime > ABANDONED:
                draft.unlink()


def train(state: State, rate: float = 0.01) -> None:
    """One step: a noisy point of the line y = 3 x + 1, and a little move towards it."""
    numbers = random.Random()  # noqa: S311 - no secrets
    numbers.setstate(state.random)
    x = numbers.uniform(-1, 1)
    error = state.slope * x + state.offset - (3 * x + 1 + numbers.gauss(0, 0.1))
    state.slope -= rate * error * x
    state.offset -= rate * error
    state.step += 1
    state.random = numbers.getstate()


def say(text: str) -> None:
    """Prints a line in one piece, for the watch for notices prints too."""
    print(f"{text}\n", end="", flush=True)


def main() -> int:
    """Trains from the last checkpoint to the end.

    Returns:
        0 when done, 143 when it had to stop before.
    """
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--folder", type=Path, required=True, help="where checkpoint.json and result.json go")
    parser.add_argument("--steps", type=int, default=100_000, help="steps to train")
    parser.add_argument("--every", type=float, default=1.0, help="seconds between checkpoints")
    parser.add_argument("--pause", type=float, default=0.0, help="seconds that each step takes longer")
    parser.add_argument("--seed", type=int, default=0, help="of the random numbers")
    parser.add_argument(
        "--metadata", default=preemption.ADDRESS, help="Azure's metadata service; '' for none"
    )
    parser.add_argument("--look", type=float, default=2.0, help="seconds between looks for Azure's notice")
    parser.add_argument("--advice", type=Path, help="file with the pod's annotation kubeflow-aks/save-now")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    checkpoint: Path = options.folder / "checkpoint.json"
    must_stop = False

    def stop(_signal: int, _frame: FrameType | None) -> None:
        nonlocal must_stop
        must_stop = True  # the step under way ends first; a save under way is not cut

    signal.signal(signal.SIGTERM, stop)
    notice = preemption.watch(options.metadata, options.look, options.advice)
    tidy(checkpoint)
    state = load(checkpoint) or start(options.seed)
    say(f"start at step {state.step}")
    saved = time.monotonic()
    while state.step < options.steps:
        train(state)
        time.sleep(options.pause)
        if must_stop:
            save(state, checkpoint)
            say(f"evicted at step {state.step}")
            return EVICTED
        noticed = notice.is_set()
        if noticed or time.monotonic() - saved >= options.every:
            notice.clear()
            save(state, checkpoint)
            saved = time.monotonic()
            say(f"{'notice, ' * noticed}saved step {state.step}")
    write(json.dumps({"slope": state.slope, "offset": state.offset}), options.folder / "result.json")
    say(f"done: y = {state.slope:.3f} x + {state.offset:.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
