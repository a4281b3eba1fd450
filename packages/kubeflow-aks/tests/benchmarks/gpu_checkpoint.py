"""How long a GPU's training needs for a checkpoint, for a new start, and from SIGTERM to a checkpoint that is safe.

Needs a GPU and PyTorch, which this repository does not install; so it is no part of `make bench`. What it measures are
least values of `workload.<name>.checkpointWriteMinutes` and `restartMinutes`: a local disk has no network in between,
a new start here boots no node and pulls no image.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

_GIB = 2**30
_WIDTH = 4096
_COPIES = 3
"""Adam keeps two numbers for each parameter beside it."""
_BYTES = 4


def main() -> int:
    """Prints one line of JSON for each size; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.gpu_checkpoint", description=__doc__)
    parser.add_argument("--gib", type=float, nargs="+", default=(1, 4, 16), help="sizes of a checkpoint")
    parser.add_argument("--folder", type=Path, help="where checkpoints go; left out: a temporary folder")
    parser.add_argument("--train", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.train:
        return _train(options.gib[0], options.folder)
    with TemporaryDirectory(dir=options.folder) as folder:
        for gib in options.gib:
            print(json.dumps(_measured(gib, Path(folder))), flush=True)
    return 0


def _measured(gib: float, folder: Path) -> dict[str, Any]:
    """Trains until a checkpoint is written, stops the training by SIGTERM, and starts it once more."""
    first = _run(gib, folder)
    again = _run(gib, folder)
    (folder / "state.pt").unlink()
    return {
        "gib": gib,
        "gpu": first["gpu"],
        "firstStep": first["firstStep"],
        "write": first["write"],
        "termToSafe": first["termToSafe"],
        "restore": again["restore"],
        "restoredStep": again["firstStep"],
    }


def _run(gib: float, folder: Path) -> dict[str, Any]:
    """One training, in seconds since it was started; stopped once it has written its first checkpoint."""
    command = [sys.executable, str(Path(__file__)), "--train", "--gib", str(gib), "--folder", str(folder)]
    started = time.monotonic()
    result: dict[str, Any] = {}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        requested = 0.0
        for line in process.stdout:
            result |= json.loads(line)
            if "firstStep" not in result and "stepped" in result:
                result["firstStep"] = round(time.monotonic() - started, 1)
            if "write" in result and not requested:
                requested = time.monotonic()
                process.send_signal(signal.SIGTERM)
        result["termToSafe"] = round(time.monotonic() - requested, 1)
    if process.returncode != 0:
        raise SystemExit(f"the training failed: {result}")
    return result


def _train(gib: float, folder: Path) -> int:
    """A stack of layers with Adam whose state has that size; after SIGTERM it saves once more and ends."""
    torch: Any = importlib.import_module("torch")

    requested = False

    def stop(*_: object) -> None:
        nonlocal requested
        requested = True

    signal.signal(signal.SIGTERM, stop)
    layers = max(1, round(gib * _GIB / (_WIDTH * _WIDTH * _BYTES * _COPIES)))
    model = torch.nn.Sequential(*(torch.nn.Linear(_WIDTH, _WIDTH, bias=False) for _ in range(layers))).cuda()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
    path = folder / "state.pt"
    if path.exists():
        begun = time.monotonic()
        state = torch.load(path, map_location="cuda")
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        torch.cuda.synchronize()
        print(json.dumps({"restore": round(time.monotonic() - begun, 1)}), flush=True)

    def save() -> float:
        begun = time.monotonic()
        new = path.with_suffix(".new")
        with new.open("wb") as file:
            torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, file)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
        return round(time.monotonic() - begun, 1)

    steps = 0
    while not requested:
        loss = model(torch.randn(64, _WIDTH, device="cuda")).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        torch.cuda.synchronize()
        steps += 1
        if steps == 1:
            print(json.dumps({"stepped": 1, "gpu": torch.cuda.get_device_name()}), flush=True)
            print(json.dumps({"write": save()}), flush=True)
    save()
    return 0


if __name__ == "__main__":
    sys.exit(main())
