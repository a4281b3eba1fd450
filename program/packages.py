"""Whether the packages that run the program are those of `requirements.txt`.

With `toolchain: pip` the Pulumi CLI installs them only where there is no `.venv`, so after a `git pull` it would go on
with the old ones. Its toolchain `uv` would sync on each run, but needs a `uv.lock`, which names the host of the index.
"""

import re
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Final

import pulumi

LOCK: Final = Path(__file__).resolve().parents[1] / "requirements.txt"
_PIN: Final = re.compile(r"^([\w.-]+)==([^\s;]+)(?P<marker> *;)?", re.MULTILINE)


def differences(lock: str) -> Iterator[str]:
    """The packages that are not installed as a lock file lists them, one line each.

    Args:
        lock: its text. What it lists for some systems only may be missing.
    """
    folders = [folder for folder in map(Path, sys.path) if folder.is_dir()]
    there = {path.name.lower() for folder in folders for path in folder.glob("*.dist-info")}
    for pin in _PIN.finditer(lock):
        name, expected = pin[1], pin[2]
        if f"{name.replace('-', '_').lower()}-{expected}.dist-info" in there:
            continue  # the folder that a wheel unpacks to; 20 times as fast as its metadata
        try:
            installed = metadata.version(name)
        except metadata.PackageNotFoundError:
            if not pin["marker"]:
                yield f"{name} is not installed; expected {expected}"
        else:
            if installed != expected:
                yield f"{name}: {installed} is installed; expected {expected}"


def check() -> None:
    """Ends the program where a package is missing or of another version, before the SDKs are imported.

    Raises:
        pulumi.RunError: one line for each package, and the command that installs them.
    """
    if lines := list(differences(LOCK.read_text(encoding="utf-8"))):
        raise pulumi.RunError(
            "\n".join(
                [
                    *lines,
                    "the packages are not those of requirements.txt; run `./kubeflow-aks set-up runtime`",
                ]
            )
        )
