"""What a live object is compared in, and in which words a difference is reported."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from kubeflow_aks.verify.comparison import differences, trial
from kubeflow_aks.verify.rights import registered_rights
from tests.verify import clusters as c

DEPLOYMENT: dict[str, Any] = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {
        "name": "a",
        "namespace": "b",
        "labels": {"app": "a"},
        "annotations": {"pulumi.com/skipAwait": "true"},
    },
    "spec": {
        "replicas": 1,
        "list": [1, 2],
        "containers": [{"name": "x", "env": [{"name": "K", "value": "1"}]}],
    },
}


def _edited(**paths: Any) -> dict[str, Any]:
    """The object with other values, by paths with `__` for each dot; None takes a value away."""
    live = deepcopy(DEPLOYMENT)
    for path, value in paths.items():
        *parents, last = path.split("__")
        part = live
        for key in parents:
            part = part[key]
        if value is None:
            del part[last]
        else:
            part[last] = value
    return live


@pytest.mark.parametrize(
    ("live", "expected"),
    [
        (_edited(), []),
        (_edited(metadata__annotations={"other": "x"}, status={"replicas": 0}), []),
        (
            _edited(metadata__labels={"app": "a", "b": "c"}),
            ["metadata.labels.b is set, which the stack leaves out"],
        ),
        (_edited(metadata__labels=None), ["metadata.labels.app is missing"]),
        (_edited(spec__replicas=0), ["spec.replicas is 0 instead of 1"]),
        (_edited(spec__list=[2]), ["spec.list lacks 1"]),
        (_edited(spec__list=[1, 2, 3]), ["spec.list has 1 value that the stack leaves out"]),
        (_edited(spec__list=[2, 1]), ["spec.list[0] is 2 instead of 1", "spec.list[1] is 1 instead of 2"]),
        (
            _edited(spec__containers=[{"name": "x", "env": [{"name": "K", "value": "secret"}]}]),
            ["spec.containers[x].env[K].value has another value"],
        ),
        (_edited(data={"key": "secret"}), ["data is set, which the stack leaves out"]),
    ],
)
def test_every_field_is_compared_but_for_what_controllers_write(live: Any, expected: list[str]) -> None:
    assert list(differences(DEPLOYMENT, live)) == expected


def test_no_secret_is_compared() -> None:
    secret = {"kind": "Secret", "metadata": {"name": "a"}, "type": "x", "data": {"token": "a"}}
    assert list(differences(secret, {**secret, "data": {"token": "b"}})) == []
    assert list(differences(secret, {**secret, "type": "y"})) == ["type is y instead of x"]


def test_a_dry_run_takes_no_name_that_an_object_has() -> None:
    made = trial({**DEPLOYMENT, "status": {}})
    assert made["metadata"] == {
        "namespace": "b",
        "labels": {"app": "a"},
        "annotations": {"pulumi.com/skipAwait": "true"},
        "generateName": "verify-",
    }
    assert made["spec"] == DEPLOYMENT["spec"]
    assert "status" not in made


def test_the_rights_of_programs_are_those_of_their_roles() -> None:
    rights = [(account, attributes) for account, attributes in registered_rights(c.registered())]
    handler = {"verb": "create", "resource": "pods", "subresource": "eviction"}
    assert ("kubeflow-aks/eviction-handler", handler) in rights
    inside = {"namespace": "kubeflow-aks-return-to-spot", "verb": "create", "resource": "pods"}
    assert ("kubeflow-aks/return-to-spot", inside) in rights
    # Juju's role is the cluster's own, and everybody's right to the contract has no service account.
    assert {account for account, _ in rights} == {
        "kubeflow-aks/eviction-handler",
        "kubeflow-aks/return-to-spot",
    }
