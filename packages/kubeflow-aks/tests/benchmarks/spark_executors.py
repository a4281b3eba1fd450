"""What Spark really does again when executors are evicted, with and without what `ckf-spot place --elastic` sets.

    python tests/benchmarks/spark_executors.py

Needs PySpark (`pip install pyspark`) and Java 17, which this repository does not install; so it is no part of `make
bench`. Executors are processes on this machine (`local-cluster`). An evicted one gets what Spark's image sends before a
pod ends, SIGPWR, and 25 s later SIGKILL; without `spark.decommission.enabled` it gets SIGTERM.
"""

from __future__ import annotations

import argparse
import importlib
import json
import operator
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

EXECUTORS: Final = 3
MAPS: Final = 24
MAP_SECONDS: Final = 1.0
REDUCES: Final = 6
GRACE_SECONDS: Final = 25
"""As `ckf-spot` sets it."""
_DECOMMISSION: Final = "spark.decommission.enabled"
_STORAGE: Final = "spark.storage.decommission.enabled"
_FALLBACK: Final = "spark.storage.decommission.fallbackStorage.path"
_ELASTIC: Final = {_DECOMMISSION: "true", _STORAGE: "true"}
VARIANTS: Final[Mapping[str, Mapping[str, str]]] = {
    "default": {},
    "decommission alone": {_DECOMMISSION: "true"},
    "elastic": _ELASTIC,
    "elastic and fallback storage": {**_ELASTIC, _FALLBACK: "file://{folder}/fallback/"},
}
LOSSES: Final[Mapping[str, int]] = {"1 of 3 executors": 1, "all 3 executors": EXECUTORS}


def main() -> int:
    """Prints one line of JSON for each variant and loss; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python packages/kubeflow-aks/tests/benchmarks/spark_executors.py", description=__doc__
    )
    parser.add_argument("--only", nargs=2, metavar=("VARIANT", "LOSS"))
    parser.add_argument("--run", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        return _run(options.run)
    for variant, conf in VARIANTS.items():
        for loss, amount in LOSSES.items():
            if options.only is None or [variant, loss] == options.only:
                with TemporaryDirectory() as folder:
                    result = _played(Path(folder), conf, amount)
                print(json.dumps({"variant": variant, "loss": loss, **result}), flush=True)
    return 0


def _played(folder: Path, conf: Mapping[str, str], amount: int) -> dict[str, Any]:
    """One application that loses so many executors when half of its maps are done."""
    made = {key: value.format(folder=folder) for key, value in conf.items()}
    (folder / "conf.json").write_text(json.dumps(made), encoding="utf-8")
    (folder / "fallback").mkdir()
    env = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    command = [sys.executable, str(Path(__file__).resolve()), "--run", str(folder)]
    driver = subprocess.Popen(command, env=env, stderr=(folder / "log").open("ab"))
    try:
        while len(_done(folder)) < MAPS // 2:
            if driver.poll() is not None:
                raise RuntimeError((folder / "log").read_text(encoding="utf-8")[-2000:])
            time.sleep(0.05)
        executors = list(_executors(driver.pid))[:amount]
        before = len(_done(folder))
        first = signal.SIGPWR if _DECOMMISSION in conf else signal.SIGTERM
        threads = [threading.Thread(target=_evict, args=(executor, first)) for executor in executors]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        failed = driver.wait() != 0
        done = _done(folder)
        return {
            "doneBefore": before,
            "doneAgain": len(done) - len(set(done)),
            "ofDoneBefore": round((len(done) - len(set(done))) / before, 2),
            "failed": failed,
        }
    finally:
        driver.kill()
        driver.wait()


def _done(folder: Path) -> list[str]:
    """The maps that were finished, in order; one that was done twice is there twice."""
    file = folder / "maps"
    return file.read_text(encoding="utf-8").split() if file.exists() else []


def _evict(executor: int, first: signal.Signals) -> None:
    os.kill(executor, first)
    end = time.monotonic() + GRACE_SECONDS
    while time.monotonic() < end and Path(f"/proc/{executor}").exists():
        time.sleep(0.1)
    if Path(f"/proc/{executor}").exists():
        os.kill(executor, signal.SIGKILL)


def _executors(driver: int) -> Iterator[int]:
    """Processes below the driver that are executors."""
    parents: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
        except OSError:  # it has ended meanwhile
            continue
    for pid in sorted(parents):
        above = pid
        while above in parents and above != driver:
            above = parents[above]
        if above == driver:
            try:
                command = Path(f"/proc/{pid}/cmdline").read_text()
            except OSError:
                continue
            if "CoarseGrainedExecutorBackend" in command and "java" in command.partition("\0")[0]:
                yield pid


def _run(folder: Path) -> int:
    """The driver: maps that each take a while, then a shuffle."""
    sql: Any = importlib.import_module("pyspark.sql")
    builder = sql.SparkSession.builder.master(f"local-cluster[{EXECUTORS},1,1024]")
    settings = {
        "spark.ui.enabled": "false",
        "spark.executor.memory": "512m",
        "spark.executor.maxNumFailures": "1000",
    }
    for key, value in (settings | json.loads((folder / "conf.json").read_text(encoding="utf-8"))).items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()

    def mapped(number: int) -> tuple[int, int]:
        time.sleep(MAP_SECONDS)
        with (folder / "maps").open("a", encoding="utf-8") as file:
            file.write(f"{number}\n")
        return number % REDUCES, number

    numbers = session.sparkContext.parallelize(range(MAPS), MAPS)
    total = numbers.map(mapped).reduceByKey(operator.add, REDUCES).values().sum()
    session.stop()
    return 0 if total == sum(range(MAPS)) else 1


if __name__ == "__main__":
    sys.exit(main())
