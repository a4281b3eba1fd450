"""`pools["cpu"]` places whatever it is given; wrong uses are reported in one line, and by a type checker before."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ckf_spot import PlacementError, Pools

CPU = Pools.sample()["cpu"]
JOB: dict[str, Any] = {
    "apiVersion": "batch/v1",
    "kind": "Job",
    "metadata": {"name": "j"},
    "spec": {"template": {"spec": {"containers": [{"name": "main", "image": "i"}]}}},
}
TYPED = """\
from typing import Any

from kfp import dsl

from ckf_spot import Pools

cpu = Pools.sample()["cpu"]


def lines(task: dsl.PipelineTask, job: dict[str, Any]) -> None:
    placed: dsl.PipelineTask = cpu.place(task, prefer="spot", retries=3)
    made: dict[str, Any] = cpu.place(job, require="on-demand", also=["Master"], on_demand="PS")
    print(placed, made, cpu.place_pipeline(except_="report").rows[0].pools)
    cpu.place(task, prefer="on-demand")  # wrong
    cpu.place(job, prefer="on-demand")  # wrong
    cpu.place_pipeline(prefer="on-demand")  # wrong
    cpu.place(task, require="cheap")  # wrong
    cpu.place(job, retries=3)  # wrong
    cpu.place(task, also=["Master"])  # wrong
    cpu.place(job, on_demand=5)  # wrong
    cpu.place("job.yaml")  # wrong
"""


def test_an_object_of_kubernetes_is_placed() -> None:
    placed = CPU.place(JOB, require="spot")
    assert placed["spec"]["template"]["spec"]["tolerations"] == CPU.placement(require="spot").tolerations
    assert "tolerations" not in JOB["spec"]["template"]["spec"]


@pytest.mark.parametrize(
    ("name", "value"), [("retries", 5), ("backoff", "5m"), ("give_up", "7d"), ("gpus", 1), ("by", "node-affinity")]
)  # fmt: skip
def test_an_option_for_tasks_only(name: str, value: object) -> None:
    wrong: dict[str, Any] = {name: value}
    with pytest.raises(PlacementError) as error:
        CPU.place(JOB, **wrong)
    assert str(error.value) == f"{name}: {value!r} is for a pipeline's task only; leave it out"


def test_every_option_that_does_not_fit_is_reported() -> None:
    wrong: dict[str, Any] = {"retries": 1, "gpus": 1}
    with pytest.raises(PlacementError) as error:
        CPU.place(JOB, **wrong)
    assert len(error.value.mistakes) == 2


def test_what_is_nothing_that_can_be_placed() -> None:
    nothing: Any = 5
    with pytest.raises(PlacementError, match=r"^'int' is no Kubernetes object; expected a dict"):
        CPU.place(nothing)


def test_a_type_checker_finds_the_same_mistakes(tmp_path: Path) -> None:
    (tmp_path / "typed.py").write_text(TYPED, encoding="utf-8")
    source = Path(__file__).parents[1] / "src"
    settings = {"typeCheckingMode": "strict", "extraPaths": [str(source)], "reportMissingTypeStubs": False}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "-p", tmp_path],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    reported = {int(line) for line in re.findall(r"typed\.py:(\d+):\d+ - error", ran.stdout)}
    wrong = {number for number, line in enumerate(TYPED.splitlines(), 1) if line.endswith("# wrong")}
    assert reported == wrong, ran.stdout
