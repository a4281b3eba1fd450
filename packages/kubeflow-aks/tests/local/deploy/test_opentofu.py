"""The Terraform roots under OpenTofu itself, with stand-ins of Canonical's modules and the real providers' schemas.

The newest release's root is planned, applied and destroyed; that of the layout before is validated and planned.
"""

from __future__ import annotations

import json
import os
import re
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
from tests.deploy.recorded import Layout
from tests.handoff.made_up_outputs import outputs, with_options
from tests.local.commands import PATIENCE_SECONDS
from tests.local.required import required_only


@pytest.fixture(scope="session")
def tofu() -> Path:
    """OpenTofu."""
    return required_only("tofu")["tofu"]


NEWEST = recorded.layout(recorded.RELEASES[-1])


@pytest.fixture
def layout() -> Layout:
    """The layout whose root a test runs."""
    return NEWEST


@pytest.fixture(scope="session")
def mirrors(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """OpenTofu's configuration by release: providers come from a mirror that has the pinned one."""
    return {
        name: juju_provider.mirror(tmp_path_factory.mktemp("tofu"), recorded.layout(name))
        for name in recorded.RELEASES
    }


@pytest.fixture(scope="session")
def set_up_roots(
    tofu: Path, mirrors: dict[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Path]:
    """The roots with their stand-ins, set up once."""
    copies: dict[str, Path] = {}
    for name, mirror in mirrors.items():
        copies[name] = recorded.root_of_stand_in(tmp_path_factory.mktemp("root"), recorded.layout(name))
        answer = _run(tofu, copies[name], "init", "-backend=false", TF_CLI_CONFIG_FILE=str(mirror))
        assert answer.returncode == 0, answer.stderr
    return copies


@pytest.fixture
def root(layout: Layout, set_up_roots: dict[str, Path], tmp_path: Path) -> Path:
    """A copy of it for one test."""
    return Path(shutil.copytree(set_up_roots[layout.release.release], tmp_path / "deploy", symlinks=True))


@pytest.fixture
def provider(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> Generator[JujuProvider]:
    """The provider that OpenTofu finds."""
    with juju_provider.serve(layout) as running:
        monkeypatch.setenv("TF_REATTACH_PROVIDERS", running.reattach)
        yield running


@pytest.fixture
def variables(layout: Layout, tmp_path: Path) -> str:
    """What the hand-off writes, as an option."""
    file = tmp_path / "ckf.auto.tfvars.json"
    file.write_text(json.dumps(_handed_over(layout)))
    return f"-var-file={file}"


def _handed_over(layout: Layout) -> dict[str, Any]:
    return terraform.variables(outputs(), layout.release)


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
    answer = _run(tofu, recorded.DEPLOY, "fmt", "-check", "-diff", "-recursive")
    assert answer.returncode == 0, answer.stdout


@pytest.mark.parametrize(
    "layout", [recorded.layout(name) for name in recorded.RELEASES], ids=recorded.RELEASES
)
@pytest.mark.usefixtures("provider")
def test_it_is_valid(tofu: Path, root: Path) -> None:
    answer = _run(tofu, root, "validate")
    assert answer.returncode == 0, answer.stderr


@pytest.mark.parametrize(
    "layout", [recorded.layout(name) for name in recorded.RELEASES], ids=recorded.RELEASES
)
@pytest.mark.usefixtures("provider")
def test_the_schema_is_the_recorded_one(tofu: Path, layout: Layout, root: Path) -> None:
    """What OpenTofu prints of the test's provider is what it printed of the real one."""
    answer = _run(tofu, root, "providers", "schema", "-json")
    assert answer.returncode == 0, answer.stderr
    printed = json.loads(answer.stdout)["provider_schemas"][juju_provider.SOURCE]
    real = layout.schema
    assert {key: printed[key] for key in real if key != "source"} == {
        key: value for key, value in real.items() if key != "source"
    }


def test_the_pinned_provider_is_installed(layout: Layout, root: Path) -> None:
    [locked] = recorded.parsed((root / ".terraform.lock.hcl").read_text())["provider"]
    assert locked[f'"{juju_provider.SOURCE}"']["version"] == f'"{layout.release.juju_provider}"'


def test_another_version_of_the_provider_is_not_installed(
    tofu: Path, layout: Layout, root: Path, mirrors: dict[str, Path]
) -> None:
    shutil.rmtree(root / ".terraform")
    (root / ".terraform.lock.hcl").unlink()
    versions = root / "versions.tf"
    versions.write_text(versions.read_text().replace(f'"= {layout.release.juju_provider}"', '"= 1.0.0"', 1))
    mirror = mirrors[layout.release.release]
    answer = _run(tofu, root, "init", "-backend=false", TF_CLI_CONFIG_FILE=str(mirror))
    assert answer.returncode == 1
    assert "no available releases match the given constraints 1.0.0" in " ".join(answer.stderr.split())


@pytest.mark.parametrize(
    "layout", [recorded.layout(name) for name in recorded.RELEASES], ids=recorded.RELEASES
)
@pytest.mark.usefixtures("provider")
def test_what_it_refuses(tofu: Path, root: Path) -> None:
    """Runs the root's own `tests/`."""
    _without_resources(root)
    answer = _run(tofu, root, "test")
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert ", 0 failed" in answer.stdout


@pytest.mark.usefixtures("provider")
def test_a_broken_rule_is_found(tofu: Path, root: Path) -> None:
    """The root's own tests can fail."""
    _without_resources(root)
    variables = root / "variables.tf"
    rule = 'var.object_storage_mode != "S3"'
    variables.write_text(variables.read_text().replace(rule, f"{rule} || true", 1))
    answer = _run(tofu, root, "test")
    assert answer.returncode == 1
    assert 'run "an_s3_without_its_login"... fail' in answer.stdout


@pytest.mark.usefixtures("provider")
def test_an_argument_that_the_module_does_not_have_is_refused(tofu: Path, root: Path) -> None:
    main = root / "module.tf.json"
    main.write_text(main.read_text().replace('"minio_storage_size":', '"minio_size":', 1))
    answer = _run(tofu, root, "validate")
    assert answer.returncode == 1
    assert "minio_size" in answer.stderr


@pytest.mark.usefixtures("provider")
def test_an_argument_that_the_provider_does_not_have_is_refused(tofu: Path, root: Path) -> None:
    """The charms' modules for providers before 1.0 set `model` (canonical/bundle-kubeflow#1353)."""
    file, module = _stand_in(root)
    minio = module["resource"]["juju_application"]["minio"]
    minio["model"] = minio.pop("model_uuid")
    recorded.write(file, module)
    answer = _run(tofu, root, "validate")
    assert answer.returncode == 1
    assert 'No argument or block type is named "model"' in answer.stderr
    assert 'The argument "model_uuid" is required' in answer.stderr


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
    module["resource"]["juju_relation"] = module["resource"].pop("juju_model")
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
    tofu: Path, layout: Layout, root: Path, provider: JujuProvider, variables: str
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
    module_variables = _handed_over(layout)
    applications = {name: about for (kind, name), about in made.items() if kind == "juju_application"}
    charms = {about["charm"][0]["name"]: about["charm"][0]["channel"] for about in applications.values()}
    optional = {"kubeflow-trainer", "mlflow-server"}
    assert charms == {
        name: charm.channel for name, charm in layout.release.charms.items() if name not in optional
    }
    uuid = made["juju_model", "kubeflow"]["uuid"]
    assert applications["istio-ingressgateway"]["config"] == module_variables["istio_ingressgateway_config"]
    assert applications["minio"]["storage_directives"] == {
        "minio-data": module_variables["minio_storage_size"]
    }
    assert {about["model_uuid"] for about in applications.values()} == {uuid}
    assert provider.made == Counter(kind for kind, _ in made)

    again = _run(tofu, root, "apply", "-auto-approve", "-input=false", variables)
    assert again.returncode == 0, again.stderr
    assert "Resources: 0 added, 0 changed, 0 destroyed." in again.stdout

    label = "service.beta.kubernetes.io/azure-dns-label-name=team-b"
    other = f'-var=istio_ingressgateway_config={{"kind"="ingress","annotations"="{label}"}}'
    changed = _run(tofu, root, "plan", "-input=false", variables, other)
    assert changed.returncode == 0, changed.stderr
    assert "juju_application.istio_ingressgateway[0] will be updated in-place" in changed.stdout
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
    condition     = local.dex_auth_config == {}
    error_message = "There is a user whom nobody named."
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
    assert 'The root module input variable "minio_storage_size" is not set' in answer.stderr


def test_a_password_is_not_shown(
    tofu: Path, layout: Layout, root: Path, provider: JujuProvider, tmp_path: Path
) -> None:
    """Neither in the plan nor while the charm that gets it is deployed."""
    file = tmp_path / "variables.tfvars.json"
    secret = "not-a-real-one"  # noqa: S105
    variables = _handed_over(layout) | {
        "dex_static_username": "someone",
        "dex_static_password": secret,
    }
    file.write_text(json.dumps(variables))
    answer = _run(tofu, root, "apply", "-auto-approve", "-input=false", f"-var-file={file}")
    assert answer.returncode == 0, answer.stderr
    assert secret not in answer.stdout + answer.stderr
    assert provider.made["juju_application"]
    assert secret in (root / "terraform.tfstate").read_text(), "it reaches the charm"


@pytest.mark.parametrize("layout", [recorded.layout("1.11")], ids=["1.11"])
@pytest.mark.usefixtures("provider")
def test_the_layout_before_is_planned(tofu: Path, layout: Layout, root: Path, variables: str) -> None:
    answer = _run(tofu, root, "plan", "-input=false", variables)
    assert answer.returncode == 0, answer.stderr
    expected = [*layout.resources["applications"].values(), *layout.resources["integrations"], "the model"]
    optional = [one for one in expected if "kubeflow_trainer_v2" in str(one)]
    assert f"Plan: {len(expected) - len(optional)} to add, 0 to change, 0 to destroy." in answer.stdout


@pytest.mark.usefixtures("provider")
def test_options_add_applications_and_leave_others_out(
    tofu: Path, layout: Layout, root: Path, tmp_path: Path
) -> None:
    """One plan of nearly all: what is there is what the recorded conditions say."""
    options = {
        "components": ["pipelines", "trainer", "mlflow", "feast", "spark", "observability"],
        "mesh": "ambient",
        "auth": "iam",
        "sparkEndpoint": "https://s3.example.org",
    }
    file = tmp_path / "options.tfvars.json"
    file.write_text(json.dumps(terraform.variables(outputs(with_options(**options)), layout.release)))
    answer = _run(tofu, root, "plan", "-input=false", f"-var-file={file}")
    assert answer.returncode == 0, answer.stderr
    planned = set(re.findall(r"juju_application\.(\w+)(?:\[0\])? will be created", answer.stdout))
    every = {name.replace("-", "_") for name in layout.resources["applications"]}
    assert planned <= every
    assert {
        "kubeflow_trainer",
        "mlflow_server",
        "minio",
        "kserve_controller",
        "feast_ui",
        "postgresql",
    } <= planned
    assert {"spark_integration_hub", "opentelemetry_collector_k8s", "github_profiles_automator"} <= planned
    left_out = {"istio_pilot", "knative_serving", "dex_auth", "katib_ui", "jupyter_ui", "training_operator"}
    assert left_out <= every - planned
