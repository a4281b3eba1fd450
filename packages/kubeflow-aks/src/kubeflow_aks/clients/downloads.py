"""Files over HTTPS: continued where they are cut, in limited time and size."""

import errno
import tempfile
import time
from collections.abc import Callable
from http import HTTPStatus
from http.client import HTTPException
from pathlib import Path
from typing import IO, Final
from urllib.error import HTTPError
from urllib.request import Request

from kubeflow_aks.clients.addresses import secure_redirects
from kubeflow_aks.clients.errors import ClientError

_MOST_BYTES: Final = 1 << 29
"""Our choice."""
_SILENT_SECONDS: Final = 30.0
_LEAST_BYTES_PER_SECOND: Final = 10_000
"""Mean of a connection beyond `_SILENT_SECONDS`; a slower one is closed and continued by another one."""
_TRIES: Final = 6
_PAUSE_SECONDS: Final = 2.0
_REPORT_SECONDS: Final = 5.0
_CHUNK: Final = 1 << 18


class DownloadError(ClientError):
    """A file can't be had; the text names its address and the reason."""


class UnreachableError(DownloadError):
    """The server does not answer, or fails."""


def text_at(address: str, report: Callable[[str], None] = lambda _: None, *, tries: int = _TRIES) -> str:
    """The text that an address serves, as `download` gets it.

    Raises:
        DownloadError: the server refuses, fails, or sends no UTF-8.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "document")
        download(address, file, report, tries=tries)
        try:
            return file.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise DownloadError(f"{address}: {error}") from error


def download(address: str, file: Path, report: Callable[[str], None], *, tries: int = _TRIES) -> None:
    """Writes what an address serves, which the caller then has to compare with a checksum.

    Args:
        address: by https, or by http on this machine; redirects go to such addresses only.
        file: where it goes; when this raises, what had come until then may be in it.
        report: takes how many megabytes are there, every 5 seconds, and why a connection was lost.
        tries: how often it is tried, with pauses that grow.

    Raises:
        UnreachableError: the server fails or is lost each time.
        DownloadError: it refuses, or sends more than 512 MiB.
        OSError: the file can't be written.
    """
    reason = ""
    with file.open("wb") as output:
        for attempt in range(1, tries + 1):
            try:
                return _continue(address, output, report)
            except HTTPError as error:
                error.close()
                reason = f"{error.code} {error.reason}"
                if error.code < 500 and error.code != HTTPStatus.TOO_MANY_REQUESTS:  # noqa: PLR2004 - the server's own
                    raise DownloadError(f"{address}: {reason}") from error
            except (OSError, HTTPException) as error:
                reason = str(getattr(error, "reason", error)) or type(error).__name__
                if isinstance(error, OSError) and error.errno in {errno.ENOSPC, errno.EDQUOT}:
                    raise
            report(f"{reason}; {_megabytes(output.tell())} MB are there, try {attempt} of {tries}")
            if attempt < tries:
                time.sleep(_PAUSE_SECONDS * attempt)
    raise UnreachableError(f"{address}: {reason}")


def _continue(address: str, output: IO[bytes], report: Callable[[str], None]) -> None:
    """Adds what is missing over one connection; all of it again from a server that knows no ranges."""
    headers = {"User-Agent": "kubeflow-aks"} | ({"Range": f"bytes={output.tell()}-"} if output.tell() else {})
    request = Request(address, headers=headers)  # noqa: S310 - https, by the table and the check of the mirror
    with secure_redirects().open(request, timeout=_SILENT_SECONDS) as response:
        if output.tell() and response.status != HTTPStatus.PARTIAL_CONTENT:
            output.seek(0)
            output.truncate()
        start, begun = output.tell(), time.monotonic()
        length = response.headers.get("Content-Length", "")
        size = start + int(length) if length.isdecimal() else None
        due = begun
        while max(size or 0, output.tell()) <= _MOST_BYTES:
            chunk = response.read1(_CHUNK)
            if not chunk and size not in {None, output.tell()}:
                raise HTTPException("the connection was cut")
            if not chunk:
                return
            output.write(chunk)
            now = time.monotonic()
            if now - begun > _SILENT_SECONDS + (output.tell() - start) / _LEAST_BYTES_PER_SECOND:
                raise HTTPException("the connection is too slow")
            if now >= due:
                due = now + _REPORT_SECONDS
                report(f"{_megabytes(output.tell())} of {_megabytes(size) if size else '?'} MB")
    raise DownloadError(f"{address}: more than {_MOST_BYTES >> 20} MiB")


def _megabytes(count: int) -> str:
    return f"{count / 1e6:.0f}"
