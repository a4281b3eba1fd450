"""What README and docs/pipelines.md show is what happens."""

# No `from __future__ import annotations`: kfp reads annotations as they are.

import inspect
import re
import runpy
import shlex
from pathlib import Path
from typing import Any, get_overloads

import pytest
from compiling import DEMO, Compiled, compiled, component, pipeline
from kfp import compiler, dsl, kubernetes

from ckf_spot import PlacementError, Pools, cli
from ckf_spot.target import Target

FOLDER = Path(__file__).parents[2]
README = (FOLDER / "README.md").read_text(encoding="utf-8")
PAGE = (FOLDER / "docs" / "pipelines.md").read_text(encoding="utf-8")
BLOCKS: list[tuple[str, str]] = re.findall(r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?", PAGE, re.DOTALL)


def test_the_readmes_two_lines_compile(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (block,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    (tmp_path / "readme.py").write_text(block, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CKF_SPOT_POOLS", str(DEMO))
    runpy.run_path("readme.py")
    assert "kubeflow-aks/workload" in (tmp_path / "training.yaml").read_text(encoding="utf-8")


def test_there_is_something_to_test() -> None:
    assert [bool(output) for _, output in BLOCKS] == [True, False, False, True, True, True, True, False]


@pytest.mark.parametrize(("code", "output"), BLOCKS)
def test_a_line_does_what_the_page_says(
    pools: Pools, old_pools: Pools, capsys: pytest.CaptureFixture[str], code: str, output: str
) -> None:
    def build(task: dsl.PipelineTask) -> None:
        names = {"pools": pools, "old_pools": old_pools, "task": task, "kubernetes": kubernetes}
        try:
            exec(code, names)  # noqa: S102 - the page's own line
        except PlacementError as refused:
            print(refused)

    if "training" in code:
        exec(code, {"pools": pools, "training": training()})  # noqa: S102
    else:
        compiled(build)
    assert capsys.readouterr().out == output


def training() -> Any:
    """The pipeline that the page talks of."""

    @component
    def download() -> None:
        """Would download."""

    @component
    def merge() -> None:
        """Would merge."""

    @component
    def train() -> None:
        """Would train."""

    @component
    def report() -> None:
        """Would report."""

    @pipeline
    def check() -> None:
        train().set_accelerator_type("nvidia.com/gpu")
        report()

    @pipeline(name="training")
    def whole() -> None:
        with dsl.ParallelFor([1, 2]):
            download()
        check()
        merge().set_retry(2)

    return whole


def test_the_command_places_the_compiled_pipeline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (command,) = re.findall(r"```sh\n(.*?)\n```", PAGE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CKF_SPOT_POOLS", str(DEMO))
    compiler.Compiler().compile(training(), "training.yaml")
    assert cli.main(shlex.split(command)[1:]) == 0
    placed = Compiled.read(tmp_path / "training.yaml").placements
    assert placed.keys() == {"exec-download", "exec-report"}


def test_every_argument_is_in_the_table() -> None:
    of_a_task, *_ = get_overloads(Target.place)
    arguments = [*inspect.signature(of_a_task).parameters][2:]
    assert re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE) == arguments


@pytest.mark.parametrize("page", [FOLDER / "README.md", *sorted((FOLDER / "docs").glob("*.md"))])
def test_links_to_files_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def test_links_between_the_notebooks_lead_somewhere() -> None:
    folder = FOLDER / "examples" / "pipelines"
    for path in folder.glob("*.py"):
        for target in re.findall(r"\]\((\S+\.ipynb)\)", path.read_text(encoding="utf-8")):
            assert (folder / target).exists(), target
