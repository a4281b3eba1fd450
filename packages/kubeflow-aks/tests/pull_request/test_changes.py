"""From the engine's steps to changes, without an engine."""

from __future__ import annotations

from typing import Any

import pytest

from kubeflow_aks.local_aks.engine import Result, Step
from kubeflow_aks.local_aks.engine.results import Message
from kubeflow_aks.pull_request.changes import changes_of, plain, run_of, without_apparent_replacements
from kubeflow_aks.pull_request.differences import at, differences
from kubeflow_aks.pull_request.observed import SECRET, UNKNOWN, Difference
from kubeflow_aks.recorder.stack_files import ENCRYPTED

NOT_KNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
HIDDEN = {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "ciphertext": "[secret]"}
POOL = "azure-native:containerservice:AgentPool"
CLUSTER = "azure-native:containerservice:ManagedCluster"
ROLE = "azure-native:authorization:RoleAssignment"


def _step(op: str, name: str = "one", kind: str = POOL, **attributes: Any) -> Step:
    return Step(urn=f"urn:pulumi:dev::p::{kind}::{name}", type=kind, op=op, **attributes)


def _role(name: str, **attributes: Any) -> Step:
    before, after = {"principalId": "1", "scope": "a"}, {"principalId": NOT_KNOWN, "scope": "a"}
    differing = attributes.pop("differences", {"principalId": "update-replace"})
    return _step("replace", name, ROLE, old_inputs=before, inputs=after, differences=differing)


def test_what_is_secret_or_unknown_is_not_shown() -> None:
    value = {"a": HIDDEN, "b": [NOT_KNOWN, "x", {"c": HIDDEN}], "d": f"with {ENCRYPTED}", "e": 1}
    assert plain(value) == {"a": SECRET, "b": [UNKNOWN, "x", {"c": SECRET}], "d": SECRET, "e": 1}


def test_what_is_only_read_is_nothing_of_the_stack() -> None:
    read = run_of(Result("preview", {}, (_step("read", "theirs"), _step("same", "ours")), (), "", 1.0), {})
    assert [resource.name for resource in read.resources.values()] == ["ours"]


def test_a_replacement_is_one_change_with_what_forces_it() -> None:
    because = {"vmSize": "update-replace", "maxCount": "update"}
    steps = [
        _step(
            op,
            old_inputs={"vmSize": "D2", "maxCount": 1},
            inputs={"vmSize": "D4", "maxCount": 2},
            differences=because if op == "replace" else {},
        )
        for op in ("delete-replaced", "replace", "create-replacement")
    ]
    [change] = changes_of(steps, ())
    assert (change.action, change.forced_by, change.simulated) == ("replace", ("vmSize",), True)
    assert change.differences == (
        Difference("maxCount", "update", 1, 2),
        Difference("vmSize", "update", "D2", "D4"),
    )


def test_one_that_its_provider_does_not_explain_is_explained_by_its_keys_and_inputs() -> None:
    [change] = changes_of(
        [_step("replace", replace_keys=("size",), old_inputs={"size": 1}, inputs={"size": 2})], {POOL}
    )
    assert (change.forced_by, change.simulated) == (("size",), False)
    assert change.differences == (Difference("size", "update", 1, 2),)


def test_one_that_goes_before_it_is_made_anew_is_reported_by_what_it_will_be() -> None:
    old = {"size": 1, "zone": "a"}
    steps = [_step("delete-replaced", old_inputs=old)]
    steps += [
        _step(op, old_inputs=old, inputs={"size": 2, "zone": "a"}, replace_keys=("size",))
        for op in ("replace", "create-replacement")
    ]
    [change] = changes_of(steps, ())
    assert change.differences == (Difference("size", "update", 1, 2),)


def test_one_that_goes_with_what_is_replaced_and_is_not_made_anew_is_deleted() -> None:
    steps = [
        _step("delete-replaced", old_inputs={"size": 1}, differences={"parent": "update-replace"}),
        _step("remove-pending-replace", old_inputs={"size": 1}),
    ]
    [change] = changes_of(steps, ())
    assert (change.action, change.forced_by, change.differences) == ("delete", (), ())
    assert run_of(Result("preview", {}, tuple(steps), (), "", 0.0), {}).resources == {}


def test_what_stays_is_no_change_and_neither_is_the_stack() -> None:
    assert changes_of([_step("same"), _step("read"), _step("create", "s", "pulumi:pulumi:Stack")], ()) == ()


def test_role_assignments_that_only_look_replaced_are_left_out() -> None:
    other = _role("other", differences={"principalId": "update-replace", "scope": "update-replace"})
    changes = changes_of([_role("one"), other, _step("update")], ())
    left, only_look = without_apparent_replacements(changes)
    assert [change.name for change in left] == ["other", "one"]
    assert [change.type for change in left] == [ROLE, POOL]
    assert only_look == ("one",)


def test_those_of_a_cluster_that_is_made_anew_are_replaced_indeed() -> None:
    changes = changes_of([_role("one"), _step("replace", "c", CLUSTER)], ())
    assert without_apparent_replacements(changes) == (changes, ())


def test_a_known_principal_is_another_one_indeed() -> None:
    replaced = _step(
        "replace",
        "one",
        ROLE,
        old_inputs={"principalId": "1"},
        inputs={"principalId": "2"},
        differences={"principalId": "update-replace"},
    )
    changes = changes_of([replaced], ())
    assert without_apparent_replacements(changes) == (changes, ())


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("a.b", 1),
        ("list[1].c", 2),
        ('labels["app.kubernetes.io/name"]', 3),
        ('labels["a\\"b"]', 4),
        ("list[9].c", None),
        ("a.b.c", None),
    ],
)
def test_values_are_found_by_the_engines_paths(path: str, value: int | None) -> None:
    labels = {"app.kubernetes.io/name": 3, 'a"b': 4}
    assert at({"a": {"b": 1}, "list": [{}, {"c": 2}], "labels": labels}, path) == value


def test_paths_of_differences_lead_to_the_values() -> None:
    before = {"a": {"x.y": 1, "gone": 1, "same": 1}, "list": [1]}
    after = {"a": {"x.y": 2, "new": 1, "same": 1}, "list": [1, 2]}
    result = list(differences("", before, after))
    assert [(difference.path, difference.kind) for difference in result] == [
        ('a["x.y"]', "update"),
        ("a.gone", "delete"),
        ("a.new", "add"),
        ("list", "update"),
    ]
    assert all(
        (at(before, difference.path), at(after, difference.path)) == (difference.before, difference.after)
        for difference in result
    )


def test_a_run_has_what_is_there_afterwards_and_says_each_warning_once() -> None:
    steps = (
        _step("create", "p-dev", "pulumi:pulumi:Stack", outputs={"o": HIDDEN}),
        _step("create", "new", inputs={"a": 1}, protect=True),
        _step("delete", "gone"),
    )
    messages = (Message("warning", "", "w"), Message("warning", "", "w"), Message("error", "", "e"))
    run = run_of(Result("preview", {}, steps, messages, "", 1.0), {steps[1].urn: ["a"]})
    [new] = run.resources.values()
    assert (new.name, new.inputs, new.protect, new.ignore_changes) == ("new", {"a": 1}, True, ("a",))
    assert (run.outputs, run.warnings, run.failure) == ({"o": SECRET}, ("w",), "")
