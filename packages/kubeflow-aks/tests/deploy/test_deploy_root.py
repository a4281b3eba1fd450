"""The Terraform root as it is written: it gives the module nothing that this does not have, and pins what it calls."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from kubeflow_aks.project import PROJECT_ROOT
from tests.deploy import recorded

_META = {"source"}


def _arguments(module: dict[str, Any]) -> dict[str, str]:
    return {
        name: str(value) for name, value in module.items() if name not in _META and not name.startswith("__")
    }


def _type(variable: dict[str, Any]) -> str:
    return str(variable["type"]).strip('"').removeprefix("${").removesuffix("}")


def _misnamed(arguments: dict[str, str]) -> set[str]:
    return set(arguments) - set(recorded.modules_kubeflow().variables)


def test_the_module_has_every_argument_that_it_is_given() -> None:
    assert not _misnamed(_arguments(recorded.blocks("module")["kubeflow"]))


def test_an_argument_that_the_module_does_not_have_is_found() -> None:
    module = recorded.parsed('module "kubeflow" {\n  source = "x"\n  minio_storage_size = var.size\n}\n')[
        "module"
    ][0]
    assert _misnamed(_arguments(module['"kubeflow"'])) == {"minio_storage_size"}


def test_a_variable_is_passed_on_under_its_own_name_and_type() -> None:
    variables = recorded.blocks("variable")
    passed = {
        name: match[1]
        for name, value in _arguments(recorded.blocks("module")["kubeflow"]).items()
        if (match := re.fullmatch(r"\$\{var\.(\w+)\}", value))
    }
    assert passed == {name: name for name in variables if name != "revisions"}
    module = recorded.modules_kubeflow().variables
    assert {name: _type(variables[name]) for name in passed} == {
        name: module[name]["type"] for name in passed
    }


def test_what_is_secret_in_the_module_is_secret_in_the_root() -> None:
    module = recorded.modules_kubeflow().variables
    ours = {name: variable.get("sensitive", False) for name, variable in recorded.blocks("variable").items()}
    assert [
        name for name, secret in ours.items() if name in module and module[name]["sensitive"] and not secret
    ] == []
    assert ours["dex_static_password"]
    assert ours["dex_connectors"], "connectors hold client secrets"


def test_a_default_is_the_modules_own() -> None:
    """So that leaving a variable out here is the same as leaving it out there."""
    module = recorded.modules_kubeflow().variables
    optional = {name: about for name, about in module.items() if "default" in about}
    ours = {name: body["default"] for name, body in recorded.blocks("variable").items() if "default" in body}
    assert {name: str(value).strip('"') for name, value in ours.items() if name in optional} == {
        name: str(optional[name]["default"]) for name in ours if name in optional
    }


def test_every_charm_of_the_module_can_be_pinned() -> None:
    arguments = _arguments(recorded.blocks("module")["kubeflow"])
    revisions = {name for name in recorded.modules_kubeflow().variables if name.endswith("_revision")}
    names = {name: name.removesuffix("_revision").replace("_", "-") for name in revisions}
    assert {name: arguments[name] for name in revisions} == {
        name: f'${{local.revisions["{names[name]}"]}}' for name in revisions
    }
    listed = recorded.parsed((recorded.ROOT / "main.tf").read_text(encoding="utf-8"))["locals"][0][
        "applications"
    ]
    assert sorted(name.strip('"') for name in listed) == sorted(names.values())


def test_the_module_is_called_by_the_commit_that_was_recorded() -> None:
    assert recorded.blocks("module")["kubeflow"]["source"].strip('"') == recorded.modules_kubeflow().source


def test_the_provider_is_pinned_to_one_version() -> None:
    versions = recorded.parsed((recorded.ROOT / "versions.tf").read_text(encoding="utf-8"))["terraform"][0]
    juju = versions["required_providers"][0]["juju"]
    assert {key.strip('"'): str(value).strip('"') for key, value in juju.items()} == {
        "source": "juju/juju",
        "version": "= 0.23.3",
    }


@pytest.mark.parametrize("kind", ["variable", "output"])
def test_what_a_user_sees_is_described(kind: str) -> None:
    described = {name: block["description"].strip('"') for name, block in recorded.blocks(kind).items()}
    assert [name for name, text in described.items() if not text.endswith(".")] == []


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
    command = ["git", "check-ignore", "-q", f"deploy/{name}"]
    assert subprocess.run(command, cwd=PROJECT_ROOT, check=False).returncode == 0


def test_the_lock_file_is_for_git() -> None:
    """It holds the provider's checksums, and whoever runs the root first commits it."""
    command = ["git", "check-ignore", "-q", "deploy/.terraform.lock.hcl"]
    assert subprocess.run(command, cwd=PROJECT_ROOT, check=False).returncode == 1


def test_a_stand_in_leaves_the_root_as_it_is_but_for_the_module(tmp_path: Path) -> None:
    copy = recorded.root_of_stand_in(tmp_path)
    ours = {file.name: file.read_text(encoding="utf-8") for file in recorded.ROOT.glob("*.tf")}
    ours["main.tf"] = ours["main.tf"].replace(recorded.modules_kubeflow().source, "./stand-in")
    assert {file.name: file.read_text(encoding="utf-8") for file in copy.glob("*.tf")} == ours
