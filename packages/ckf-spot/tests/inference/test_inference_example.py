"""The batch-inference example, run and killed: no row is lost or there twice, and a kill costs at most one batch."""

import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from ckf_spot import Pools, yaml_text

EXAMPLE: Final = Path(__file__).parents[2] / "examples/inference"
FILES: Final = 3
ROWS: Final = 30
KILLS: Final = 4
_LIMIT: Final = 60
WORDS: Final = ("good", "bad", "fine", "poor", "table")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Rows and a model."""
    folder = tmp_path_factory.mktemp("data")
    chance = random.Random(0)  # noqa: S311
    for number in range(FILES):
        rows = [" ".join(chance.choices(WORDS, k=5)) for _ in range(ROWS)]
        (folder / f"{number}.txt").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (folder / "model.json").write_text(json.dumps({"good": 1, "fine": 0.5, "bad": -1, "poor": -0.5}), "utf-8")
    return folder


def command(data: Path, results: Path, *, batch: int, shards: int = 1, pause: float = 0) -> list[str]:
    options = {"rows": data, "results": results, "model": data / "model.json", "shards": shards}
    options |= {"batch": batch, "pause": pause}
    return [
        sys.executable,
        str(EXAMPLE / "score.py"),
        *(f"--{key}={value}" for key, value in options.items()),
    ]


def scored(results: Path) -> list[str]:
    """The rows that there are results of."""
    files = sorted(results.glob("*.jsonl"))
    return [json.loads(line)["text"] for file in files for line in file.read_text("utf-8").splitlines()]


def rows(data: Path) -> list[str]:
    return [row for file in sorted(data.glob("*.txt")) for row in file.read_text("utf-8").splitlines()]


def interrupted(data: Path, results: Path, batch: int) -> tuple[int, int]:
    """Runs it, kills it some times, and lets it end; how many rows were scored in all, and how often it was killed."""
    chance = random.Random(1)  # noqa: S311
    work = kills = 0
    for pause in (*[0.005] * KILLS, 0.0):
        with subprocess.Popen(
            command(data, results, batch=batch, pause=pause), stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout
            read = [process.stdout.readline() for _ in range(chance.randint(5, 15) if pause else 0)]
            sign = chance.choice([signal.SIGTERM, signal.SIGKILL])
            if pause:
                process.send_signal(sign)
            read += process.stdout.readlines()
            code = process.wait(_LIMIT)
            assert code in ((0, 143 if sign == signal.SIGTERM else -signal.SIGKILL) if pause else (0,))
        kills += code != 0
        work += sum(" of " in line for line in read)
    return work, kills


@pytest.mark.parametrize("batch", [5, ROWS])
def test_a_kill_costs_at_most_a_batch_and_no_row(data: Path, tmp_path: Path, batch: int) -> None:
    work, kills = interrupted(data, tmp_path, batch)
    assert scored(tmp_path) == rows(data)
    assert 0 <= work - len(rows(data)) <= kills * batch


def test_the_shards_together_are_the_whole(data: Path, tmp_path: Path) -> None:
    for shard in range(3):
        environment = os.environ | {"JOB_COMPLETION_INDEX": str(shard)}
        subprocess.run(
            command(data, tmp_path, batch=25, shards=3), env=environment, check=True, capture_output=True
        )
    assert sorted(scored(tmp_path)) == sorted(rows(data))


def test_the_job_starts_an_evicted_task_again_whatever_happened_to_the_others() -> None:
    [document] = yaml_text.load((EXAMPLE / "inference.yaml").read_text("utf-8"), "inference").documents
    spec = Pools.sample()["cpu"].place(document)["spec"]
    assert spec["podFailurePolicy"]["rules"][0]["action"] == "Ignore"
    assert spec["backoffLimitPerIndex"] == 6
    [container] = spec["template"]["spec"]["containers"]
    assert f"--shards={spec['completions']}" in container["command"]
