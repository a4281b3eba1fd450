"""The Terraform root under OpenTofu itself, with a stand-in of Canonical's module and the real provider's schema."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections import Counter
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from kubeflow_aks.handoff import terraform
from tests.deploy import juju_provider, recorded
from tests.deploy.juju_provider import JujuProvider
from tests.handoff.made_up_outputs import outputs
from tests.local.commands import PATIENCE_SECONDS
from tests.local.required import required_only


@pytest.fixture(scope="session")
def tofu() -> Path:
    """OpenTofu."""
    return required_only("tofu")["tofu"]


@pytest.fixture(scope="session")
def mirror(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """OpenTofu's configuration: providers come from a mirror that has the pinned one."""
    return juju_provider.mirror(tmp_path_factory.mktemp("tofu"))


@pytest.fixture(scope="session")
def set_up_root(tofu: Path, mirror: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The root with the stand-in, set up once."""
    copy = recorded.root_of_stand_in(tmp_path_factory.mktemp("root"))
    answer = _run(tofu, copy, "init", "-backend=false", TF_CLI_CONFIG_FILE=str(mirror))
    assert answer.returncode == 0, answer.stderr
    return copy


@pytest.fixture
def root(set_up_root: Path, tmp_path: Path) -> Path:
    """A copy of it for one test."""
    return Path(shutil.copytree(set_up_root, tmp_path / "deploy", symlinks=True))


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Generator[JujuProvider]:
    """The provider that OpenTofu finds."""
    with juju_provider.serve() as running:
        monkeypatch.setenv("TF_REATTACH_PROVIDERS", running.reattach)
        yield running


@pytest.fixture
def variables(tmp_path: Path) -> str:
    """What the hand-off writes, as an option."""
    file = tmp_path / "ckf.auto.tfvars.json"
    file.write_text(json.dumps(terraform.modules_kubeflow(outputs())))
    return f"-var-file={file}"


def _run(tofu: Path, root: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    inherited = {key: value for key, value in os.environ.items() if not key.startswith(("TF_", "TOFU_"))}
    reattach = {key: value for key, value in os.environ.items() if key == "TF_REATTACH_PROVIDERS"}
    overrides = {"TF_CLI_CONFIG_FILE": os.devnull, "CHECKPOINT_DISABLE": "1"}
    return subprocess.run(
        [tofu, f"-chdir={root}", *arguments, "-no-color"],
        env={**inherited, **overrides, **reattach, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_SECONDS,
    )


def _stand_in(root: Path) -> tuple[Path, dict[str, Any]]:
    file = root / "stand-in" / "main.tf.json"
    return file, json.loads(file.read_text())


def _without_resources(root: Path) -> None:
    """Leaves the module its variables: the rules of the root's variables need no more, and runs take a tenth."""
    file, module = _stand_in(root)
    recorded.write(file, {key: value for key, value in module.items() if key != "resource"})


def test_it_is_formatted(tofu: Path) -> None:
    answer = _run(tofu, recorded.ROOT, "fmt", "-check", "-diff", "-recursive")
    assert answer.returncode == 0, answer.stdout


@pytest.mark.usefixtures("provider")
def test_it_is_valid(tofu: Path, root: Path) -> None:
    answer = _run(tofu, root, "validate")
    assert answer.returncode == 0, answer.stderr


@pytest.mark.usefixtures("provider")
def test_the_schema_is_the_recorded_one(tofu: Path, root: Path) -> None:
    """What OpenTofu prints of the test's provider is what it printed of the real one."""
    answer = _run(tofu, root, "providers", "schema", "-json")
    assert answer.returncode == 0, answer.stderr
    printed = json.loads(answer.stdout)["provider_schemas"][juju_provider.SOURCE]
    real = recorded.provider_schema()
    assert {key: printed[key] for key in real if key != "source"} == {
        key: value for key, value in real.items() if key != "source"
    }


def test_the_pinned_provider_is_installed(set_up_root: Path) -> None:
    [locked] = recorded.parsed((set_up_root / ".terraform.lock.hcl").read_text())["provider"]
    assert locked[f'"{juju_provider.SOURCE}"']["version"] == f'"{juju_provider.VERSION}"'


def test_another_version_of_the_provider_is_not_installed(tofu: Path, root: Path, mirror: Path) -> None:
    shutil.rmtree(root / ".terraform")
    (root / ".terraform.lock.hcl").unlink()
    versions = root / "versions.tf"
    versions.write_text(versions.read_text().replace('"= 0.23.3"', '"= 1.0.0"', 1))
    answer = _run(tofu, root, "init", "-backend=false", TF_CLI_CONFIG_FILE=str(mirror))
    assert answer.returncode == 1
    assert "no available releases match the given constraints 1.0.0" in " ".join(answer.stderr.split())


@pytest.mark.usefixtures("provider")
def test_what_it_refuses(tofu: Path, root: Path) -> None:
    """Runs `deploy/tests/`."""
    _without_resources(root)
    answer = _run(tofu, root, "test")
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert ", 0 failed" in answer.stdout


@pytest.mark.usefixtures("provider")
def test_a_broken_rule_is_found(tofu: Path, root: Path) -> None:
    """The root's own tests can fail."""
    _without_resources(root)
    variables = root / "variables.tf"
    rule = 'var.minio_mode == "server"'
    variables.write_text(variables.read_text().replace(rule, f'{rule} || var.minio_mode == "gateway"', 1))
    answer = _run(tofu, root, "test")
    assert answer.returncode == 1
    assert 'run "a_gateway"... fail' in answer.stdout


@pytest.mark.usefixtures("provider")
def test_an_argument_that_the_module_does_not_have_is_refused(tofu: Path, root: Path) -> None:
    main = root / "main.tf"
    main.write_text(main.read_text().replace("  minio_size ", "  minio_storage_size ", 1))
    answer = _run(tofu, root, "validate")
    assert answer.returncode == 1
    assert 'An argument named "minio_storage_size" is not expected here' in answer.stderr


@pytest.mark.usefixtures("provider")
def test_an_argument_that_the_provider_does_not_have_is_refused(tofu: Path, root: Path) -> None:
    """The charms' modules for provider 1.0 set `model_uuid` (canonical/bundle-kubeflow#1353)."""
    file, module = _stand_in(root)
    minio = module["resource"]["juju_application"]["minio"]
    minio["model_uuid"] = minio.pop("model")
    recorded.write(file, module)
    answer = _run(tofu, root, "validate")
    assert answer.returncode == 1
    assert 'No argument or block type is named "model_uuid"' in answer.stderr
    assert 'The argument "model" is required' in answer.stderr


@pytest.mark.usefixtures("provider")
def test_an_argument_of_another_type_is_refused(tofu: Path, root: Path) -> None:
    file, module = _stand_in(root)
    module["resource"]["juju_application"]["minio"]["units"] = "one"
    recorded.write(file, module)
    answer = _run(tofu, root, "validate")
    assert answer.returncode == 1
    assert 'Inappropriate value for attribute "units": a number is required' in answer.stderr


@pytest.mark.usefixtures("provider")
def test_a_resource_that_the_provider_does_not_have_is_refused(tofu: Path, root: Path) -> None:
    file, module = _stand_in(root)
    module["resource"]["juju_relation"] = module["resource"].pop("juju_integration")
    recorded.write(file, module)
    answer = _run(tofu, root, "validate")
    assert answer.returncode == 1
    assert 'does not support resource type "juju_relation"' in " ".join(answer.stderr.split())


@pytest.mark.usefixtures("provider")
def test_a_setting_that_the_provider_does_not_have_is_refused(tofu: Path, root: Path) -> None:
    (root / "providers.tf").write_text('provider "juju" {\n  controller = "aks"\n}\n')
    answer = _run(tofu, root, "validate")
    assert answer.returncode == 1
    assert 'An argument named "controller" is not expected here' in answer.stderr


def test_what_the_hand_off_writes_is_deployed_and_removed(
    tofu: Path, root: Path, provider: JujuProvider, variables: str
) -> None:
    """Apply, again without a change, a changed annotation, destroy."""
    applied = _run(tofu, root, "apply", "-auto-approve", "-input=false", variables)
    assert applied.returncode == 0, applied.stderr
    assert "undeclared" not in applied.stdout + applied.stderr
    state = json.loads((root / "terraform.tfstate").read_text())
    made = {
        (resource["type"], instance["attributes"].get("name") or resource["name"]): instance["attributes"]
        for resource in state["resources"]
        for instance in resource["instances"]
    }
    expected = recorded.resources()
    module_variables = terraform.modules_kubeflow(outputs())
    applications = {name for kind, name in made if kind == "juju_application"}
    assert applications == {name for name, about in expected["applications"].items() if "count" not in about}
    assert len([kind for kind, _ in made if kind == "juju_integration"]) == len(
        [integration for integration in expected["integrations"] if len(integration) == 2]
    )
    assert made["juju_model", "kubeflow"]["uuid"]
    ingress = made["juju_application", "istio-ingressgateway"]
    assert ingress["config"]["annotations"] == module_variables["istio_ingressgateway_annotations"]
    assert made["juju_application", "minio"]["storage_directives"] == {
        "minio-data": module_variables["minio_size"]
    }
    assert {attributes["model"] for (kind, _), attributes in made.items() if kind != "juju_model"} == {
        "kubeflow"
    }
    assert provider.made == Counter(kind for kind, _ in made)

    again = _run(tofu, root, "apply", "-auto-approve", "-input=false", variables)
    assert again.returncode == 0, again.stderr
    assert "Resources: 0 added, 0 changed, 0 destroyed." in again.stdout

    other = "-var=istio_ingressgateway_annotations=service.beta.kubernetes.io/azure-dns-label-name=team-b"
    changed = _run(tofu, root, "plan", "-input=false", variables, other)
    assert changed.returncode == 0, changed.stderr
    assert "juju_application.istio_ingressgateway will be updated in-place" in changed.stdout
    assert "Plan: 0 to add, 1 to change, 0 to destroy." in changed.stdout

    gone = _run(tofu, root, "destroy", "-auto-approve", variables)
    assert gone.returncode == 0, gone.stderr
    assert json.loads((root / "terraform.tfstate").read_text())["resources"] == []
    assert provider.made.total() == 0


def test_a_mocked_provider_makes_nothing(
    tofu: Path, root: Path, provider: JujuProvider, variables: str
) -> None:
    """OpenTofu's own `mock_provider` deploys with the real schema: what a team's tests of this root can do."""
    for file in (root / "tests").iterdir():
        file.unlink()
    (root / "tests" / "deployed.tftest.hcl").write_text(
        """
mock_provider "juju" {}

run "deployed" {
  command = apply

  assert {
    condition     = output.model == "kubeflow"
    error_message = "Not in the model kubeflow."
  }
}
"""
    )
    answer = _run(tofu, root, "test", variables)
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert "1 passed, 0 failed" in answer.stdout
    assert provider.made == Counter()


@pytest.mark.usefixtures("provider")
def test_without_the_hand_off_nothing_is_deployed(tofu: Path, root: Path) -> None:
    answer = _run(tofu, root, "plan", "-input=false")
    assert answer.returncode == 1
    assert 'The root module input variable "minio_size" is not set' in answer.stderr


def test_a_password_is_not_shown(tofu: Path, root: Path, provider: JujuProvider, tmp_path: Path) -> None:
    """Neither in the plan nor while the charm that gets it is deployed."""
    file = tmp_path / "variables.tfvars.json"
    secret = "not-a-real-one"  # noqa: S105
    variables = terraform.modules_kubeflow(outputs()) | {
        "dex_static_username": "someone",
        "dex_static_password": secret,
    }
    file.write_text(json.dumps(variables))
    answer = _run(tofu, root, "apply", "-auto-approve", "-input=false", f"-var-file={file}")
    assert answer.returncode == 0, answer.stderr
    assert secret not in answer.stdout + answer.stderr
    assert provider.made["juju_application"]
    assert secret in (root / "terraform.tfstate").read_text(), "it reaches the charm"
