"""`make checksums`: renews the checksums in `releases.csv` from what the projects publish; it needs the internet."""

import csv
import io
import json
import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path

from kubeflow_aks.clients.downloads import DownloadError, download
from kubeflow_aks.exit_codes import ExitCode
from kubeflow_aks.json_values import at, entries, text
from kubeflow_aks.text.files import write_whole
from kubeflow_aks.tools import manifest
from kubeflow_aks.tools.released import TABLE, Release, releases


def published(document: str, name: str) -> str:
    """The SHA-256 of a file, from a list of `sha256sum`, a checksum alone, or a release of GitHub's REST API.

    Returns:
        64 hexadecimal digits, or an empty text where the document has none of that file.
    """
    if document.startswith("{"):
        assets = entries(at(json.loads(document), "assets"))
        digests = [text(at(asset, "digest")) for asset in assets if at(asset, "name") == name]
        lines = [digest.removeprefix("sha256:") for digest in digests]
    else:
        lines = [line for line in document.splitlines() if line.split()[1:] in ([], [name], [f"*{name}"])]
    sums = (line.split()[0] for line in lines if line.strip())
    return next((digest for digest in sums if re.fullmatch("[0-9a-f]{64}", digest)), "")


def renewed(rows: list[Release], versions: dict[str, str]) -> Iterator[Release]:
    """The rows with the checksums of these versions of the tools.

    Raises:
        DownloadError: a checksum can't be had, or is not what it was for the same version.
    """

    @cache
    def read(address: str) -> str:
        with tempfile.TemporaryDirectory() as folder:
            download(address, Path(folder, "document"), print)
            return Path(folder, "document").read_text()

    for row in rows:
        version = versions[row.tool]
        address, source = (part.format(version=version) for part in (row.address, row.checksums))
        digest = published(read(source), address.rpartition("/")[2])
        if not digest:
            raise DownloadError(f"{source}: no SHA-256 of {address}")
        if row.sha256 not in {"", digest} and row.version == version:
            raise DownloadError(
                f"{source}: the SHA-256 of {address} is {digest}; expected {row.sha256}, as it was"
            )
        yield replace(row, version=version, sha256=digest)


def main() -> ExitCode:
    """Writes the table.

    Returns:
        INCONCLUSIVE where a checksum can't be had; the table stays as it was.
    """
    try:
        rows = list(renewed(releases(), {tool.name: tool.version for tool in manifest.TOOLS}))
    except DownloadError as error:
        print(f"error: {error}; nothing is written", file=sys.stderr)
        return ExitCode.INCONCLUSIVE
    sink = io.StringIO("".join(line for line in TABLE.open(encoding="utf-8") if line.startswith("#")))
    sink.seek(0, io.SEEK_END)
    table = csv.DictWriter(sink, list(asdict(rows[0])), lineterminator="\n")
    table.writeheader()
    table.writerows(map(asdict, rows))
    write_whole(TABLE, sink.getvalue())
    print(f"{len(rows)} checksums are in {TABLE}")
    return ExitCode.GOOD


if __name__ == "__main__":
    sys.exit(main())
