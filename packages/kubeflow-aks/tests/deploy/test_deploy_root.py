"""The Terraform roots as they are written: each gives its module all that this has, and pins what it calls."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from aks_facts import CharmedKubeflowRelease, charmed_kubeflow_releases
from kubeflow_aks.project import PROJECT_ROOT
from tests.deploy import recorded
from tests.deploy.recorded import Layout

_META = {"source"}
_OURS = {
    "modules-kubeflow": {"revisions"},
    "products-kubeflow": {"dex_static_username", "dex_static_password", "dex_connectors"},
}
"""Variables of the roots that the modules have under other names."""
LAYOUTS = [pytest.param(recorded.layout(name), id=name) for name in recorded.RELEASES]
MODULES = recorded.layout("1.11")


def _arguments(module: dict[str, Any]) -> dict[str, str]:
    return {
        name: str(value) for name, value in module.items() if name not in _META and not name.startswith("__")
    }


def _type(variable: dict[str, Any]) -> str:
    return str(variable["type"]).strip('"').removeprefix("${").removesuffix("}")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_variable_of_the_module_is_passed_on(layout: Layout) -> None:
    """Under its own name and type, secret where it is; nothing else is."""
    arguments = _arguments(layout.blocks("module")["kubeflow"])
    assert set(arguments) == set(layout.variables)
    variables = layout.blocks("variable")
    passed = {
        name: match[1]
        for name, value in arguments.items()
        if (match := re.fullmatch(r"\$\{var\.(\w+)\}", value))
    }
    assert passed == {name: name for name in variables if name in passed}
    ours = {
        name: (_type(body), body.get("sensitive", False))
        for name, body in variables.items()
        if name in layout.variables
    }
    assert ours == {
        name: (about["type"], about["sensitive"] or name == "dex_connectors")
        for name, about in layout.variables.items()
        if name in ours
    }
    assert set(variables) - set(ours) == _OURS[layout.release.root]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_an_argument_that_is_not_a_variable_of_its_name_has_a_reason(layout: Layout) -> None:
    arguments = _arguments(layout.blocks("module")["kubeflow"])
    others = {name: value for name, value in arguments.items() if value != f"${{var.{name}}}"}
    if layout is MODULES:
        revisions = {name for name in layout.variables if name.endswith("_revision")}
        names = {name: name.removesuffix("_revision").replace("_", "-") for name in revisions}
        assert others == {name: f'${{local.revisions["{names[name]}"]}}' for name in revisions}
        listed = recorded.parsed((layout.root / "main.tf").read_text(encoding="utf-8"))["locals"][0][
            "applications"
        ]
        assert sorted(name.strip('"') for name in listed) == sorted(names.values())
    else:
        assert others == {"dex_auth_config": "${local.dex_auth_config}"}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_holds_secrets_is_sensitive(layout: Layout) -> None:
    """Connectors hold client secrets."""
    variables = layout.blocks("variable")
    assert all(variables[name]["sensitive"] for name in ("dex_static_password", "dex_connectors"))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_default_is_the_modules_own(layout: Layout) -> None:
    """So that leaving a variable out here is the same as leaving it out there."""
    ours = {
        name: body["default"]
        for name, body in layout.blocks("variable").items()
        if "default" in body and name in layout.variables
    }
    assert {name: _plain(value) for name, value in ours.items()} == {
        name: _plain(layout.variables[name]["default"]) for name in ours
    }


def _plain(value: object) -> str:
    return str(value).strip('"').replace("null", "None")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_module_is_called_by_the_commit_that_was_recorded(layout: Layout) -> None:
    assert layout.blocks("module")["kubeflow"]["source"].strip('"') == layout.source


@pytest.mark.parametrize("release", charmed_kubeflow_releases().values(), ids=lambda release: release.release)
def test_a_release_of_the_catalogue_is_recorded_or_has_no_root(release: CharmedKubeflowRelease) -> None:
    """A release that is named and not recorded fails here: its variables, resources and its provider's schema."""
    if release.layout:
        assert recorded.layout(release.release).variables
    else:
        assert (release.commit, release.juju_provider) == ("", "")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_provider_is_pinned_to_the_version_of_the_catalogue(layout: Layout) -> None:
    versions = recorded.parsed((layout.root / "versions.tf").read_text(encoding="utf-8"))["terraform"][0]
    juju = versions["required_providers"][0]["juju"]
    assert {key.strip('"'): str(value).strip('"') for key, value in juju.items()} == {
        "source": "juju/juju",
        "version": f"= {layout.release.juju_provider}",
    }
    assert layout.schema["source"].startswith(f"juju/terraform-provider-juju {layout.release.juju_provider},")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_catalogue_has_each_application_s_charm_with_its_channel(layout: Layout) -> None:
    """Where Canonical's Terraform and its release notes differ is written down here."""
    deployed: dict[str, str] = {}
    for about in layout.resources["applications"].values():
        channel = re.sub(r'\$\{var\.release == "1\.11" \? "([^"]+)" : "[^"]*"\}', r"\1", about["channel"])
        deployed[about["charm"]] = channel.replace("${var.risk}", "stable")
    charms = {name: charm.channel for name, charm in layout.release.charms.items()}
    differing = {
        name: (charms[name], deployed[name]) for name in charms if deployed.get(name) != charms[name]
    }
    assert differing == ({} if layout is MODULES else {"kubeflow-trainer": ("2.1/stable", "2.1/edge")})


@pytest.mark.parametrize("kind", ["variable", "output"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_a_user_sees_is_described(layout: Layout, kind: str) -> None:
    """But for what is only passed on: the module describes it."""
    files = [recorded.parsed(file.read_text(encoding="utf-8")) for file in sorted(layout.root.glob("*.tf"))]
    blocks = {label: body for file in files for block in file.get(kind, []) for label, body in block.items()}
    assert [label for label, body in blocks.items() if not body["description"].strip('"').endswith(".")] == []


@pytest.mark.parametrize(
    "name",
    [
        ".terraform/modules/modules.json",
        "terraform.tfstate",
        "terraform.tfstate.backup",
        "terraform.tfstate.d/dev/terraform.tfstate",
        "ckf.auto.tfvars.json",
        "secret.tfvars",
        "plan.tfplan",
        "errored.tfstate",
        "crash.log",
    ],
)
def test_what_may_hold_secrets_is_never_in_git(name: str) -> None:
    for folder in ("deploy", "deploy/products-kubeflow", "deploy/modules-kubeflow"):
        command = ["git", "check-ignore", "-q", f"{folder}/{name}"]
        assert subprocess.run(command, cwd=PROJECT_ROOT, check=False).returncode == 0


def test_the_lock_file_is_for_git() -> None:
    """It holds the provider's checksums, and whoever runs the root first commits it."""
    command = ["git", "check-ignore", "-q", "deploy/products-kubeflow/.terraform.lock.hcl"]
    assert subprocess.run(command, cwd=PROJECT_ROOT, check=False).returncode == 1


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_stand_in_leaves_the_root_as_it_is_but_for_the_module(layout: Layout, tmp_path: Path) -> None:
    copy = recorded.root_of_stand_in(tmp_path, layout)
    ours = {file.name: file.read_text(encoding="utf-8") for file in layout.root.glob("*.tf*")}
    assert {file.name: file.read_text(encoding="utf-8") for file in copy.glob("*.tf*")} == {
        name: text.replace(layout.source, "./stand-in") for name, text in ours.items()
    }
