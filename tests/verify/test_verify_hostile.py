"""Whatever stands in a cluster's objects, every check ends with findings, each on one line."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kube.objects import is_list, is_object
from tests.verify import clusters as c
from verify.checks import CHECKS
from verify.findings import judged
from verify.report import document, lines
from verify.seen import Answer, Seen

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


def _answer(name: str) -> st.SearchStrategy[Any]:
    """What was read of one kind, spoiled; lists and objects stay such, as the client sees to it."""
    found = getattr(c.good(), name).found
    if is_list(found):
        return st.tuples(*(_object(each) for each in found)).map(lambda made: Answer(list(made)))
    return _object(found).map(Answer)


def _object(found: Any) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries({}, optional={key: spoiled(part) for key, part in found.items()})


_READ = [each.name for each in fields(Seen) if each.name not in {"now", "limits", "guard"}]
_SEEN = st.builds(
    Seen,
    now=st.just(c.NOW),
    limits=st.dictionaries(st.just("general-0"), st.text(max_size=30).map(Answer)),
    guard=st.just(c.good().guard),
    **{name: _answer(name) for name in _READ},
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
@given(_SEEN)
def test_odd_objects_end_in_findings(seen: Seen) -> None:
    found = list(judged(CHECKS, seen, c.outputs()))
    assert {each.check for each in found} == {each.id for each in CHECKS}
    assert not [each for each in found if "\n" in each.told.sentence]
    assert list(lines("dev", found, 80))
    assert document("dev", found)["findings"]
