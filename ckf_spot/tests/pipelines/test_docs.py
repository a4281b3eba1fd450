"""What README and docs/pipelines.md show is what happens."""

from __future__ import annotations

import inspect
import re
import runpy
from pathlib import Path

import pytest
from compiling import DEMO, compiled
from kfp import dsl

from ckf_spot import PlacementError, Pools
from ckf_spot.pipelines import tasks

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
    assert [bool(error) for _, error in BLOCKS] == [False, True, True, True, False]


@pytest.mark.parametrize(("code", "error"), BLOCKS)
def test_a_line_does_what_the_page_says(pools: Pools, old_pools: Pools, code: str, error: str) -> None:
    def build(task: dsl.PipelineTask) -> None:
        names = {"pools": pools, "old_pools": old_pools, "task": task}
        if not error:
            exec(code, names)  # noqa: S102 - the page's own line
            return
        with pytest.raises(PlacementError) as refused:
            exec(code, names)  # noqa: S102
        assert str(refused.value) == error.strip()

    compiled(build)


def test_every_argument_is_in_the_table() -> None:
    arguments = [*inspect.signature(tasks.place).parameters][2:]
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
