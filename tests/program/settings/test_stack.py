"""What reaches the program of Pulumi's configuration."""

import contextvars
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pulumi
import pytest
from pulumi.runtime.config import set_all_config

from components.arguments.mistakes import Mistake
from kubeflow_aks.recorder.project_file import StackFileError
from kubeflow_aks.recorder.run import record
from program.settings import SettingsError, parse
from program.settings.stack import refusal, stack_values, without_secrets

PROJECT = "name: kubeflow-aks\nruntime: python\n"


def values(folder: Path, config: str) -> dict[str, Any]:
    """The values a program sees in a stack with this configuration."""
    (folder / "Pulumi.yaml").write_text(PROJECT)
    (folder / "Pulumi.test.yaml").write_text(f"config:\n{config}")
    values: dict[str, Any] = {}
    record("test", root=folder, program=lambda: values.update(stack_values()))
    return values


def test_keys_of_this_project_are_seen_without_its_name(tmp_path: Path) -> None:
    assert values(tmp_path, "  kubeflow-aks:location: westeurope\n") == {"location": "westeurope"}


def test_keys_of_providers_are_not_seen(tmp_path: Path) -> None:
    assert values(tmp_path, "  azure-native:location: westeurope\n") == {}


def test_an_unknown_key_is_seen(tmp_path: Path) -> None:
    assert values(tmp_path, "  kubeflow-aks:locaton: x\n") == {"locaton": "x"}


def test_objects_lists_numbers_and_booleans_keep_their_types(tmp_path: Path) -> None:
    config = "  kubeflow-aks:a: {b: [1, 2.5, true, null, 'x']}\n  kubeflow-aks:c: false\n"
    assert values(tmp_path, config) == {"a": {"b": [1, 2.5, True, None, "x"]}, "c": False}


def test_a_region_that_reads_like_a_number_stays_text(tmp_path: Path) -> None:
    assert values(tmp_path, "  kubeflow-aks:location: '7'\n") == {"location": "7"}


def test_a_day_needs_quotes(tmp_path: Path) -> None:
    assert values(tmp_path, "  kubeflow-aks:asOf: '2026-11-20'\n") == {"asOf": "2026-11-20"}
    with pytest.raises(StackFileError, match=r"2026-11-20 is a point in time in YAML; put it in quotes$"):
        values(tmp_path, "  kubeflow-aks:asOf: 2026-11-20\n")


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity", "[" * 10_000, "9" * 5_000])
def test_what_json_cannot_hold_stays_text(tmp_path: Path, text: str) -> None:
    assert values(tmp_path, f"  kubeflow-aks:a: '{text}'\n") == {"a": text}


@pytest.mark.parametrize(
    "namespace", ["kubeflow-ask", "kubeflow_aks", "Kubeflow-AKS", "kubeflow", "aks-kubeflow"]
)
def test_a_namespace_like_the_project_s_name_is_seen_whole(tmp_path: Path, namespace: str) -> None:
    assert values(tmp_path, f"  {namespace}:protect: true\n") == {f"{namespace}:protect": True}
    tags = {"owner": "ml", "environment": "dev"}
    with pytest.raises(SettingsError) as caught:
        parse({"tags": tags, f"{namespace}:protect": True})
    assert str(caught.value) == (
        f"{namespace}:protect: true is not allowed; expected the name of this project before the colon"
    )


@pytest.mark.parametrize("key", ["azure-native:location", "kubernetes:context", "pulumi:tags", "aws:region"])
def test_keys_of_others_are_nobody_s_mistake(tmp_path: Path, key: str) -> None:
    assert values(tmp_path, f"  {key}: x\n") == {}


def output(values: dict[str, str], secret: list[str], what: Callable[[], str]) -> str:
    """What a program says that has these values, some of them secret."""

    def run() -> str:
        set_all_config(
            {f"project:{key}": text for key, text in values.items()}, [f"project:{k}" for k in secret]
        )
        return what()

    return contextvars.Context().run(run)


def test_no_line_has_the_value_of_a_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulumi, "get_project", lambda: "project")
    error = SettingsError(
        [
            Mistake("ssh.publicKey", "hush-hush", "a key, not hush-hush"),
            Mistake("pools.cpu.maxCount", 4711, "less"),
            Mistake("location", "here", "not over hush-hush"),
            Mistake("autoscaler.scanInterval", "no", "a duration"),
        ]
    )
    values = {
        "ssh": '{"publicKey": "hush-hush", "b": ["no"]}',
        "pools": '{"cpu": {"maxCount": 4711}}',
        "location": "here",
    }
    assert output(values, ["ssh", "pools"], lambda: refusal(error, "dev")).splitlines() == [
        "Pulumi.dev.yaml holds mistakes; nothing was created:",
        "ssh.publicKey: [secret] is not allowed; expected a key, not [secret]",
        "pools.cpu.maxCount: [secret] is not allowed; expected less",
        "location: 'here' is not allowed; expected not over [secret]",
        "autoscaler.scanInterval: 'no' is not allowed; expected a duration",
    ]


@pytest.mark.parametrize("environment", ["garbage", "[1]", "5"])
def test_an_environment_that_is_no_configuration_is_reported(
    monkeypatch: pytest.MonkeyPatch, environment: str
) -> None:
    monkeypatch.setattr(pulumi, "get_project", lambda: "project")
    monkeypatch.setenv("PULUMI_CONFIG", environment)
    with pytest.raises(SettingsError, match=r"^PULUMI_CONFIG: .* expected a mapping in JSON; unset it"):
        output({}, [], lambda: str(stack_values()))
    assert output({}, [], lambda: without_secrets("text")) == "text"
