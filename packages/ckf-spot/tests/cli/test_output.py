"""Where a result goes: whatever the name leads to is written, and nothing is lost but a file's old text."""

import errno
import io
import os
import re
import stat
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

import pytest

from ckf_spot.commands import output
from ckf_spot.errors import PlacementError
from program import POOLS

PROGRAM = [sys.executable, "-m", "ckf_spot.cli"]
SAMPLE = ["generate", "spawner", "--pools", str(POOLS)]
ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root makes devices, and gives files to others")
NOT_ROOT = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


def names(folder: str = ".") -> list[str]:
    return sorted(file.name for file in Path(folder).iterdir())


def refusal(text: str, name: str) -> str:
    with pytest.raises(PlacementError) as error:
        output.write(text, name)
    return str(error.value)


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_new_file_gets_the_usual_mode() -> None:
    before = os.umask(0o027)
    try:
        output.write("é\n", "new")
    finally:
        os.umask(before)
    assert Path("new").read_bytes() == "é\n".encode()
    assert stat.S_IMODE(Path("new").stat().st_mode) == 0o640


@pytest.mark.parametrize("mode", [0o600, 0o755])
def test_a_file_is_replaced_and_keeps_its_mode(mode: int) -> None:
    Path("old").write_text("old", encoding="utf-8")
    Path("old").chmod(mode)
    number = Path("old").stat().st_ino
    output.write("new", "old")
    assert Path("old").read_text(encoding="utf-8") == "new"
    assert stat.S_IMODE(Path("old").stat().st_mode) == mode
    assert Path("old").stat().st_ino != number
    assert names() == ["old"]


@ROOT
def test_a_file_keeps_its_owner() -> None:
    Path("old").touch()
    os.chown("old", 1234, 5678)
    output.write("new", "old")
    assert (Path("old").stat().st_uid, Path("old").stat().st_gid) == (1234, 5678)


def test_links_stay_and_their_file_is_replaced() -> None:
    Path("far").mkdir()
    Path("far/file").write_text("old", encoding="utf-8")
    Path("far/second").symlink_to("file")
    Path("first").symlink_to("far/second")
    output.write("new", "first")
    assert Path("first").is_symlink()
    assert Path("far/second").is_symlink()
    assert Path("far/file").read_text(encoding="utf-8") == "new"
    assert names("far") == ["file", "second"]


def test_a_link_to_nothing_yet_makes_its_file() -> None:
    Path("link").symlink_to("file")
    output.write("new", "link")
    assert Path("link").is_symlink()
    assert Path("file").read_text(encoding="utf-8") == "new"


def test_a_files_other_name_shows_the_same() -> None:
    Path("one").write_text("old", encoding="utf-8")
    Path("two").hardlink_to("one")
    output.write("new", "one")
    assert Path("two").read_text(encoding="utf-8") == "new"


def test_a_pipe_is_written_to() -> None:
    os.mkfifo("pipe")
    got: list[str] = []
    reader = threading.Thread(target=lambda: got.append(Path("pipe").read_text(encoding="utf-8")))
    reader.start()
    output.write("new", "pipe")
    reader.join(10)
    assert got == ["new"]
    assert stat.S_ISFIFO(Path("pipe").stat().st_mode)


