"""Outputs of a stack: from the engine, from a file, and what is wrong with them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kubeflow_aks.deployed.errors import StackError
from kubeflow_aks.deployed.outputs import Outputs, of_file, of_stack, parse
from kubeflow_aks.exit_codes import MissingProgramError

BASIS = {"stack": "dev", "apiAccess": {"privateCluster": False}}
GOOD: dict[str, Any] = {"clusterBasis": BASIS, "clusterName": "aks", "jujuToken": "hush", "poolContract": []}


def test_values_are_read_by_name() -> None:
    outputs = parse("dev", json.dumps(GOOD), "here")
    assert outputs.text("clusterName") == "aks"
    assert outputs.basis("apiAccess", "privateCluster") is False
    assert outputs.pools() == []


def test_no_secret_is_in_a_repr() -> None:
    assert "hush" not in repr(Outputs("dev", GOOD))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "outputs.json: not JSON; expected a stack's outputs"),
        ("[1]", "outputs.json: not a JSON object; expected a stack's outputs by name"),
        ("{}", "outputs.json: there are no outputs; run `pulumi up --stack dev` first"),
        (
            '{"clusterBasis": {"stack": "prod"}}',
            "outputs.json: these are the outputs of stack prod; expected those of dev",
        ),
        (
            '{"clusterName": "aks"}',
            "dev: the output clusterBasis is missing; run `pulumi up` with this version of the program",
        ),
        ('{"clusterBasis": 3}', "dev: output clusterBasis has an unexpected type; expected an object"),
        (
            '{"clusterBasis": {}}',
            "dev: output clusterBasis has no stack; run `pulumi up` with this version of the program",
        ),
    ],
)
def test_what_is_wrong_is_one_line(text: str, expected: str) -> None:
    with pytest.raises(StackError) as refused:
        parse("dev", text, "outputs.json")
    assert str(refused.value) == expected


def test_a_masked_secret_is_an_error() -> None:
    outputs = parse("dev", json.dumps({**GOOD, "jujuToken": "[secret]"}), "here")
    with pytest.raises(StackError, match="jujuToken is masked; read the outputs with --show-secrets"):
        outputs.text("jujuToken")


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(StackError, match="cannot be read: No such file or directory"):
        of_file("dev", tmp_path / "outputs.json")


def test_the_cli_is_called_and_its_failure_reported(tmp_path: Path) -> None:
    engine = tmp_path / "pulumi"
    engine.write_text("#!/bin/sh\necho \"error: no stack named '$6' found\" >&2; exit 255\n")
    engine.chmod(0o700)
    with pytest.raises(
        StackError, match=r"^dev: `pulumi stack output` failed: error: no stack named 'dev' found$"
    ):
        of_stack("dev", project=tmp_path, command=str(engine))
    engine.write_text(f"#!/bin/sh\necho '{json.dumps(GOOD)}'\n")
    assert of_stack("dev", project=tmp_path, command=str(engine)).text("jujuToken") == "hush"


def test_without_the_engine_a_file_is_offered(tmp_path: Path) -> None:
    with pytest.raises(
        MissingProgramError, match=r"^`none` is missing; install none, or pass .* with --outputs FILE$"
    ):
        of_stack("dev", project=tmp_path, command="none")
