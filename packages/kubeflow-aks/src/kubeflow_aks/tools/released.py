"""Tools as their projects release them, instead of compiling them: `releases.csv`, each file by its SHA-256."""

import hashlib
import os
import platform
import shutil
import tarfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit
from zipfile import ZipFile

from kubeflow_aks.clients.addresses import may_get_credentials
from kubeflow_aks.clients.downloads import DownloadError, download
from kubeflow_aks.exit_codes import UsageError
from kubeflow_aks.text.files import rows
from kubeflow_aks.tools.errors import BuildError
from kubeflow_aks.tools.installed import install
from kubeflow_aks.tools.manifest import Tool
from kubeflow_aks.tools.places import SOURCE

TABLE: Final = SOURCE / "releases.csv"
MIRROR: Final = "KUBEFLOW_AKS_MIRROR"
"""Variable with an address to which the host and path of each file are added: `https://example.com/path/dl.k8s.io/…`."""
_ARCHITECTURES: Final = {"x86_64": "amd64", "aarch64": "arm64"}
"""Names of Go for those of `uname`."""


def releases() -> list[dict[str, str]]:
    """The rows of the table: one for each tool and platform, such as "linux/amd64"; its first lines say the rest."""
    return rows(TABLE)


def get(tools: Iterable[Tool], scratch: Path, report: Callable[[str], None]) -> list[Tool]:
    """Downloads the tools, each whole and with its checksum or not at all.

    Returns:
        Those without a checksum of their version for this machine, which have to be compiled.

    Raises:
        UsageError: the mirror is not an address by https.
        BuildError: a file can't be downloaded or is not the one that the project released.
    """
    prefix = mirror()
    here = f"{platform.system().lower()}/{_ARCHITECTURES.get(platform.machine(), platform.machine())}"
    released = {(row["tool"], row["version"]): row for row in releases() if row["platform"] == here}
    missing: list[Tool] = []
    for tool in tools:
        row = released.get((tool.name, tool.version))
        if row and row["sha256"]:
            _get(tool, row, prefix, scratch, report)
        else:
            report(f"{tool}  no checksum for {here} in {TABLE.name}: it is compiled")
            missing.append(tool)
    return missing


def _get(
    tool: Tool, row: Mapping[str, str], prefix: str, scratch: Path, report: Callable[[str], None]
) -> None:
    address, member = (row[part].format(version=tool.version) for part in ("address", "member"))
    source, file = prefix + address.removeprefix("https://"), scratch / Path(address).name
    report(f"{tool}  downloading from {urlsplit(source).netloc}")
    try:
        download(source, file, lambda line: report(f"{tool}  {line}"))
        with file.open("rb") as content:
            digest = hashlib.file_digest(content, "sha256").hexdigest()
        if digest != row["sha256"]:
            raise BuildError(
                f"{tool}: {source} has the SHA-256 {digest}; expected {row['sha256']} ({TABLE.name})"
            )
        install(tool, _unpacked(file, member))
    except (DownloadError, OSError, KeyError) as error:
        raise BuildError(f"{tool}: {error}; without --download it is compiled") from error
    report(f"{tool}  downloaded, and its SHA-256 is that of {TABLE.name}")


def _unpacked(file: Path, member: str) -> Path:
    """The program: the file itself, or beside it the one member of the archive that the table names."""
    program = file.with_name("program") if member else file
    if member:
        with ZipFile(file) if file.suffix == ".zip" else tarfile.open(file) as archive:
            content = archive.open(member) if isinstance(archive, ZipFile) else archive.extractfile(member)
            if not content:
                raise KeyError(f"{member} is not a file")
            with content, program.open("wb") as output:
                shutil.copyfileobj(content, output)
        file.unlink()
    program.chmod(0o755)
    return program


def mirror() -> str:
    """What stands before the host of each file.

    Raises:
        UsageError: the mirror is not an address by https, or has a password, which would be shown.
    """
    address = os.environ.get(MIRROR)
    if not address:
        return "https://"
    if "@" in address or not may_get_credentials(address):
        raise UsageError(
            f"{MIRROR}: {address.rpartition('@')[2]} is not allowed; "
            "expected an address like https://example.com/path, without a password"
        )
    return address.rstrip("/") + "/"
