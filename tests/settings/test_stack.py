"""What reaches the program of Pulumi's configuration."""

from pathlib import Path
from typing import Any

from recorder.run import record
from settings.stack import stack_values

PROJECT = "name: kubeflow-aks\nruntime: python\n"


def values(folder: Path, config: str) -> dict[str, Any]:
    """The values a program sees in a stack with this configuration."""
    (folder / "Pulumi.yaml").write_text(PROJECT)
    (folder / "Pulumi.test.yaml").write_text(f"config:\n{config}")
    seen: dict[str, Any] = {}
    record("test", root=folder, program=lambda: seen.update(stack_values()))
    return seen


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


def test_a_day_without_quotes_is_what_the_cli_makes_of_it(tmp_path: Path) -> None:
    assert values(tmp_path, "  kubeflow-aks:asOf: '2026-11-20'\n") == {"asOf": "2026-11-20"}
    assert values(tmp_path, "  kubeflow-aks:asOf: 2026-11-20\n") == {"asOf": "2026-11-20 00:00:00 +0000 UTC"}
