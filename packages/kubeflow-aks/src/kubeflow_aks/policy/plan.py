"""Reads the plan document of `kubeflow_aks.recorder.document` as resources for the rules."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, cast

from kubeflow_aks.exit_codes import InconclusiveError
from kubeflow_aks.policy.rule import STACK, UNKNOWN, Resource
from kubeflow_aks.project import COMMAND
from kubeflow_aks.recorder.document import SECRET, VERSION

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


class PlanError(InconclusiveError, ValueError):
    """A plan document cannot be read; the text is one line for the user."""


def read(path: Path) -> Mapping[str, Any]:
    """The plan document in a file.

    Raises:
        PlanError: it is missing, or not a plan document.
    """
    try:
        plan: Any = json.loads(path.read_bytes())
    except OSError as error:
        raise PlanError(f"{path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise PlanError(f"{path}: not JSON: {error}") from None
    if not isinstance(plan, dict) or cast(dict[str, Any], plan).get("version") != VERSION:
        raise PlanError(f"{path}: not a plan document of version {VERSION}; `{COMMAND} preview` writes one")
    document = cast(dict[str, Any], plan)
    _whole(document, _PLAN, f"{path}")
    _typed(document, {"stack": str, "resources": list, "outputs": dict}, f"{path}")
    for number, entry in enumerate(document["resources"]):
        _whole(entry, _RESOURCE, f"{path}: resources[{number}]")
        _typed(entry, {"type": str, "name": str, "inputs": dict}, f"{path}: resources[{number}]")
    return document


def everything(plan: Mapping[str, Any]) -> list[Resource]:
    """All resources of a plan document, and the stack itself with its outputs as inputs.

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
    """The resources of a plan document; unknown and secret values are `UNKNOWN`.

    Raises:
        PlanError: a resource lists an unknown or secret input that it does not have.
    """
    return [_resource(entry) for entry in planned]


def _whole(value: Any, keys: frozenset[str], where: str) -> None:
    if missing := keys - value.keys() if isinstance(value, dict) else keys:
        raise PlanError(f"{where}: missing {', '.join(sorted(missing))}")


def _typed(value: Mapping[str, Any], kinds: Mapping[str, type], where: str) -> None:
    for key, kind in kinds.items():
        if not isinstance(value[key], kind):
            raise PlanError(f"{where}: {key} is {_KINDS[type(value[key])]}; expected {_KINDS[kind]}")


def _resource(entry: Mapping[str, Any]) -> Resource:
    hidden = {*entry["unknownInputs"], *entry["secretInputs"]}
    seen: set[str] = set()
    inputs = _hidden(entry["inputs"], hidden, seen)
    inside = tuple(f"{path}{mark}" for path in seen for mark in ".[")  # a secret mapping hides its entries
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

    Paths are built as in `kubeflow_aks.recorder.monitor.Values` and compared, never parsed: a key may contain a dot. If
    two places have the same path, the value decides which one is hidden.
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
