"""Everything that the components make for another team, by default and with every argument given.

A change shows as a diff to review: to a team that takes a new version it is a change of their cluster.
`--snapshot-update` accepts it.
"""

import ast
import importlib
import inspect
import json
import pkgutil
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

import pulumi
import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.json import JSONSnapshotExtension

import components
from components.package import COMPONENTS
from kubeflow_aks.recorder.run import Record, record
from tests.components import teams
from tests.components.teams import LEAST, MOST
from tests.golden import golden, short

TEAMS: Final = {"least": (LEAST, False), "most": (MOST, True)}
"""Arguments, and whether their stack is protected."""
PLACES: Final = {"resource_group_name", "resource_group_id", "location", "cluster"}
"""Arguments that the program itself gives."""


@pytest.fixture(scope="module")
def records() -> dict[str, Record]:
    """What each of the two teams' programs registers."""
    return {
        team: record("dev", program=partial(teams.made, team, arguments, protect=protect))
        for team, (arguments, protect) in TEAMS.items()
    }


@pytest.mark.parametrize("team", TEAMS)
def test_a_component_makes_what_it_did(
    records: dict[str, Record], team: str, snapshot: SnapshotAssertion
) -> None:
    record = records[team]
    outputs = {short(urn): values for urn, values in record.component_outputs.items()}
    secrets = {short(urn): sorted(paths) for urn, paths in record.component_secrets.items() if paths}
    made = {**golden(record), "outputs": outputs, "secretOutputs": secrets}
    assert made == snapshot(extension_class=JSONSnapshotExtension)


def test_every_component_is_made() -> None:
    assert set(LEAST) == set(MOST) == set(COMPONENTS)


def left_out(schema: dict[str, Any], kind: str, variants: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The properties of a type or a component that none of the given ones has, with those of their own types."""
    declared = schema["types"].get(kind) or schema["resources"][kind]
    for name, about in (declared.get("inputProperties") or declared["properties"]).items():
        names = {name, _snake(name)}  # the pool contract's keys are the same everywhere
        values = [value[key] for value in variants for key in names & set(value)]
        if not values and not names & PLACES:
            yield f"{kind.rpartition(':')[2]}.{name}"
        for nested in re.findall(r"#/types/([\w:-]+)", json.dumps(about)):
            if "enum" not in schema["types"][nested]:
                yield from left_out(
                    schema, nested, [part for value in values for part in parts(value, about)]
                )


def parts(value: Any, declared: Mapping[str, Any]) -> list[Any]:
    """The mappings of a type that a property has: itself, its items or its values."""
    if "additionalProperties" in declared:
        return list(value.values())
    return list(value) if "items" in declared else [value]


def _snake(name: str) -> str:
    return re.sub(r"([A-Z])", lambda match: f"_{match[1].lower()}", name)


def test_every_argument_is_given(schema: dict[str, Any]) -> None:
    """`MOST` in teams.py lacks those that this lists."""
    missing = [
        name
        for component, variants in MOST.items()
        for name in left_out(schema, f"kubeflow-aks:index:{component.__name__}", variants)
    ]
    assert missing == []


def kinds_made() -> Iterator[tuple[str, str]]:
    """Each module of the components with each type of resource, as the engine names it, whose class it calls."""
    for listed in pkgutil.walk_packages(components.__path__, "components."):
        if listed.name.endswith("__main__"):
            continue
        module = importlib.import_module(listed.name)
        for node in ast.walk(ast.parse(inspect.getsource(module))):
            called = resolved(module, node.func) if isinstance(node, ast.Call) else None
            kind: str | None = getattr(called, "pulumi_type", None)  # of the classes of providers' SDKs
            if kind and inspect.isclass(called) and issubclass(called, pulumi.CustomResource):
                yield listed.name, kind


def resolved(scope: object, expression: ast.expr) -> object:
    """What a name, or an attribute of one, means in a module; None for any other expression."""
    if isinstance(expression, ast.Name):
        return getattr(scope, expression.id, None)
    if isinstance(expression, ast.Attribute):
        return getattr(resolved(scope, expression.value), expression.attr, None)
    return None


def test_every_kind_of_resource_is_made(records: dict[str, Record]) -> None:
    """One that this lists needs an argument in teams.py that has it made, and a test of what it is for."""
    registered = {resource.type for record in records.values() for resource in record.resources.values()}
    called = set(kinds_made())
    assert len(called) > 20
    assert [(module, kind) for module, kind in sorted(called) if kind not in registered] == []
