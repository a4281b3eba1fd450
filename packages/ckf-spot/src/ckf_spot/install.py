"""How this package, which is on no public index, was installed, and how to add an extra to it."""

import json
import re
import shlex
from importlib import metadata
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit
from urllib.request import url2pathname

_NAME: Final = "ckf-spot"


def hint(extra: str) -> str:
    """The command that installs what an extra needs, as in `pip install '/home/me/kubeflow/ckf_spot[validate]'`.

    It names the folder, repository or file that this package was installed from, as pip and uv write it down ("Direct
    URL Data Structure"). Where that is not known, or is there no longer, it names the packages that the extra brings.

    Args:
        extra: its name in pyproject.toml.
    """
    package = _installed()
    if package is None:
        return f"pip install {shlex.quote(f'{Path(__file__).parents[2]}[{extra}]')}"
    return f"pip install {_from(_noted(package), extra) or _packages(package, extra)}"


def description() -> str:
    """Version, and where from, as in `0.1.0 from file:///home/me/kubeflow/ckf_spot`."""
    package = _installed()
    if package is None:
        return f"source, not installed, in {Path(__file__).parent}"
    origin = _noted(package)
    return f"{package.version} from {_address(origin) if origin else Path(__file__).parent}"


def minor_of(version: str) -> tuple[int, ...]:
    """Major and minor of a package's version: (2, 17) of `2.17.0rc1`."""
    return tuple(int(number) for number in re.findall(r"\d+", version)[:2])


def _installed() -> metadata.Distribution | None:
    """None: the modules are used from a source folder on PYTHONPATH."""
    try:
        return metadata.distribution(_NAME)
    except metadata.PackageNotFoundError:
        return None


def _noted(package: metadata.Distribution) -> dict[str, Any]:
    """The installer's note on the origin; empty where the package came from an index or a folder of wheels."""
    return json.loads(package.read_text("direct_url.json") or "{}")


def _from(origin: dict[str, Any], extra: str) -> str | None:
    """What to give pip, or None where the origin is not known or is there no longer."""
    url = origin.get("url", "")
    local = Path(url2pathname(urlsplit(url).path)) if url.startswith("file:") else None
    if not url or (local and not local.exists()):
        return None
    if local and "dir_info" in origin:
        editable = "-e " if origin["dir_info"].get("editable") else ""
        return f"{editable}{shlex.quote(f'{local}[{extra}]')}"
    return shlex.quote(f"{_NAME}[{extra}] @ {_address(origin)}")


def _address(origin: dict[str, Any]) -> str:
    """The origin in the form that pip takes."""
    url, control = origin["url"], origin.get("vcs_info")
    if control:
        url = f"{control['vcs']}+{url}@{control['commit_id']}"
    return f"{url}#subdirectory={origin['subdirectory']}" if "subdirectory" in origin else url


def _packages(package: metadata.Distribution, extra: str) -> str:
    requirements = (requirement.partition(";") for requirement in package.requires or ())
    mine = re.compile(rf"extra == ['\"]{re.escape(extra)}['\"]")
    return " ".join(shlex.quote(name.strip()) for name, _, marker in requirements if mine.search(marker))
