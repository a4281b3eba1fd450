"""Whatever stands in a cluster's objects, every check ends with findings, each on one line."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kubeflow_aks.clients.kubernetes.objects import is_list, is_object
from kubeflow_aks.verify.checks import CHECKS
from kubeflow_aks.verify.findings import run_checks
from kubeflow_aks.verify.report import document, lines
from kubeflow_aks.verify.snapshot import ClusterSnapshot, Result
from tests.verify import clusters as c

_LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from(
        ["True", "Pending", "kubeflow", "general", "9999-99-99T99:99:99Z", "0001-01-01T00:00:00+14:00", "10m"]
    ),
)


def spoiled(value: object) -> st.SearchStrategy[Any]:
    """The value with parts of it missing or of another type."""
    other = st.one_of(
        _LEAVES, st.lists(_LEAVES, max_size=2), st.dictionaries(st.text(max_size=3), _LEAVES, max_size=2)
    )
    whole: st.SearchStrategy[Any]
    if is_object(value):
        whole = _object(value)
    elif is_list(value):
        whole = st.tuples(*(spoiled(part) for part in value)).map(list)
    else:
        whole = st.just(value)
    return st.sampled_from([True] * 9 + [False]).flatmap(lambda same: whole if same else other)


def _result(name: str) -> st.SearchStrategy[Any]:
    """What was read of one kind, spoiled; lists and objects stay such, as the client sees to it."""
    value = getattr(c.good(), name).value
    if is_list(value):
        return st.tuples(*(_object(obj) for obj in value)).map(lambda made: Result(list(made)))
    return _object(value).map(Result) if is_object(value) else st.just(Result(value))


def _object(obj: Any) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries({}, optional={key: spoiled(part) for key, part in obj.items()})


_READ = [
    field.name
    for field in fields(ClusterSnapshot)
    if field.name not in {"now", "limits", "guard", "endpoints", "objects", "rights"}
]
_KINDS = {obj.kind: obj for obj in c.stack_objects()}
_OBJECTS = st.tuples(
    *(
        _object(obj.live.required()).map(lambda live, obj=obj: replace(obj, live=Result(live)))
        for kind, obj in _KINDS.items()
        if kind in {"Deployment", "ClusterRole", "Namespace", "StorageClass", "ValidatingAdmissionPolicy"}
    )
)
_SEEN = st.builds(
    ClusterSnapshot,
    now=st.just(c.NOW),
    limits=st.dictionaries(st.just("general-0"), st.text(max_size=30).map(Result)),
    guard=st.just(c.good().guard),
    objects=_OBJECTS.map(lambda objects: Result(list(objects))),
    rights=st.just(c.good().rights),
    endpoints=st.fixed_dictionaries(
        {}, optional={"kubeflow": _object(c.endpoints("istiod")).map(lambda made: Result([made]))}
    ),
    **{name: _result(name) for name in _READ},
)


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
@given(_SEEN)
def test_odd_objects_end_in_findings(snapshot: ClusterSnapshot) -> None:
    findings = list(run_checks(CHECKS, snapshot, c.outputs()))
    assert {entry.check for entry in findings} == {entry.id for entry in CHECKS}
    assert not [finding for finding in findings if "\n" in finding.result.message]
    assert list(lines("dev", findings, 80))
    assert document("dev", findings)["findings"]
