"""What torchrun really does when one of its nodes is evicted: as a gang of fixed size, and elastic.

    python tests/benchmarks/torchrun.py

Needs PyTorch, which this repository does not install; so it is no part of `make bench`. A node is torchrun's agent with
one worker, on this machine, with the variables that the training operator sets. An agent that ends
with an error is started again, as by `restartPolicy: OnFailure`; an evicted node comes back after `--boot` seconds.
"""

from __future__ import annotations

import argparse
import importlib
import itertools
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

NODES: Final = 3
STEP_SECONDS: Final = 0.2
EVERY: Final = 50
"""Steps between two checkpoints."""
WARM_STEPS: Final = 75
"""Steps before the eviction: half a checkpoint's way."""
_PORT: Final = 29517
_HOST: Final = "localhost"
_GANG: Final = {
    "PET_NNODES": str(NODES),
    "PET_MASTER_ADDR": _HOST,
    "PET_MASTER_PORT": str(_PORT),
}
_ELASTIC: Final = {
    "PET_NNODES": f"1:{NODES}",
    "PET_RDZV_BACKEND": "c10d",
    "PET_RDZV_ENDPOINT": f"{_HOST}:{_PORT}",
    "PET_RDZV_ID": "train",
}
_OWN_STORE: Final = {"TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1"}
VARIANTS: Final[Mapping[str, Mapping[str, str]]] = {
    "gang": _GANG,
    "elastic": {**_ELASTIC, **_OWN_STORE, "PET_MAX_RESTARTS": "100"},
    "elastic without maxRestarts": {**_ELASTIC, **_OWN_STORE},
    "elastic with a shared store": {**_ELASTIC, "PET_MAX_RESTARTS": "100"},
}
LOSSES: Final[Mapping[str, tuple[int, signal.Signals]]] = {
    "drained": (NODES - 1, signal.SIGTERM),
    "vanishes": (NODES - 1, signal.SIGSTOP),
    "its rendezvous host is drained": (0, signal.SIGTERM),
}
"""The node that goes, and how: a stopped process neither answers nor closes its connections, as a VM that is gone."""


@dataclass
class Node:
    """One node of the training.

    Attributes:
        back: monotonic time at which it is there again; None while it is there.
        restarts: how often its agent was started again after an error.
    """

    number: int
    folder: Path
    env: Mapping[str, str]
    back: float | None = None
    restarts: int = -1
    _process: subprocess.Popen[bytes] = field(init=False)

    def start(self) -> None:
        """Starts the agent, which starts its worker."""
        self.restarts += 1
        self.back = None
        command = [sys.executable, "-m", "torch.distributed.run", str(Path(__file__).resolve()), "--train"]
        env = {**os.environ, **self.env, "PET_NODE_RANK": str(self.number), "PET_NPROC_PER_NODE": "1"}
        env["PET_RDZV_CONF"] = f"is_host={self.number == 0}"  # in a cluster its host name says so
        with (self.folder / f"node-{self.number}.log").open("ab") as log:
            self._process = subprocess.Popen(
                [*command, "--folder", str(self.folder)],
                env={**env, "OMP_NUM_THREADS": "1"},
                stdout=log,
                stderr=log,
            )

    def evict(self, sent: signal.Signals, boot: float) -> None:
        """Takes it away."""
        self._signal(sent)
        self.back = time.monotonic() + boot

    def look(self) -> None:
        """Starts it if it is to run and does not."""
        if self.back is not None:
            if time.monotonic() < self.back:
                return
            self.kill()
            self.start()
            self.restarts = 0
        elif self._process.poll() not in (None, 0):
            self.kill()
            self.start()

    def kill(self) -> None:
        """Ends what is left of it."""
        self._signal(signal.SIGKILL)
        self._process.wait()

    def _signal(self, sent: signal.Signals) -> None:
        """To the agent and its worker, which is in a session of its own."""
        children: dict[int, list[int]] = {}
        for line in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):  # it has ended meanwhile
                parent = int(line.read_text().rpartition(")")[2].split()[1])
                children.setdefault(parent, []).append(int(line.parent.name))
        for pid in (self._process.pid, *children.get(self._process.pid, ())):
            with suppress(ProcessLookupError):
                os.kill(pid, sent)


