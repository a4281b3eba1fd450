"""Files are written whole, for their user alone to change."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from kubeflow_aks.text.files import write_whole


def test_others_may_read_it_and_not_change_it_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        write_whole(tmp_path / "plan.json", "{}")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "plan.json").stat().st_mode) == 0o644


def test_what_was_there_stays_if_it_cannot_be_written(tmp_path: Path) -> None:
    write_whole(tmp_path / "plan.json", "before")
    with pytest.raises(UnicodeEncodeError):
        write_whole(tmp_path / "plan.json", "half \ud800")
    assert (tmp_path / "plan.json").read_text() == "before"
    assert [file.name for file in tmp_path.iterdir()] == ["plan.json"]


def test_a_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "plan.json").symlink_to(tmp_path / "of-another-user")
    write_whole(tmp_path / "plan.json", "{}")
    assert not (tmp_path / "of-another-user").exists()
    assert not (tmp_path / "plan.json").is_symlink()
