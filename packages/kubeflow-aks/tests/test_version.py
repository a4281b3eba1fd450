"""One version, in `components/PulumiPlugin.yaml`: what a tag of this commit says is the same."""

import re
import subprocess
import tomllib

import yaml

from components.package import VERSION
from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.version import version

PACKAGES = ("packages/kubeflow-aks", "packages/ckf-spot", "components")
"""Their folders."""


def _project(folder: str) -> dict[str, object]:
    return tomllib.loads((PROJECT_ROOT / folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_everybody_reads_it_from_the_one_place() -> None:
    declared = yaml.safe_load((PROJECT_ROOT / "components/PulumiPlugin.yaml").read_text(encoding="utf-8"))
    assert version() == VERSION == declared["version"]
    for folder in PACKAGES:
        assert (_project(folder)["dynamic"], "version" in _project(folder)) == (["version"], False)


def test_a_tag_can_carry_it() -> None:
    """A release is a commit with the tag `v` and the version; the change log has its section."""
    assert re.fullmatch(r"\d+\.\d+\.\d+", version())
    git = ["git", "-C", str(PROJECT_ROOT), "tag", "--points-at", "HEAD", "v*"]
    tags = subprocess.run(git, capture_output=True, text=True, check=False).stdout.split()
    assert tags in ([], [f"v{version()}"])
    log = (PROJECT_ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(rf"^## {re.escape(version())}( |$)", log, re.MULTILINE)


def test_each_package_has_the_licence_of_the_repository() -> None:
    licences = {(PROJECT_ROOT / folder / "LICENSE").read_bytes() for folder in ("", *PACKAGES)}
    assert len(licences) == 1
    for folder in PACKAGES:
        assert _project(folder)["license"] == "Apache-2.0"
        files = _project(folder)["license-files"]
        assert isinstance(files, list)
        assert "LICENSE" in files
