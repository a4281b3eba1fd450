"""Putting a result together from the engine's events."""

from __future__ import annotations

from typing import Any

from pulumi.automation.events import EngineEvent

from kubeflow_aks.local_aks.engine.results import Message, Recording, Result, Step

URN = "urn:pulumi:test::project::a:b:C::thing"


def _recorded(*events: dict[str, Any]) -> Recording:
    recording = Recording()
    for event in events:
        recording(EngineEvent.from_json(event))  # pyright: ignore[reportUnknownMemberType]
    return recording


def _metadata(op: str, **more: Any) -> dict[str, Any]:
    return {"metadata": {"op": op, "urn": URN, "type": "a:b:C", "provider": "", **more}}


def _result(steps: list[Step], messages: list[Message] | None = None) -> Result:
    return Result("up", {}, tuple(steps), tuple(messages or []), "", 0)


def test_a_step_has_its_differences_and_what_forces_a_replacement() -> None:
    difference = {"vmSize": {"diffKind": "update-replace", "inputDiff": True}}
    begun = _metadata("create-replacement", keys=["vmSize"], detailedDiff=difference)
    [step] = _recorded({"resourcePreEvent": begun}).steps
    expected = Step(
        URN, "a:b:C", "create-replacement", replace_keys=("vmSize",), differences={"vmSize": "update-replace"}
    )
    assert step == expected
    assert step.name == "thing"


def test_a_step_is_done_when_its_outputs_are_there() -> None:
    events = {"resourcePreEvent": _metadata("create")}, {"resOutputsEvent": _metadata("create")}
    assert [step.done for step in _recorded(*events[:1]).steps] == [False]
    assert [step.done for step in _recorded(*events).steps] == [True]


def test_a_component_that_finishes_twice_is_one_step() -> None:
    done = {"resOutputsEvent": _metadata("create")}
    assert len(_recorded({"resourcePreEvent": _metadata("create")}, done, done).steps) == 1


def test_the_steps_of_a_replacement_stay_apart() -> None:
    ops = ["create-replacement", "replace", "delete-replaced"]
    events = [{kind: _metadata(op)} for op in ops for kind in ("resourcePreEvent", "resOutputsEvent")]
    assert [(step.op, step.done) for step in _recorded(*events).steps] == [(op, True) for op in ops]


def test_a_refreshed_resource_has_the_differences_found() -> None:
    steps = _recorded(
        {"resourcePreEvent": _metadata("refresh")}, {"resOutputsEvent": _metadata("update")}
    ).steps
    assert [(step.op, step.done) for step in steps] == [("update", True)]


def test_the_engines_sum_is_kept_by_its_own_words() -> None:
    changes = {"create": 2, "same": 1}
    assert _recorded({"summaryEvent": {"resourceChanges": changes}}).changes == changes


def test_warnings_and_errors_are_kept_and_chatter_is_not() -> None:
    severities = ["info", "warning", "error", "info#err"]
    events = [
        {"diagnosticEvent": {"message": f"{word}\n", "severity": word, "urn": URN}} for word in severities
    ]
    messages = _recorded(*events).messages
    assert messages == [Message("warning", URN, "warning"), Message("error", URN, "error")]
    assert _result([], messages).errors() == ("error",)


def test_only_steps_that_change_something_count_as_changes() -> None:
    steps = [Step(URN, "a:b:C", op) for op in ("same", "read", "refresh", "update", "delete")]
    assert [step.op for step in _result(steps).changed()] == ["update", "delete"]