@ROOT
def test_a_device_is_written_to(folder: Path) -> None:
    """A device of our own: losing the machine's /dev/null would end more than this test."""
    try:
        os.mknod(folder / "null", 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        (folder / "null").write_text("", encoding="utf-8")
    except OSError as error:
        pytest.skip(f"no devices in {folder}: {error.strerror}")
    output.write("new", "null")
    assert stat.S_ISCHR(Path("null").stat().st_mode)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_device_is_one_line() -> None:
    assert refusal("new", "/dev/full") == "/dev/full: can't be written: No space left on device"


def test_a_full_disk_leaves_the_old_text(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("old").write_text("old", encoding="utf-8")

    class Full(io.BytesIO):
        def write(self, _: Any) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    def opened(handle: int, _: str) -> Full:
        os.close(handle)
        return Full()

    monkeypatch.setattr(os, "fdopen", opened)
    assert refusal("new", "old") == "old: can't be written: No space left on device"
    assert Path("old").read_text(encoding="utf-8") == "old"
    assert names() == ["old"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (".", ".: can't be written: Is a directory"),
        ("folder/", "folder/: can't be written: No such file or directory"),
        ("no/file", "no/file: can't be written: No such file or directory"),
        ("loop", "loop: can't be written: Too many levels of symbolic links"),
        ("", "'': can't be written: No such file or directory"),
        ("n" * 300, f"{'n' * 300}: can't be written: File name too long"),
        ("a\0b", "a\0b: can't be written: embedded null byte"),
    ],
)
def test_a_name_that_can_not_be_written(name: str, message: str) -> None:
    Path("loop").symlink_to("loop")
    assert refusal("new", name) == message
    assert names() == ["loop"]


def test_the_longest_name_there_is() -> None:
    output.write("new", "n" * 255)
    assert Path("n" * 255).read_text(encoding="utf-8") == "new"


def test_half_a_character_is_one_line() -> None:
    assert refusal("a\ud800", "file") == r"file: can't be written: utf-8 has no '\ud800'"
    assert names() == []


@ROOT
def test_a_file_in_a_folder_of_somebody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder takes no new file. One in it is ours to write, and is written as it is."""
    with tempfile.TemporaryDirectory() as folder:
        monkeypatch.chdir(folder)
        Path(folder).chmod(0o755)
        for name, mode in (("ours", 0o666), ("theirs", 0o644)):
            Path(name).write_text("old text", encoding="utf-8")
            Path(name).chmod(mode)
        os.seteuid(65534)
        try:
            output.write("new", "ours")
            errors = [refusal("new", name) for name in ("theirs", "third")]
        finally:
            os.seteuid(0)
        assert errors == [f"{name}: can't be written: Permission denied" for name in ("theirs", "third")]
        assert [Path(name).read_text(encoding="utf-8") for name in names()] == ["new", "old text"]


@pytest.mark.parametrize("name", ["-", "/dev/stdout", "/dev/fd/1"])
@pytest.mark.parametrize("shell", ["{} >> out", "{} | cat >> out"])
def test_what_standard_output_is_added_to_keeps_its_text(folder: Path, shell: str, name: str) -> None:
    Path("out").write_text("first\n", encoding="utf-8")
    command = " ".join([*PROGRAM, *SAMPLE, "-o", name])
    subprocess.run(shell.format(command), shell=True, check=True, cwd=folder, timeout=60)  # noqa: S602
    text = Path("out").read_text(encoding="utf-8")
    assert re.match(r'first\n{\n  "jupyter_ui_config"', text)


@pytest.mark.parametrize(
    ("command", "code", "errors"),
    [
        ("{} | true", 141, ""),
        ("{} > /dev/full", 2, "ckf-spot: standard output: can't be written: No space left on device\n"),
        (
            "PYTHONIOENCODING=ascii {}",
            2,
            "ckf-spot: standard output: can't be written: ascii has no '\\xe9'\n",
        ),
    ],
)
def test_an_output_that_ends_early(folder: Path, command: str, code: int, errors: str) -> None:
    # The reader is gone before the first line: the program starts only then.
    (folder / "write.py").write_text(
        "import sys, time\nfrom ckf_spot.commands import output\n"
        "from ckf_spot import cli, errors\n"
        "class Command:\n"
        "    def add_to(commands):\n"
        "        commands.add_parser('x').set_defaults(run=lambda _: output.write('é' * 100_000, '-'))\n"
        "cli._COMMANDS = (Command,)\n"
        "time.sleep(0.2)\n"
        "sys.exit(cli.main(['x']))\n",
        encoding="utf-8",
    )
    line = command.format(f"{sys.executable} write.py")
    ran = subprocess.run(
        ["bash", "-c", f"{line}; exit ${{PIPESTATUS[0]}}"],
        cwd=folder, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert (ran.returncode, ran.stderr) == (code, errors)
