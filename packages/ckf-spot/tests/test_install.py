"""How to add an extra: from where the package was installed, since no public index has it."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from ckf_spot import install

METADATA = """Metadata-Version: 2.4
Name: ckf-spot
Version: 0.1.0
Requires-Dist: pyyaml>=6
Provides-Extra: kfp
Requires-Dist: kfp<3,>=2.17; extra == 'kfp'
Requires-Dist: kfp-kubernetes<3,>=2.17; extra == 'kfp'
Provides-Extra: validate
Requires-Dist: kubernetes-validate>=1.33; (python_version > '3') and extra == "validate"
"""
GIT = {"vcs": "git", "requested_revision": "main", "commit_id": "4c1d"}
REPOSITORY = "https://git.example.org/kubeflow.git"


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder of installed packages with this one in it; its notes on the installation."""
    notes = tmp_path / "site" / "ckf_spot-0.1.0.dist-info"
    notes.mkdir(parents=True)
    (notes / "METADATA").write_text(METADATA, encoding="utf-8")
    monkeypatch.syspath_prepend(notes.parent)
    return notes


def installed_from(site: Path, url: str, **origin: Any) -> None:
    (site / "direct_url.json").write_text(json.dumps({"url": url} | origin), encoding="utf-8")


@pytest.mark.parametrize(("editable", "option"), [(True, "-e "), (False, "")])
def test_from_a_folder(site: Path, tmp_path: Path, *, editable: bool, option: str) -> None:
    checkout = tmp_path / "my code"
    checkout.mkdir()
    installed_from(site, checkout.as_uri(), dir_info={"editable": editable})
    assert install.hint("validate") == f"pip install {option}'{checkout}[validate]'"
    assert install.description() == f"0.1.0 from {checkout.as_uri()}"


@pytest.mark.parametrize(
    ("url", "origin", "requirement"),
    [
        (REPOSITORY, {"vcs_info": GIT}, f"git+{REPOSITORY}@4c1d"),
        (
            REPOSITORY,
            {"vcs_info": GIT, "subdirectory": "ckf_spot"},
            f"git+{REPOSITORY}@4c1d#subdirectory=ckf_spot",
        ),
        ("https://example.org/ckf_spot-0.1.0.whl", {"archive_info": {}}, "https://example.org/ckf_spot-0.1.0.whl"),
    ],
)  # fmt: skip
def test_from_a_repository_or_an_archive(
    site: Path, url: str, origin: dict[str, Any], requirement: str
) -> None:
    installed_from(site, url, **origin)
    assert install.hint("kfp") == f"pip install 'ckf-spot[kfp] @ {requirement}'"
    assert install.description() == f"0.1.0 from {requirement}"


def test_from_a_wheel_beside_us(site: Path, tmp_path: Path) -> None:
    wheel = tmp_path / "ckf_spot-0.1.0-py3-none-any.whl"
    wheel.touch()
    installed_from(site, wheel.as_uri(), archive_info={})
    assert install.hint("kfp") == f"pip install 'ckf-spot[kfp] @ {wheel.as_uri()}'"


@pytest.mark.parametrize(
    ("extra", "packages"),
    [
        ("kfp", "'kfp<3,>=2.17' 'kfp-kubernetes<3,>=2.17'"),
        ("validate", "'kubernetes-validate>=1.33'"),
    ],
)
def test_an_origin_that_is_not_known_or_gone_leaves_the_packages(
    site: Path, tmp_path: Path, extra: str, packages: str
) -> None:
    assert install.hint(extra) == f"pip install {packages}"
    assert install.description() == f"0.1.0 from {Path(install.__file__).parent}"
    installed_from(site, (tmp_path / "gone").as_uri(), dir_info={})
    assert install.hint(extra) == f"pip install {packages}"


def test_the_hint_of_this_installation_leads_to_this_package() -> None:
    *_, requirement = shlex.split(install.hint("validate"))
    project = Path(requirement.removesuffix("[validate]")) / "pyproject.toml"
    assert 'name = "ckf-spot"' in project.read_text(encoding="utf-8")


def test_a_source_folder_that_was_never_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Path(install.__file__).parents[2]
    monkeypatch.setattr(install, "_NAME", "ckf-spot-that-nobody-installed")
    assert install.hint("kfp") == f"pip install '{folder}[kfp]'"
    assert install.description() == f"source, not installed, in {folder / 'src/ckf_spot'}"
    assert (folder / "pyproject.toml").exists()