def main() -> int:
    """Prints one line of JSON for each variant and loss; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python packages/kubeflow-aks/tests/benchmarks/torchrun.py", description=__doc__
    )
    parser.add_argument(
        "--boot", type=float, default=90.0, help="seconds until an evicted node is there again"
    )
    parser.add_argument(
        "--window", type=float, default=180.0, help="seconds from the eviction that are counted"
    )
    parser.add_argument("--only", nargs=2, metavar=("VARIANT", "LOSS"))
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--train", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.train:
        return _train(options.folder)
    for variant, env in VARIANTS.items():
        for loss, (number, sent) in LOSSES.items():
            if options.only is None or [variant, loss] == options.only:
                with TemporaryDirectory() as folder:
                    result = _played(Path(folder), env, number, sent, options)
                print(json.dumps({"variant": variant, "loss": loss, **result}), flush=True)
    return 0


def _played(
    folder: Path, env: Mapping[str, str], number: int, sent: signal.Signals, options: argparse.Namespace
) -> dict[str, Any]:
    """One training that loses a node, for so long."""
    nodes = [Node(rank, folder, env) for rank in range(NODES)]
    try:
        for node in nodes:
            node.start()
        while len(_steps(folder)) < WARM_STEPS:
            _wait(nodes)
        at = time.time()
        nodes[number].evict(sent, options.boot)
        while time.time() < at + options.window:
            _wait(nodes)
        return _result(_steps(folder), at, options.window) | {
            "podRestarts": sum(node.restarts for node in nodes)
        }
    finally:
        for node in nodes:
            node.kill()


def _wait(nodes: list[Node]) -> None:
    time.sleep(0.1)
    for node in nodes:
        node.look()


def _steps(folder: Path) -> list[dict[str, Any]]:
    log = folder / "steps.jsonl"
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


def _result(steps: list[dict[str, Any]], at: float, window: float) -> dict[str, Any]:
    """What the training did in the window, in steps of one node."""
    before = [step for step in steps if step["at"] <= at]
    after = [step for step in steps if at < step["at"] <= at + window]
    moments = [at, *(step["at"] for step in after), at + window]
    gaps = [later - earlier for earlier, later in itertools.pairwise(moments)]
    done = sum(step["nodes"] for step in after)
    net = max([0, *(step["position"] for step in after)]) - before[-1]["position"]
    return {
        "stoodSeconds": round(sum(gap for gap in gaps if gap > 2)),
        "nodes": "-".join(str(size) for size in _changes(step["nodes"] for step in after)),
        "doneAgain": done - max(net, 0) if net >= 0 else done,
        "net": net,
        "ideal": round(window / STEP_SECONDS * NODES),
    }


def _changes(values: Iterable[int]) -> list[int]:
    changes: list[int] = []
    for value in values:
        if changes[-1:] != [value]:
            changes.append(value)
    return changes


def _train(folder: Path) -> int:
    """A step is a wait and a sum over all nodes; the position counts the steps of all."""
    torch: Any = importlib.import_module("torch")
    importlib.import_module("torch.distributed")
    torch.distributed.init_process_group("gloo")
    rank, size = torch.distributed.get_rank(), torch.distributed.get_world_size()
    saved = folder / "saved"
    position = int(saved.read_text()) if saved.exists() else 0
    for number in range(1_000_000):
        time.sleep(STEP_SECONDS)
        torch.distributed.all_reduce(torch.ones(1))
        position += size
        if rank:
            continue
        with (folder / "steps.jsonl").open("a") as log:
            log.write(json.dumps({"at": time.time(), "position": position, "nodes": size}) + "\n")
        if number % EVERY == EVERY - 1:
            new = saved.with_suffix(".new")
            new.write_text(str(position))
            new.replace(saved)
    return 0


if __name__ == "__main__":
    sys.exit(main())
