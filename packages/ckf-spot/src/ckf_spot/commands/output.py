"""What a command reads, and where its result goes: a file, whole or not at all, or the terminal."""

import os
import stat
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final, TextIO

from ckf_spot import files
from ckf_spot.files import readable_errors

STANDARD: Final = "-"
"""Standard input or output in place of a file's name."""
_NO_READER: Final = 141
"""Exit code where the reader is gone, as after `| head`: what a shell gives a program that SIGPIPE ended."""


def read(name: str) -> str:
    """The text of a file, or of standard input.

    Raises:
        PlacementError: it can't be read.
    """
    if name != STANDARD:
        return files.read(name)
    with readable_errors("standard input", "read"):
        return files.decoded(sys.stdin.buffer.read())


def write(text: str, name: str) -> None:
    """Writes a text to a file, or to standard output.

    A file is replaced in one step, and what leads to it stays: a link is followed, and what is no file or has a second
    name is written to as it is. So is a file that can't be replaced, where its folder is not ours to write.

    Raises:
        PlacementError: it can't be written.
    """
    with readable_errors("standard output" if name == STANDARD else name, "written"):
        if name == STANDARD:
            _print(text, sys.stdout)
            return
        data = text.encode()
        status = _status(name)
        stream = status and _stream(status)
        target = Path(os.path.realpath(name))
        if stream:
            _print(text, stream)
        elif status is None or _replaceable(target, status):
            _replace(target, data, status)
        else:
            with open(name, "wb") as file:  # noqa: PTH123 - a Path drops the slash that makes a name a folder's
                file.write(data)


def _status(name: str) -> os.stat_result | None:
    """What the name leads to; None: nothing yet."""
    try:
        return os.stat(name)  # noqa: PTH116
    except FileNotFoundError:
        if os.path.basename(name):  # noqa: PTH119
            return None
        raise


def _stream(status: os.stat_result) -> TextIO | None:
    """The stream that writes there already, as to /dev/stdout: the shell may have opened it to add to a file."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # a stream in memory, as in a notebook
            if os.path.samestat(status, os.fstat(stream.fileno())):
                return stream
    return None


def _replaceable(target: Path, status: os.stat_result) -> bool:
    return (
        stat.S_ISREG(status.st_mode)
        and status.st_nlink == 1
        and _writable(target)
        and _writable(target.parent)
        and not os.path.ismount(target)  # a single file that a container was given
    )


def _writable(path: Path) -> bool:
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def _replace(target: Path, data: bytes, status: os.stat_result | None) -> None:
    """Writes a file beside it and gives that its name, mode and owner."""
    handle, draft = tempfile.mkstemp(dir=target.parent, prefix=".ckf-spot-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        if status and os.name == "posix":
            with suppress(PermissionError):  # only root may give a file away
                os.chown(draft, status.st_uid, status.st_gid)
        Path(draft).chmod(stat.S_IMODE(status.st_mode) if status else 0o666 & ~_umask())
        Path(draft).replace(target)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise


def _print(text: str, stream: TextIO) -> None:
    try:
        stream.write(text)
        stream.flush()
    except OSError as error:
        with suppress(OSError, ValueError):  # else Python tries again when it ends, and complains
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        if isinstance(error, BrokenPipeError):
            raise SystemExit(_NO_READER) from None
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
