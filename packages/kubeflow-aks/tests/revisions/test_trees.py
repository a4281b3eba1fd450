"""The two trees, each with its own environment."""

from __future__ import annotations

import sys
from datetime import date
from pathlib import Path

import pytest

from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.revisions.programs import ProgramError
from kubeflow_aks.revisions.repository import Revision
from kubeflow_aks.revisions.trees import Tree


def _tree(root: Path) -> Tree:
    return Tree(root, Revision("main", "0" * 40, date(2026, 11, 20)), "", "base")


def test_the_same_packages_need_no_other_environment_whatever_git_makes_of_line_ends(tmp_path: Path) -> None:
    lock = (PROJECT_ROOT / "requirements.txt").read_bytes().replace(b"\n", b"\r\n")
    (tmp_path / "requirements.txt").write_bytes(lock)
    assert _tree(tmp_path).python(pytest.fail) == Path(sys.executable)


def test_a_tree_without_a_lock_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ProgramError, match=r"^requirements.txt: No such file or directory; without it"):
        _tree(tmp_path).python(pytest.fail)
