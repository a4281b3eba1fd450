"""What the CLI would hand the program, and one line for the user where it cannot."""

import re
from pathlib import Path
from typing import Any

import pytest

from recorder.stack_files import StackConfig, StackFileError, read_stack, stack_names

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


def told(root: Path, stack_file: str) -> str:
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


def test_an_empty_stack_file_has_the_defaults(root: Path) -> None:
    assert read(root, "config:").values == {"project:location": "westeurope"}


def test_further_values_go_before_the_stack_file(root: Path) -> None:
    assert read(root, "config: {project:owner: ml}", extra={"owner": "me"}).values["project:owner"] == "me"


def test_a_key_without_a_project_gets_this_one(root: Path) -> None:
    values = read(root, "config: {owner: ml, azure-native:location: x}").values
    assert (values["project:owner"], values["azure-native:location"]) == ("ml", "x")


def test_everything_but_text_is_json(root: Path) -> None:
    values = read(root, "config: {project:a: {b: [1, true, null]}, project:c: 5, project:d: false}").values
    assert [values[f"project:{key}"] for key in "acd"] == ['{"b": [1, true, null]}', "5", "false"]


def test_a_day_without_quotes_stays_text(root: Path) -> None:
    assert read(root, "config: {project:asOf: 2026-11-20}").values["project:asOf"] == "2026-11-20"


def test_an_encrypted_value_becomes_a_secret_placeholder(root: Path) -> None:
    config = read(root, "config: {project:key: {secure: v1:abc}}")
    assert config.values["project:key"] == "decrypted-project:key"
    assert config.secret_keys == ("project:key",)


def test_stacks_are_the_files_of_the_project(root: Path) -> None:
    for name in ("prod", "dev"):
        (root / f"Pulumi.{name}.yaml").touch()
    assert stack_names(root) == ["dev", "prod"]


def test_an_unknown_stack_is_told_with_those_there_are(root: Path) -> None:
    (root / "Pulumi.dev.yaml").touch()
    with pytest.raises(StackFileError, match=r"^stack 'prd': no file Pulumi\.prd\.yaml; stacks here: dev$"):
        read_stack(root, "prd")


def test_a_project_without_stacks_is_told(root: Path) -> None:
    with pytest.raises(StackFileError, match="stacks here: none"):
        read_stack(root, "dev")


def test_a_folder_without_a_project_is_told(tmp_path: Path) -> None:
    with pytest.raises(StackFileError, match=rf"^Pulumi\.yaml: no such file in {re.escape(tmp_path.name)}/$"):
        read_stack(tmp_path, "dev")


def test_a_project_without_a_name_is_told(tmp_path: Path) -> None:
    (tmp_path / "Pulumi.yaml").write_text("runtime: python")
    with pytest.raises(StackFileError, match=r"^Pulumi\.yaml: name: null is not allowed"):
        read_stack(tmp_path, "dev")


def test_a_file_that_is_not_yaml_is_told_with_the_line(root: Path) -> None:
    assert told(root, "config:\n  a: [1\n  b: 2\n").startswith("Pulumi.dev.yaml line 3: not YAML: ")


@pytest.mark.parametrize("stack_file", ["", "- a", "text"])
def test_a_file_without_a_mapping_is_told(root: Path, stack_file: str) -> None:
    assert told(root, stack_file) == "Pulumi.dev.yaml: expected a mapping with `config:`"


@pytest.mark.parametrize("stack_file", ["config: [a]", "config: text"])
def test_configuration_that_is_no_mapping_is_told(root: Path, stack_file: str) -> None:
    assert told(root, stack_file).endswith(" is not allowed; expected a mapping")


def test_a_key_that_stands_twice_is_told_with_its_line(root: Path) -> None:
    twice = "config:\n  demo:pools:\n    a: {}\n    a: {}\n"
    assert told(root, twice) == "Pulumi.dev.yaml line 4: not YAML: the key a occurs twice"


def test_a_file_that_is_no_text_is_told(root: Path) -> None:
    (root / "Pulumi.dev.yaml").write_bytes(b"config: \xff\xfe")
    with pytest.raises(StackFileError, match=r"^Pulumi\.dev\.yaml: not YAML: not UTF-8 text$"):
        read_stack(root, "dev")
