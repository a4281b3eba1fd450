"""The file in `/tmp` that a training operator waits for, where other users may have been first."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from kubeflow_aks.local_aks.control_plane.controllers import training_operator
from kubeflow_aks.local_aks.control_plane.controllers.controller import ControllerError

# pyright: reportPrivateUsage=false


@pytest.fixture
def awaited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file, here in a folder of this test."""
    file = tmp_path / "k8s-webhook-server" / "serving-certs" / "tls.crt"
    monkeypatch.setattr(training_operator, "_AWAITED", file)
    return file


def test_it_is_made_empty_and_private_and_goes_with_its_folders(awaited: Path) -> None:
    for _ in range(2):
        training_operator._make_awaited()
    assert awaited.read_bytes() == b""
    assert {stat.S_IMODE(path.stat().st_mode) & 0o077 for path in (awaited, *awaited.parents[:2])} == {0}
    training_operator.tidy()
    assert not awaited.parent.parent.exists()


def test_a_link_is_not_followed(awaited: Path, tmp_path: Path) -> None:
    awaited.parent.mkdir(parents=True)
    awaited.symlink_to(tmp_path / "made-by-somebody-else")
    training_operator._make_awaited()
    training_operator.tidy()
    assert not (tmp_path / "made-by-somebody-else").exists()
    assert awaited.is_symlink()


@pytest.mark.parametrize("depth", [0, 1])
def test_a_folder_that_is_a_link_is_refused(awaited: Path, tmp_path: Path, depth: int) -> None:
    other = tmp_path / "other"
    other.mkdir()
    folder = awaited.parents[depth]
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.symlink_to(other)
    with pytest.raises(ControllerError, match=f"^{folder} is not a folder of this user's"):
        training_operator._make_awaited()
    assert list(other.iterdir()) == []


def test_a_folder_of_another_user_is_refused(awaited: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    awaited.parent.mkdir(parents=True)
    mine = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: mine + 1)
    with pytest.raises(ControllerError, match="is not a folder of this user's"):
        training_operator._make_awaited()


def test_a_folder_that_cannot_be_written_is_one_line(awaited: Path) -> None:
    awaited.parent.parent.write_text("a file")
    with pytest.raises(ControllerError) as error:
        training_operator._make_awaited()
    assert "\n" not in str(error.value)
