"""Scores rows of text in shards, in pure Python, and loses at most one batch to an eviction.

Each pod of an Indexed Job takes the files of its shard, and writes the results of each batch to a file of its own:

1. A batch whose file is there is done: a pod that starts again skips it.
2. The file gets its name once it is whole: a batch that was cut is not there, and is scored again.
3. On SIGTERM, leave with 143 (128 + 15) at once; what is done is on the volume.

The model is a stand-in: put your own into `Model`. The folders must outlive the node: a volume of Azure Blob.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NoReturn

EVICTED = 128 + signal.SIGTERM
"""Exit code after SIGTERM: what a shell reports of a process that ended by it."""


class Model:
    """How positive a text is, from 0 to 1, by the weights of its words."""

    def __init__(self, path: Path) -> None:
        """Loads the weights: a JSON object with a number for each word."""
        self._weights: dict[str, float] = json.loads(path.read_text(encoding="utf-8"))

    def score(self, text: str) -> float:
        """One row."""
        total = sum(self._weights.get(word, 0.0) for word in text.lower().split())
        return round(1 / (1 + math.exp(-total)), 4)


def batches(folder: Path, shard: int, shards: int, size: int) -> Iterator[tuple[str, Sequence[str]]]:
    """The batches of a shard: a name that never changes, and the rows."""
    for number, file in enumerate(sorted(folder.glob("*.txt"))):
        if number % shards == shard:
            with file.open(encoding="utf-8") as rows:
                part = 0
                while batch := [row.rstrip() for row in islice(rows, size)]:
                    yield f"{file.stem}-{part:05}.jsonl", batch
                    part += 1


def write(text: str, path: Path) -> None:
    """Writes a file in one step, so that a reader finds all of it or nothing."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    with draft.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


def leave(*_: object) -> NoReturn:
    """Ends the process: a batch that is cut here has no file yet."""
    sys.exit(EVICTED)


def main() -> int:
    """Scores what is not scored yet.

    Returns:
        0 when the shard is done.
    """
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=Path, required=True, help="folder with .txt files, a row in each line")
    parser.add_argument("--results", type=Path, required=True, help="folder for the results")
    parser.add_argument("--model", type=Path, required=True, help="JSON file with the weights of words")
    parser.add_argument("--shards", type=int, default=1, help="pods that share the files")
    parser.add_argument("--batch", type=int, default=500, help="rows that an eviction may cost")
    parser.add_argument("--pause", type=float, default=0.0, help="seconds that each row takes longer")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, leave)
    options.results.mkdir(parents=True, exist_ok=True)
    model = Model(options.model)
    shard = int(os.environ.get("JOB_COMPLETION_INDEX", "0"))
    for name, rows in batches(options.rows, shard, options.shards, options.batch):
        if (options.results / name).exists():
            continue
        lines: list[str] = []
        for row in rows:
            time.sleep(options.pause)
            lines.append(json.dumps({"text": row, "score": model.score(row)}))
            print(f"{name}: {len(lines)} of {len(rows)}", flush=True)
        write("".join(f"{line}\n" for line in lines), options.results / name)
    print("done", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
