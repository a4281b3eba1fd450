"""From a plan document to the resources that rules look at: nothing hidden is lost, nothing secret is seen."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import pulumi
import pytest

from kubeflow_aks.policy.plan import PlanError, everything, read, resources
from kubeflow_aks.policy.rule import STACK, UNKNOWN
from kubeflow_aks.recorder.document import plan_document
from kubeflow_aks.recorder.run import record
from kubeflow_aks.recorder.stack_files import stack_names

_ROOT = Path(__file__).resolve().parents[4]


def _planned(**more: Any) -> dict[str, Any]:
    empty: dict[str, Any] = {"unknownInputs": [], "secretInputs": [], "options": {}}
    return {"urn": "urn:a", "type": "pool", "name": "a", "inputs": {}, **empty, **more}


def _unknowns(value: Any, path: str = "") -> Iterator[str]:
    if value is UNKNOWN:
        yield path
    elif isinstance(value, Mapping):
        for key, item in cast(Mapping[str, Any], value).items():
            yield from _unknowns(item, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for number, item in enumerate(cast(list[Any], value)):
            yield from _unknowns(item, f"{path}[{number}]")


@pytest.mark.parametrize("stack", stack_names(_ROOT))
def test_every_hidden_path_of_a_real_plan_is_found_again(stack: str) -> None:
    plan = plan_document(record(stack, preview=True, extra={"asOf": "2026-11-21"}))
    assert sum(len(it["unknownInputs"]) for it in plan["resources"]) > 20
    for planned, resource in zip(plan["resources"], resources(plan["resources"]), strict=True):
        assert {*_unknowns(resource.inputs)} == {*planned["unknownInputs"], *planned["secretInputs"]}
        assert resource.protect == bool(planned["options"].get("protect"))
        assert resource.ignore_changes == {*planned["options"].get("ignoreChanges", [])}


def test_keys_with_dots_and_entries_of_lists_are_found() -> None:
    inputs = {
        "labels": {"a.b/c": None, "a": {"b/c": "kept"}},
        "rules": [{"to": ["x", None]}],
        "token": "[secret]",
    }
    hidden = {"unknownInputs": ["labels.a.b/c", "rules[0].to[1]"], "secretInputs": ["token"]}
    (resource,) = resources([_planned(inputs=inputs, **hidden)])
    assert resource.inputs["labels"]["a.b/c"] is UNKNOWN
    assert resource.inputs["labels"]["a"] == {"b/c": "kept"}
    assert resource.inputs["rules"][0]["to"][0] == "x"
    assert resource.inputs["rules"][0]["to"][1] is UNKNOWN
    assert resource.inputs["token"] is UNKNOWN
    assert resource.secret_inputs == {"token"}


def test_what_is_unknown_inside_a_secret_is_not_missed() -> None:
    hidden = {"unknownInputs": ["data.key"], "secretInputs": ["data"]}
    (resource,) = resources([_planned(inputs={"data": "[secret]"}, **hidden)])
    assert resource.inputs == {"data": UNKNOWN}


def test_a_path_that_leads_nowhere_is_refused() -> None:
    with pytest.raises(PlanError, match="urn:a: no hidden input b, c"):
        resources([_planned(inputs={"a": None, "c": 3}, unknownInputs=["b", "c"])])


def test_the_stack_itself_is_judged_by_its_outputs(tmp_path: Path) -> None:
    def program() -> None:
        pulumi.export("token", "plain")
        pulumi.export("kubeconfig", pulumi.Output.secret("hidden"))

    (tmp_path / "Pulumi.yaml").write_text("name: test\nruntime: python\n")
    (tmp_path / "Pulumi.test.yaml").write_text("")
    plan = plan_document(record("test", root=tmp_path, preview=True, program=program))
    (resource,) = everything(plan)
    assert (resource.type, resource.inputs) == (STACK, {"kubeconfig": UNKNOWN, "token": "plain"})


def _document(**parts: Any) -> str:
    whole: dict[str, Any] = {"version": 1, "stack": "a", "resources": [], "outputs": {}}
    return json.dumps({**whole, "secretOutputs": [], "unknownOutputs": [], **parts})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON: "),
        ("[]", "not a plan document of version 1; `./kubeflow-aks preview` writes one"),
        ('{"version": 2}', "not a plan document of version 1; `./kubeflow-aks preview` writes one"),
        ("[" * 100_000, "not JSON: "),
        ('{"version": 1, "stack": ' + "9" * 5000 + "}", "not JSON: "),
        (_document(resources=1), "resources is a number; expected a list"),
        (_document(outputs=[]), "outputs is a list; expected an object"),
        (_document(stack=None), "stack is null; expected text"),
        (
            _document(resources=[{**_planned(), "inputs": "x"}]),
            "resources[0]: inputs is text; expected an object",
        ),
        (
            _document(resources=[{**_planned(), "type": True}]),
            "resources[0]: type is true or false; expected text",
        ),
        ('{"version": 1, "stack": "a"}', "missing outputs, resources, secretOutputs, unknownOutputs"),
    ],
)
def test_a_file_that_is_no_plan_is_reported(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "plan.json"
    path.write_text(text)
    with pytest.raises(PlanError) as refused:
        read(path)
    assert str(refused.value).startswith(f"{path}: {message}")


def test_a_resource_without_a_type_is_reported(tmp_path: Path) -> None:
    bad = _planned()
    del bad["type"]
    plan: dict[str, Any] = {"version": 1, "stack": "dev", "resources": [bad]}
    (tmp_path / "plan.json").write_text(
        json.dumps(plan | {"outputs": {}, "secretOutputs": [], "unknownOutputs": []})
    )
    with pytest.raises(PlanError, match=r"resources\[0\]: missing type"):
        read(tmp_path / "plan.json")


def test_a_plan_is_read_as_it_was_written(tmp_path: Path) -> None:
    plan: dict[str, Any] = {"version": 1, "stack": "dev", "resources": [_planned()]}
    plan |= {"outputs": {}, "secretOutputs": [], "unknownOutputs": []}
    (tmp_path / "plan.json").write_text(json.dumps(plan))
    assert read(tmp_path / "plan.json") == plan
