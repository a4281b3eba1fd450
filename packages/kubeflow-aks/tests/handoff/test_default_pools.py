"""Default pools of profiles: what the charm namespace-node-affinity is given, and what is refused."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from kubeflow_aks.cli.process import main
from kubeflow_aks.handoff.default_pools import settings
from kubeflow_aks.project import PROJECT_ROOT
from tests.handoff.made_up_outputs import outputs, values

PAGE = PROJECT_ROOT / "docs/how-to/give-profiles-a-default-pool.md"


def loaded(*choices: str) -> dict[str, Any]:
    """The settings as the webhook reads them: YAML, with YAML in it."""
    texts = yaml.safe_load(settings(outputs(), choices))
    return {namespace: yaml.safe_load(text) for namespace, text in texts.items()}


def test_a_profile_s_pods_go_to_the_pool_and_tolerate_its_taints() -> None:
    settings = loaded("team-a=gpuod", "team-b=general")
    assert settings["team-a"] == {
        "excludedLabels": {"keep-placement": "true"},
        "nodeSelectorTerms": [
            {
                "matchExpressions": [
                    {"key": "kubernetes.azure.com/agentpool", "operator": "In", "values": ["gpuod"]}
                ]
            }
        ],
        "tolerations": [
            {"key": "kubeflow-aks/fallback", "operator": "Equal", "value": "true", "effect": "NoSchedule"},
            {"key": "nvidia.com/gpu", "operator": "Equal", "value": "present", "effect": "NoSchedule"},
        ],
    }
    assert "tolerations" not in settings["team-b"]


@pytest.mark.parametrize(
    ("choices", "mistakes"),
    [
        (["team-a"], ["team-a is not allowed; expected NAMESPACE=POOL, such as team-a=cpuod"]),
        (["Team=cpuod"], ["Team=cpuod is not allowed; expected NAMESPACE=POOL, such as team-a=cpuod"]),
        (
            ["kubeflow=cpuod"],
            [
                (
                    "kubeflow=cpuod is not allowed; expected a profile's namespace; Kubeflow's platform has a pool of "
                    "its own"
                )
            ],
        ),
        (["a=other"], ["a=other is not allowed; expected one of the pools general, cpuod, gpuod"]),
        (
            ["a=cpuspot", "b=other"],
            [
                (
                    "a=cpuspot is not allowed; expected one of the pools general, cpuod, gpuod: a default on spot "
                    "takes the drivers of pipelines along, and notebooks are refused there"
                ),
                "b=other is not allowed; expected one of the pools general, cpuod, gpuod",
            ],
        ),
        (
            ["a=cpuod", "a=general"],
            [
                "a=cpuod is not allowed; expected one pool for namespace a",
                "a=general is not allowed; expected one pool for namespace a",
            ],
        ),
    ],
)
def test_each_mistake_is_one_line(
    choices: list[str], mistakes: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = [word for choice in choices for word in ("--default-pool", choice)]
    assert _handoff(tmp_path, *options) == 2
    lines = "\n".join(f"--default-pool: {mistake}" for mistake in mistakes)
    assert capsys.readouterr().err == f"error: {lines}\n"
    assert not (tmp_path / "build").exists()


def test_the_file_is_there_only_if_a_pool_is_chosen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "build/dev/handoff/default-pools.yaml"
    assert _handoff(tmp_path) == 0
    assert not file.exists()
    assert _handoff(tmp_path, "--default-pool", "team-a=cpuod") == 0
    assert yaml.safe_load(file.read_text(encoding="utf-8")).keys() == {"team-a"}
    assert f"Default pools of profiles: {file}" in capsys.readouterr().out


def test_the_page_shows_what_its_command_writes() -> None:
    page = PAGE.read_text(encoding="utf-8")
    choices = re.findall(r"--default-pool (\S+=\S+)", page)
    sample = re.search(r"```yaml\n(.*?)```", page, re.DOTALL)
    assert choices
    assert sample is not None
    assert sample[1] == settings(outputs(), choices)


def _handoff(folder: Path, *options: str) -> int:
    file = folder / "outputs.json"
    file.write_text(json.dumps(values()), encoding="utf-8")
    return main(["handoff", "dev", "--outputs", str(file), "--build", str(folder / "build"), *options])
