"""`ckf-spot generate`: settings that can be handed on as they are."""

import json
from pathlib import Path

import pytest
import yaml

from program import Run


def test_the_spawners_options_are_terraform_variables(run: Run) -> None:
    variables = json.loads(run("generate", "spawner").output)
    assert list(variables) == ["jupyter_ui_config"]
    assert all(isinstance(value, str) for value in variables["jupyter_ui_config"].values())


@pytest.mark.parametrize(
    ("what", "kind"), [("pod-default", "PodDefault"), ("namespace-tolerations", "Namespace")]
)
def test_the_others_are_manifests(run: Run, what: str, kind: str) -> None:
    assert yaml.safe_load(run("generate", what, "--namespace", "team-a").output)["kind"] == kind


def test_the_result_goes_to_a_file(run: Run) -> None:
    assert run("generate", "spawner", "-o", "jupyter.auto.tfvars.json").output == ""
    assert json.loads(Path("jupyter.auto.tfvars.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("namespace", ["kubeflow", "controller-0", "knative-serving", "Team A", ""])
def test_a_namespace_that_can_not_be_is_one_line(run: Run, namespace: str) -> None:
    ran = run("generate", "pod-default", "--namespace", namespace, "-o", "out.yaml")
    assert (ran.code, len(ran.errors)) == (2, 1)
    assert ran.errors[0].startswith(f"ckf-spot: namespace: {namespace!r} is")
    assert not Path("out.yaml").exists()
