"""`make checksums`: renews the checksums in `releases.csv` from what the projects publish; it needs the internet."""

import csv
import io
import json
import re
import sys
from collections.abc import Iterator
from functools import cache, partial

from kubeflow_aks.clients.downloads import DownloadError, text_at
from kubeflow_aks.exit_codes import ExitCode
from kubeflow_aks.json_values import at, entries, text
from kubeflow_aks.text.files import write_whole
from kubeflow_aks.tools import manifest
from kubeflow_aks.tools.released import TABLE, releases


def published(document: str, name: str) -> str:
    """The SHA-256 of a file, from a list of `sha256sum`, a checksum alone, or a release of GitHub's REST API.

    Returns:
        64 hexadecimal digits, or an empty text where the document has none of that file.
    """
    if document.startswith("{"):
        assets = entries(at(json.loads(document), "assets"))
        document = "\n".join(
            f"{text(at(asset, 'digest')).removeprefix('sha256:')}  {text(at(asset, 'name'))}"
            for asset in assets
        )
    digest = re.search(rf"^([0-9a-f]{{64}})(?: +\*?{re.escape(name)})?$", document, re.MULTILINE)
    return digest[1] if digest else ""


def renewed() -> Iterator[dict[str, str]]:
    """The rows with the checksums of the pinned versions.

    Raises:
        DownloadError: a checksum can't be had, or is not what it was for the same version.
    """
    read = cache(partial(text_at, report=print))
    versions = {tool.name: tool.version for tool in manifest.TOOLS}
    for row in releases():
        version = versions[row["tool"]]
        address, source = (row[part].format(version=version) for part in ("address", "checksums"))
        digest = published(read(source), address.rpartition("/")[2])
        if not digest:
            raise DownloadError(f"{source}: no SHA-256 of {address}")
        if row["version"] == version and row["sha256"] not in {"", digest}:
            raise DownloadError(
                f"{source}: the SHA-256 of {address} is {digest}; expected {row['sha256']}, as it was"
            )
        yield row | {"version": version, "sha256": digest}


def main() -> ExitCode:
    """Writes the table.

    Returns:
        INCONCLUSIVE where a checksum can't be had; the table stays as it was.
    """
    try:
        rows = list(renewed())
    except DownloadError as error:
        print(f"error: {error}; nothing is written", file=sys.stderr)
        return ExitCode.INCONCLUSIVE
    sink = io.StringIO()
    sink.writelines(line for line in TABLE.open(encoding="utf-8") if line.startswith("#"))
    table = csv.DictWriter(sink, list(rows[0]), lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    write_whole(TABLE, sink.getvalue())
    print(f"{len(rows)} checksums are in {TABLE}")
    return ExitCode.GOOD


if __name__ == "__main__":
    sys.exit(main())
