"""Custom resources of operators that no test runs, from their Go modules: a download, and nothing is built.

They lie apart from the built tools, so that a new version of one of them builds no tool again.
"""

import hashlib
import json
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from kubeflow_aks.tools import golang
from kubeflow_aks.tools.build import only_builder
from kubeflow_aks.tools.errors import failed
from kubeflow_aks.tools.places import cache


@dataclass(frozen=True)
class Crds:
    """The custom resources of one operator.

    Attributes:
        module: path of the Go module that holds them.
        version: exact version, without the leading "v".
        sum: hash of the module's files, as a `go.sum` has it.
        files: the custom resources in the module, as a pattern.
    """

    module: str
    version: str
    sum: str
    files: str

    def __str__(self) -> str:
        return f"{self.module} v{self.version}"


def _trainer(version: str, digest: str) -> Crds:
    return Crds("github.com/kubeflow/trainer/v2", version, digest, "manifests/base/crds/*_trainjobs.yaml")


CRDS: Final[Mapping[str, Crds]] = {
    "argo": Crds(
        "github.com/argoproj/argo-workflows/v3",
        "3.7.3",
        "h1:b0o03RTLXIL7lQunDEvLoDTeI5TbfXe2obGaItvvifk=",
        "manifests/base/crds/full/argoproj.io_*.yaml",  # the controller beside it is built with the minimal ones
    ),
    "jobset": Crds(
        "sigs.k8s.io/jobset",
        "0.12.0",
        "h1:YYPuV0px8Ongq/RXmJg6V0w2UC67aiR+rCMD06vhQQQ=",
        "config/components/crd/bases/*.yaml",
    ),
    "kueue": Crds(
        "sigs.k8s.io/kueue",
        "0.19.2",
        "h1:mPNzr37u0nwI7ikST5QQl5gg6EgtYOAvC9ZbTgywdN8=",
        "config/components/crd/bases/*.yaml",
    ),
    "ray": Crds(
        "github.com/ray-project/kuberay/ray-operator",
        "1.6.2",  # the newest one that the module registry serves
        "h1:XUckRswLMyk71D00L62d2Vanh0fVkNqu56+IF/rr+O0=",
        "config/crd/bases/*.yaml",
    ),
    "spark": Crds(
        "github.com/kubeflow/spark-operator/v2",
        "2.4.0",
        "h1:Bo5rz5dlhqYEa7e/TLtUEVXDMNRotnVaQ4VLCyeLeOc=",
        "config/crd/bases/*.yaml",
    ),
    "trainer-2.0": _trainer("2.0.0", "h1:mnQSR9iPKItxyUR8mq66XsmxqKNVHwr9YYOB7BTU9dU="),
    "trainer-2.1": _trainer("2.1.0", "h1:jRABD9ZYToamNH2atHze3L/VC/v6KCAqUEqsOQOjVTg="),
    "trainer-2.2": _trainer("2.2.0", "h1:whChZckEtycLo1UKH/M0hiNaCUozbLvf9JrgmMv+TAg="),
    "trainer-2.3": _trainer("2.3.0", "h1:Je+e7zvTLzB4qW09J1fB7pZrqvPtWuGng2NqdN5p5QU="),
    "trainer-runtimes": Crds(
        "github.com/kubeflow/trainer/v2",
        "2.3.0",
        "h1:Je+e7zvTLzB4qW09J1fB7pZrqvPtWuGng2NqdN5p5QU=",
        "manifests/base/runtimes/**/*.yaml",  # the runtimes that it is shipped with, objects of such a custom resource
    ),
}
"""By name. Katib's come with its controller, which is built."""


def find(name: str) -> tuple[Path, ...]:
    """The files of custom resources that are there; none: they are yet to be downloaded."""
    return tuple(sorted(_folder(name).glob("*.yaml")))


def missing() -> list[str]:
    """Names of those that are yet to be downloaded."""
    return [name for name in CRDS if not find(name)]


def download(report: Callable[[str], None]) -> None:
    """Downloads what is missing, each whole or not at all; what else is in the modules is removed.

    Raises:
        BuildError: one of them can't be downloaded.
    """
    if not missing():
        return
    root = cache() / "crds"
    root.mkdir(parents=True, exist_ok=True)
    with only_builder(cache() / "lock", report), tempfile.TemporaryDirectory(dir=root) as scratch:
        go = golang.find_or_install(report)
        for name in missing():
            module = _module(go, CRDS[name], Path(scratch))
            kept = Path(scratch) / name
            kept.mkdir()
            for file in module.glob(CRDS[name].files):
                shutil.copyfile(file, kept / file.name)  # without its mode: the module cache is read-only
            if not any(kept.iterdir()):
                raise failed(str(CRDS[name]), "", f"its module has no {CRDS[name].files}")
            kept.replace(_folder(name))
            report(f"downloaded the custom resources of {CRDS[name]}")


def _folder(name: str) -> Path:
    """Named by all that decides what is in it."""
    digest = hashlib.sha256(repr(CRDS[name]).encode()).hexdigest()[:8]
    return cache() / "crds" / f"{name}-{digest}"


def _module(go: Path, crds: Crds, scratch: Path) -> Path:
    """The folder of a downloaded module that has the pinned hash."""
    command = [go, "mod", "download", "-modcacherw", "-json", f"{crds.module}@v{crds.version}"]
    environment = golang.environment() | {"GOMODCACHE": str(scratch / "modules")}
    answer = subprocess.run(  # noqa: S603 - go, with arguments from the table
        command, cwd=scratch, env=environment, capture_output=True, text=True, check=False
    )
    module: dict[str, Any] = json.loads(answer.stdout or "{}")
    if answer.returncode:
        raise failed(str(crds), module.get("Error") or answer.stderr, "it can't be downloaded")
    if module["Sum"] != crds.sum:
        raise failed(str(crds), f"checksum mismatch: {module['Sum']}, expected {crds.sum}", "")
    return Path(module["Dir"])
