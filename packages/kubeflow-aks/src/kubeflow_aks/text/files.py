"""Files that commands write for people and for other programs."""

from pathlib import Path
from tempfile import NamedTemporaryFile


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
