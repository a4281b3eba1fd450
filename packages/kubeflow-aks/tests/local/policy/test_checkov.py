"""Checkov, an engine of others, judges every stack as our own rules do; `reading.yaml` explains each difference."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from kubeflow_aks.policy.benchmark import RULES
from kubeflow_aks.policy.plan import resources
from kubeflow_aks.policy.rule import Resource
from kubeflow_aks.recorder.document import plan_document
from kubeflow_aks.recorder.run import record
from kubeflow_aks.tools.errors import BuildError
from tests.policy.checkov.reading import Reading, expected, python, read
from tests.policy.checkov.template import write

_STACKS = ("dev", "demo", "prod")
_CLAIMED = {id_: rule for rule in RULES for id_ in rule.ids if id_.startswith("CKV")}
_EXPECTED = expected()


class _Stack(NamedTuple):
    written: int
    reading: Reading
    broken: frozenset[str]
    """Names of our rules that it breaks, for a reason or not."""


@pytest.fixture(scope="module")
def engine() -> Path:
    """Checkov's Python; without a package index the tests are skipped, and fail where CI requires the tools."""
    try:
        return python(print)
    except BuildError as error:
        if os.environ.get("KUBEFLOW_AKS_REQUIRE_TOOLS") == "1":
            pytest.fail(str(error))
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def stacks(engine: Path, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, _Stack]:
    """Every stack as both read it."""
    (home := tmp_path_factory.mktemp("checkov") / "home").mkdir()
    planned = {stack: plan_document(record(stack, preview=False))["resources"] for stack in _STACKS}
    folders = [home.with_name(stack) for stack in _STACKS]
    for folder in folders:
        folder.mkdir()
    written = [write(of, folder) for of, folder in zip(planned.values(), folders, strict=True)]
    broken = [_broken(resources(of)) for of in planned.values()]
    readings = read(engine, folders, home)
    return dict(zip(_STACKS, map(_Stack, written, readings, broken), strict=True))


def _broken(planned: list[Resource]) -> frozenset[str]:
    return frozenset(rule.name for rule in RULES if list(rule.violations(planned)))


def test_checkov_reads_all_of_a_stack_and_reaches_no_network(stacks: Mapping[str, _Stack]) -> None:
    for stack in stacks.values():
        assert (stack.reading.unreadable, stack.reading.refused) == (0, ())
        assert stack.reading.resources >= stack.written  # the pod of a DaemonSet counts once more


def test_every_check_is_known_here(stacks: Mapping[str, _Stack]) -> None:
    reported = {id_ for stack in stacks.values() for id_ in stack.reading.failed}
    assert reported == (_CLAIMED.keys() - _EXPECTED.unread) | _EXPECTED.unclaimed
    assert not _EXPECTED.unclaimed & _CLAIMED.keys()
    assert _EXPECTED.unread <= _CLAIMED.keys()


def test_no_check_fails_that_we_have_no_rule_for(stacks: Mapping[str, _Stack]) -> None:
    news = {
        (name, id_): where
        for name, stack in stacks.items()
        for id_, where in stack.reading.failed.items()
        if where and id_ not in _CLAIMED
    }
    assert news == {}


def test_verdicts_differ_only_as_listed(stacks: Mapping[str, _Stack]) -> None:
    different: dict[tuple[str, bool], set[str]] = {}
    for name, stack in stacks.items():
        for id_, where in stack.reading.failed.items():
            if id_ in _CLAIMED and bool(where) != (_CLAIMED[id_].name in stack.broken):
                different.setdefault((id_, bool(where)), set()).add(name)
    assert different == _EXPECTED.different
