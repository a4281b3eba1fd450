"""Files that commands read, and write for people and for other programs."""

import csv
import sys
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from pathlib import Path
from tempfile import NamedTemporaryFile


def content(file: str) -> bytes:
    """The bytes of a file, `-` for stdin; PowerShell's `>` writes UTF-16, which `json.loads` detects.

    Raises:
        OSError: it can't be read.
    """
    return sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()


def rows(table: Path) -> list[dict[str, str]]:
    """The rows of a CSV file, by column; lines that begin with `#` say what is in it."""
    with table.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def encoding(start: bytes) -> str:
    """The encoding of a text that begins with these bytes: UTF-16, as PowerShell writes it, by its mark, else UTF-8."""
    return "utf-16" if start.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) else "utf-8-sig"


def write_whole(file: Path, text: str, *, mode: int = 0o644) -> None:
    """Writes a file into a folder that exists, whole or not at all; by default only its user may change it.

    A link of that name is replaced and not followed.

    Raises:
        OSError: it can't be written; what was there before stays.
    """
    with NamedTemporaryFile(
        "w", dir=file.parent, prefix=f".{file.name}.", encoding="utf-8", delete=False
    ) as sink:
        draft = Path(sink.name)
        try:
            sink.write(text)
            sink.flush()
            draft.chmod(mode)
            draft.replace(file)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise
