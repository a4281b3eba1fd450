"""A stack file with other values has the lines a user would write, and no more."""

from pathlib import Path

import yaml

from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.recorder.stack_settings import StackFile, stack_file

FILE = StackFile(
    project="kubeflow-aks",
    values={
        "location": "westeurope",
        "autoscaler": {"scanInterval": "10s", "scaleDownUnneededTime": "10m"},
        "systemPool": {"minCount": 2},
        "pools": {"general": {"minCount": 2}, "cpuspot": {"maxCount": 5}},
    },
    written=frozenset({"systemPool"}),
    secret=frozenset(),
)


def test_of_a_group_that_is_not_written_only_the_change_is() -> None:
    changed = FILE.changed({("autoscaler", "scaleDownUnneededTime"): "5m"})
    assert changed.lines(frozenset({"autoscaler"})) == (
        "kubeflow-aks:autoscaler: {scaleDownUnneededTime: 5m}",
    )


def test_of_a_group_that_is_written_the_rest_stays() -> None:
    changed = FILE.changed({("systemPool", "vmSize"): "Standard_D4as_v5"})
    assert changed.get("systemPool") == {"minCount": 2, "vmSize": "Standard_D4as_v5"}


def test_the_map_of_pools_is_written_as_a_whole() -> None:
    changed = FILE.changed({("pools", "cpuspot", "osDisk", "type"): "Ephemeral"})
    assert yaml.safe_load("\n".join(changed.lines(frozenset({"pools"})))) == {
        "kubeflow-aks:pools": {
            "general": {"minCount": 2},
            "cpuspot": {"maxCount": 5, "osDisk": {"type": "Ephemeral"}},
        }
    }


def test_a_second_change_keeps_the_first() -> None:
    changed = FILE.changed({("cost", "soldOutShare"): 0.1}).changed({("cost", "evictionRate"): "5-10"})
    assert changed.get("cost") == {"soldOutShare": 0.1, "evictionRate": "5-10"}


def test_a_name_with_a_dot_is_one_name() -> None:
    changed = FILE.changed({("workload", "train.big", "checkpointMinutes"): 67})
    assert changed.get("workload", "train.big", "checkpointMinutes") == 67


def test_the_file_that_it_starts_from_is_not_changed() -> None:
    FILE.changed({("pools", "cpuspot", "maxCount"): 50, ("systemPool", "minCount"): 1})
    assert FILE.get("pools", "cpuspot", "maxCount") == 5
    assert FILE.get("systemPool", "minCount") == 2


def test_text_that_reads_like_something_else_is_quoted() -> None:
    [line] = FILE.changed({("location",): "no"}).lines(frozenset({"location"}))
    assert line == "kubeflow-aks:location: 'no'"


def test_a_stack_is_read_with_the_defaults_that_it_leaves_out() -> None:
    file = stack_file("dev", PROJECT_ROOT)
    assert file.written == {"kubernetes", "location", "tags", "systemPool"}
    assert file.get("pools", "cpuspot", "priority") == "Spot"
    assert file.get("pools", "nobody", "priority") is None


def test_an_encrypted_value_is_marked(tmp_path: Path) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: p\n", encoding="utf-8")
    text = "config:\n  p:a: {b: {secure: v1:x}}\n  other:c: 1\n  p:d: 2\n"
    (tmp_path / "Pulumi.s.yaml").write_text(text, encoding="utf-8")
    file = stack_file("s", tmp_path)
    assert (file.secret, file.get("d"), file.get("c")) == ({"a"}, 2, None)


def test_a_key_of_another_namespace_is_none_of_the_programs(tmp_path: Path) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: p\n", encoding="utf-8")
    text = "config:\n  azure-native:location: westeurope\n  p:config:old: 1\n  short: 2\n"
    (tmp_path / "Pulumi.s.yaml").write_text(text, encoding="utf-8")
    assert stack_file("s", tmp_path).written == {"old", "short"}
