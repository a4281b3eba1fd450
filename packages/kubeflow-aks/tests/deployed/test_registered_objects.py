"""What of a stack's state is a whole object that the program makes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kubeflow_aks.deployed.errors import StackError
from kubeflow_aks.deployed.state import objects

MAP = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "b"}}


def _file(folder: Path, *resources: dict[str, Any], stack: str = "dev") -> Path:
    file = folder / "state.json"
    root = {
        "urn": f"urn:pulumi:{stack}::aks::pulumi:pulumi:Stack::aks-{stack}",
        "type": "pulumi:pulumi:Stack",
    }
    file.write_text(json.dumps({"deployment": {"resources": [root, *resources]}}), encoding="utf-8")
    return file


def _resource(type_: str = "kubernetes:core/v1:ConfigMap", **more: Any) -> dict[str, Any]:
    return {"urn": f"urn:pulumi:dev::aks::{type_}::a", "type": type_, "inputs": MAP, **more}


def test_only_whole_objects_that_the_program_makes_are_registered(tmp_path: Path) -> None:
    file = _file(
        tmp_path,
        _resource(),
        _resource(external=True),
        _resource(delete=True),
        _resource("kubernetes:core/v1:ConfigMapPatch"),
        _resource("pulumi:providers:kubernetes"),
        _resource("azure-native:containerservice:ManagedCluster"),
        _resource(inputs=None),
    )
    assert objects("dev", file, None) == [MAP]


def test_a_state_of_another_stack_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StackError, match="not a state of stack prod"):
        objects("prod", _file(tmp_path, _resource()), None)


def test_the_state_is_read_by_the_cli_where_there_is_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = _file(tmp_path, _resource()).read_text(encoding="utf-8")
    program = tmp_path / "pulumi"
    program.write_text(
        f"#!/bin/sh\ntest \"$1 $2 $3 $4\" = 'stack export --stack dev' && cat <<'E'\n{content}\nE\n"
    )
    program.chmod(0o755)
    (tmp_path / "Pulumi.yaml").write_text("name: aks\nruntime: python\n")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert objects("dev", None, tmp_path) == [MAP]
