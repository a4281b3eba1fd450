"""What the CLI would hand the program, and one line for the user where it cannot."""

import json
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from kubeflow_aks.recorder.project_file import StackFileError
from kubeflow_aks.recorder.stack_files import ENCRYPTED, StackConfig, read_stack, stack_names
from kubeflow_aks.recorder.yaml_text import dump, load
from program.settings import _model as settings

PROJECT = """\
name: project
runtime: python
config:
  location: {type: string, default: westeurope}
  owner: {type: string}
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "Pulumi.yaml").write_text(PROJECT)
    return tmp_path


def read(root: Path, stack_file: str, **options: Any) -> StackConfig:
    (root / "Pulumi.dev.yaml").write_text(stack_file)
    return read_stack(root, "dev", **options)


def refusal(root: Path, stack_file: str) -> str:
    with pytest.raises(StackFileError) as caught:
        read(root, stack_file)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_values_of_the_stack_file_go_before_defaults_of_the_project(root: Path) -> None:
    assert read(root, "config: {project:location: northeurope}").values == {"project:location": "northeurope"}


def test_defaults_of_the_project_fill_what_the_stack_leaves_out(root: Path) -> None:
    assert read(root, "config: {project:owner: ml}").values == {
        "project:location": "westeurope",
        "project:owner": "ml",
    }


def test_further_values_go_before_the_stack_file(root: Path) -> None:
    assert read(root, "config: {project:owner: ml}", extra={"owner": "me"}).values["project:owner"] == "me"


@pytest.mark.parametrize(
    "text", ["0815", "017", "1_000", "1e3", "0x1F", "12:30", "2026-01-05", "yes", "null", "", " a", "a: b"]
)
def test_a_text_that_is_written_is_read_again(text: str) -> None:
    value = {"a": [text], text or "-": {"b": text}}
    assert load(dump(value)) == value


def test_a_key_without_a_project_gets_this_one(root: Path) -> None:
    values = read(root, "config: {owner: ml, azure-native:location: x}").values
    assert (values["project:owner"], values["azure-native:location"]) == ("ml", "x")


def test_everything_but_text_is_json(root: Path) -> None:
    values = read(root, "config: {project:a: {b: [1, true, null]}, project:c: 5, project:d: false}").values
    assert [values[f"project:{key}"] for key in "acd"] == ['{"b":[1,true,null]}', "5", "false"]


def test_encrypted_values_are_secret_and_noted(root: Path) -> None:
    config = read(root, "config: {project:key: {secure: v1:abc}, project:tags: {owner: {secure: x}, a: [b]}}")
    assert config.values["project:key"] == ENCRYPTED
    assert json.loads(config.values["project:tags"]) == {"owner": ENCRYPTED, "a": ["b"]}
    assert set(config.secret_keys) == {"project:key", "project:tags"}
    assert config.notes == (
        "Pulumi.dev.yaml: encrypted values, so rules that need them were not checked: project:key, project:tags.owner",
    )


def test_recorder_and_settings_mark_encrypted_values_alike() -> None:
    assert ENCRYPTED == settings.ENCRYPTED


def test_a_misspelt_key_of_the_file_is_refusal(root: Path) -> None:
    assert refusal(root, "confg: {a: b}") == "Pulumi.dev.yaml: 'confg' is not allowed; expected config"


def test_an_unknown_key_of_the_file_is_noted(root: Path) -> None:
    (note,) = read(root, "x-pools: &p {a: 1}\nextra: 1\nconfig: {a: *p}").notes
    assert note.startswith("Pulumi.dev.yaml: unknown key 'extra'; Pulumi ignores it (known keys: config, ")


def test_values_of_an_environment_are_noted(root: Path) -> None:
    (note,) = read(root, "environment: [shared]\nconfig: {a: b}").notes
    assert note.startswith("Pulumi.dev.yaml: environment: its values come from Pulumi ESC")


def test_stacks_are_the_files_of_the_project(root: Path) -> None:
    for name in ("prod", "dev"):
        (root / f"Pulumi.{name}.yaml").touch()
    assert stack_names(root) == ["dev", "prod"]


def test_an_unknown_stack_is_refused_with_the_known_ones(root: Path) -> None:
    (root / "Pulumi.dev.yaml").touch()
    with pytest.raises(StackFileError, match=r"^stack 'prd': no file Pulumi\.prd\.yaml; stacks here: dev$"):
        read_stack(root, "prd")
    with pytest.raises(
        StackFileError, match=r"^stack 'a\\nb': no file Pulumi\.a\\nb\.yaml; stacks here: dev$"
    ):
        read_stack(root, "a\nb")


def test_a_project_without_stacks_is_refusal(root: Path) -> None:
    with pytest.raises(StackFileError, match="stacks here: none"):
        read_stack(root, "dev")


def test_a_folder_without_a_project_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StackFileError, match=rf"^Pulumi\.yaml: no such file in {re.escape(tmp_path.name)}/$"):
        read_stack(tmp_path, "dev")


def test_a_project_without_a_name_is_refused(tmp_path: Path) -> None:
    (tmp_path / "Pulumi.yaml").write_text("runtime: python")
    with pytest.raises(StackFileError, match=r"^Pulumi\.yaml: name: null is not allowed"):
        read_stack(tmp_path, "dev")


def test_a_file_that_is_not_yaml_is_refused_with_the_line(root: Path) -> None:
    assert refusal(root, "config:\n  a: [1\n  b: 2\n").startswith("Pulumi.dev.yaml line 3: not YAML: ")


@pytest.mark.parametrize("rest", ["---\nb: 2\n", "...\nb: 2\n", "...\nb: [\n", "---\n"])
def test_text_after_the_first_document_is_refused_with_its_line(root: Path, rest: str) -> None:
    assert refusal(root, f"config:\n  a: b\n{rest}") == (
        f"Pulumi.dev.yaml line {3 if rest[0] == '-' else 4}: Pulumi reads the file up to here only, its first "
        "document; take the rest out"
    )


@pytest.mark.parametrize("stack_file", ["", "# nothing", "---", "config:"])
def test_an_empty_file_has_the_defaults(root: Path, stack_file: str) -> None:
    assert read(root, stack_file).values == {"project:location": "westeurope"}


@pytest.mark.parametrize("stack_file", ["- a", "text", "5"])
def test_a_file_without_a_mapping_is_refusal(root: Path, stack_file: str) -> None:
    assert refusal(root, stack_file) == "Pulumi.dev.yaml: expected a mapping with `config:`"


@pytest.mark.parametrize("stack_file", ["config: [a]", "config: text"])
def test_configuration_that_is_no_mapping_is_refusal(root: Path, stack_file: str) -> None:
    assert refusal(root, stack_file).endswith(" is not allowed; expected a mapping")


def test_a_key_that_stands_twice_is_refused_with_its_line(root: Path) -> None:
    twice = "config:\n  demo:pools:\n    a: {}\n    a: {}\n"
    assert refusal(root, twice) == "Pulumi.dev.yaml line 4: the key a occurs twice, first in line 3"


def test_a_file_that_is_no_text_is_refusal(root: Path) -> None:
    (root / "Pulumi.dev.yaml").write_bytes(b"config: \xff\xfe")
    with pytest.raises(StackFileError, match=r"^Pulumi\.dev\.yaml: not YAML: not UTF-8 text$"):
        read_stack(root, "dev")


def test_a_file_in_utf_16_is_read_as_the_cli_reads_it(root: Path) -> None:
    (root / "Pulumi.dev.yaml").write_bytes("config: {a: é}".encode("utf-16"))
    assert read_stack(root, "dev").values["project:a"] == "é"


@pytest.mark.parametrize("text", ["[" * 10_000, "config: {a: " + "[" * 500 + "]" * 500 + "}", "- " * 10_000])
def test_what_is_nested_too_deeply_is_refusal(root: Path, text: str) -> None:
    assert refusal(root, text).startswith("Pulumi.dev.yaml")


def test_a_folder_in_place_of_a_file_is_refusal(root: Path) -> None:
    (root / "Pulumi.dev.yaml").mkdir()
    with pytest.raises(StackFileError, match=r"^Pulumi\.dev\.yaml: Is a directory$"):
        read_stack(root, "dev")


@pytest.mark.parametrize("stack", ["", "../dev", "/etc/passwd", "dev;echo X", "*"])
def test_a_stack_is_a_name_and_no_path(root: Path, stack: str) -> None:
    (root.parent / "Pulumi.dev.yaml").touch()
    (root / "sub").mkdir()
    with pytest.raises(StackFileError, match=r"no file Pulumi\..*; stacks here: none$"):
        read_stack(root, stack)


@pytest.mark.parametrize(
    ("project", "line"),
    [
        ("config: [a]", "config: ['a'] is not allowed; expected a mapping"),
        ("config: 5", "config: 5 is not allowed; expected a mapping"),
        ("config: {a: 1.5}", "config.a: 1.5 is not allowed; expected a mapping of type, "),
        ("config: {a: }", "config.a: null is not allowed; expected a mapping of type, "),
        (
            "config: {a: {typ: string}}",
            "config.a: {'typ': 'string'} is not allowed; expected a mapping of type, ",
        ),
        ("config: {a:b:c: x}", "config: 'a:b:c' is not allowed; expected keys like project:protect"),
        ("name: 5", "name: 5 is not allowed; expected the name of the project"),
        ("name: ", "name: null is not allowed; expected the name of the project"),
    ],
)
def test_an_odd_project_file_is_refusal(root: Path, project: str, line: str) -> None:
    head = "" if project.startswith("name") else "name: project\n"
    (root / "Pulumi.yaml").write_text(f"{head}{project}\n")
    assert refusal(root, "config:").startswith(f"Pulumi.yaml: {line}")


@pytest.mark.parametrize(
    ("config", "values"),
    [
        ("", {}),
        ("{a: text, b: 5, c: true, d: [1]}", {"a": "text", "b": "5", "c": "true", "d": "[1]"}),
        ("{a: {default: 1.0}, other:b: {value: x}, c: {type: string}}", {"a": "1", "other:b": "x"}),
        ("{a: {default: {b: 2.50}}}", {"a": '{"b":2.5}'}),
    ],
)
def test_a_project_file_in_another_form_is_read(root: Path, config: str, values: dict[str, str]) -> None:
    (root / "Pulumi.yaml").write_text(f"name: project\nconfig: {config}\n")
    full = {key if ":" in key else f"project:{key}": value for key, value in values.items()}
    assert read(root, "config:").values == full


@pytest.mark.parametrize("key", ["stackConfigDir", "config"])
def test_stack_files_are_in_the_folder_that_the_project_names(root: Path, key: str) -> None:
    (root / "Pulumi.yaml").write_text(f"name: project\n{key}: stacks\n")
    (root / "Pulumi.prod.yaml").write_text("config: {place: beside}")
    (root / "stacks").mkdir()
    (root / "stacks" / "Pulumi.dev.yaml").write_text("config: {place: inside}")
    assert stack_names(root) == ["dev"]
    assert read_stack(root, "dev").values == {"project:place": "inside"}


@pytest.mark.parametrize(
    ("project", "line"),
    [
        ("stackConfigDir: 5", "stackConfigDir: 5 is not allowed; expected a path"),
        (
            "stackConfigDir: a\nconfig: b",
            "config: 'b' is not allowed beside stackConfigDir; expected a mapping",
        ),
    ],
)
def test_a_folder_of_stacks_that_the_cli_refuses_is_refused(root: Path, project: str, line: str) -> None:
    (root / "Pulumi.yaml").write_text(f"name: project\n{project}\n")
    assert refusal(root, "config:") == f"Pulumi.yaml: {line}"


def test_a_file_that_the_cli_would_read_in_place_of_pulumi_yaml_is_refused(root: Path) -> None:
    (root / "Pulumi.json").write_text('{"name": "project", "runtime": "python"}')
    assert refusal(root, "config:") == (
        "Pulumi.json: is not allowed; expected Pulumi.yaml only, which the CLI would not read"
    )


def test_what_the_stack_sets_is_kept_apart_from_the_defaults(root: Path) -> None:
    config = read(root, "config: {owner: [1, {secure: v1:x}]}", extra={"other": {"a": 1}})
    assert config.settings == {"project:owner": [1, ENCRYPTED], "project:other": {"a": 1}}


def test_text_in_place_of_a_declared_mapping_is_refused_as_the_cli_refuses_it(root: Path) -> None:
    (root / "Pulumi.yaml").write_text(
        "name: project\nconfig: {gpu: {type: object}, protect: {type: boolean}}\n"
    )
    line = "Pulumi.dev.yaml: project:gpu: "
    assert refusal(root, "config: {gpu: '{\"a\": 1}'}").startswith(
        f"{line}'{{\"a\": 1}}' is not allowed; expected a mapping"
    )
    assert refusal(root, "config: {gpu: {secure: x}}").startswith(
        f"{line}[secret] is not allowed; expected a mapping"
    )
    assert (
        read(root, "config: {gpu: {a: {secure: x}}, protect: {secure: x}}").values["project:protect"]
        == ENCRYPTED
    )


def test_two_threads_read_at_once(root: Path) -> None:
    keys = "".join(f"  project:key{number}: [{number}, true, text]\n" for number in range(200))
    alone = read(root, f"config:\n{keys}")
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as threads:
            together = list(threads.map(read_stack, [root] * 12, ["dev"] * 12))
    finally:
        sys.setswitchinterval(interval)
    assert all(config == alone for config in together)
