"""The tools themselves: every one runs and is the version that the manifest pins."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from kubeflow_aks.tools import Tools, manifest


@pytest.mark.parametrize("tool", manifest.selected(), ids=lambda tool: tool.name)
def test_a_tool_runs_and_prints_its_pinned_version(tools: Tools, tool: manifest.Tool, tmp_path: Path) -> None:
    command = [tools[tool.name], *tool.version_arguments]
    environment = {**os.environ, "PULUMI_HOME": str(tmp_path)}  # where the engine writes its log
    answer = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert tool.version in answer.stdout.split("\n", maxsplit=1)[0]
