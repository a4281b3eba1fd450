"""From the plan document of `recorder.document` to the resources that rules look at."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, cast

from policy.rule import STACK, UNKNOWN, Resource
from recorder.document import SECRET, VERSION

_PLAN: Final = frozenset({"stack", "resources", "outputs", "secretOutputs", "unknownOutputs"})
_RESOURCE: Final = frozenset({"urn", "type", "name", "inputs", "secretInputs", "unknownInputs", "options"})
_KINDS: Final[Mapping[type, str]] = {
    str: "text",
    list: "a list",
    dict: "an object",
    int: "a number",
    float: "a number",
    bool: "true or false",
    type(None): "null",
}


class PlanError(ValueError):
    """A plan document cannot be read; the text is one line for the user."""


def read(path: Path) -> Mapping[str, Any]:
    """The plan document in a file.

    Raises:
        PlanError: it is not there, or no plan document.
    """
    try:
        plan: Any = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise PlanError(f"{path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise PlanError(f"{path}: not JSON: {error}") from None
    if not isinstance(plan, dict) or cast(dict[str, Any], plan).get("version") != VERSION:
        raise PlanError(f"{path}: no plan document of version {VERSION}, as `make preview` writes it")
    found = cast(dict[str, Any], plan)
    _whole(found, _PLAN, f"{path}")
    _typed(found, {"stack": str, "resources": list, "outputs": dict}, f"{path}")
    for number, entry in enumerate(found["resources"]):
        _whole(entry, _RESOURCE, f"{path}: resources[{number}]")
        _typed(entry, {"type": str, "name": str, "inputs": dict}, f"{path}: resources[{number}]")
    return found


def everything(plan: Mapping[str, Any]) -> list[Resource]:
    """All that a plan document asks for: its resources, and the stack itself with its outputs as inputs.

    Raises:
        PlanError: as `resources` does.
    """
    outputs: dict[str, Any] = {
        "urn": f"stack::{plan['stack']}",
        "type": STACK,
        "name": plan["stack"],
        "inputs": plan["outputs"],
        "secretInputs": plan["secretOutputs"],
        "unknownInputs": plan["unknownOutputs"],
        "options": {},
    }
    return resources([outputs, *plan["resources"]])


def resources(planned: Iterable[Mapping[str, Any]]) -> list[Resource]:
    """The resources of a plan document; what is unknown or secret is `UNKNOWN` to every rule.

    Raises:
        PlanError: a resource names an unknown or secret input that it does not have.
    """
    return [_resource(entry) for entry in planned]


def _whole(found: Any, keys: frozenset[str], where: str) -> None:
    if missing := keys - found.keys() if isinstance(found, dict) else keys:
        raise PlanError(f"{where}: it lacks {', '.join(sorted(missing))}")


def _typed(found: Mapping[str, Any], kinds: Mapping[str, type], where: str) -> None:
    for key, kind in kinds.items():
        if not isinstance(found[key], kind):
            raise PlanError(f"{where}: its {key} is {_KINDS[type(found[key])]}, not {_KINDS[kind]}")


def _resource(entry: Mapping[str, Any]) -> Resource:
    hidden = {*entry["unknownInputs"], *entry["secretInputs"]}
    seen: set[str] = set()
    inputs = _hidden(entry["inputs"], hidden, seen)
    inside = tuple(
        f"{path}{mark}" for path in seen for mark in ".["
    )  # of a secret mapping nothing else is shown
    if lost := sorted(path for path in hidden - seen if not path.startswith(inside)):
        raise PlanError(f"{entry['urn']}: no hidden input {', '.join(lost)}")
    options: Mapping[str, Any] = entry["options"]
    return Resource(
        urn=entry["urn"],
        type=entry["type"],
        name=entry["name"],
        inputs=inputs,
        secret_inputs=frozenset(entry["secretInputs"]),
        protect=bool(options.get("protect")),
        ignore_changes=frozenset(cast(Sequence[str], options.get("ignoreChanges", ()))),
    )


def _hidden(value: Any, hidden: Collection[str], seen: set[str], path: str = "") -> Any:
    """A value with `UNKNOWN` at the hidden paths.

    Paths are built as `recorder.monitor.Values` builds them and compared, never taken apart: a key may hold a dot.
    Where two places have one path, the value tells which is meant.
    """
    if path in hidden and value in (None, SECRET):
        seen.add(path)
        return UNKNOWN
    if isinstance(value, dict):
        items = cast(dict[str, Any], value).items()
        return {key: _hidden(item, hidden, seen, f"{path}.{key}" if path else key) for key, item in items}
    if isinstance(value, list):
        entries = enumerate(cast(list[Any], value))
        return [_hidden(item, hidden, seen, f"{path}[{number}]") for number, item in entries]
    return value
