"""Checks pods against Kubernetes' own strict schema, in which an unknown field is a mistake."""

from __future__ import annotations

import difflib
import functools
import importlib.resources
import importlib.util
import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from ckf_spot.kinds.fields import Json, shown
from ckf_spot.kinds.katib import PLACEHOLDER

KUBERNETES: Final = "1.33"
"""The newest release that Charmed Kubeflow 1.11 supports (its release notes)."""
_DEFAULTED: Final = ("onPodConditions", "status")
"""The schema calls it required, but the API server fills it in before it looks (Kubernetes, "Pod failure policy")."""
_PACKAGE: Final = "kubernetes_validate"


def available() -> bool:
    """Whether the package with the schemas is there: the extra `validate`."""
    return importlib.util.find_spec(_PACKAGE) is not None


def template_problems(template: Mapping[str, Any], where: str) -> list[str]:
    """What Kubernetes would drop or refuse in a pod's template, one mistake a line."""
    return _problems("podtemplatespec-v1", template, where)


def job_problems(job: Mapping[str, Any], where: str) -> list[str]:
    """What Kubernetes would drop or refuse in a Job, down to its pods.

    Args:
        job: the Job.
        where: its path in the document; empty where it is the document.
    """
    return _problems("job-batch-v1", job, where)


def _problems(schema: str, instance: Mapping[str, Any], where: str) -> list[str]:
    errors: Any = sorted(
        _validator(schema).iter_errors(instance), key=lambda error: [*map(str, error.absolute_path)]
    )
    lines: dict[str, None] = {}
    for error in errors:
        path = where + "".join(
            f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.absolute_path
        )
        if not (isinstance(error.instance, str) and error.instance.startswith(PLACEHOLDER)):
            lines |= dict.fromkeys(line.removeprefix(".") for line in _lines(error, path))
    return list(lines)


def _lines(error: Any, path: str) -> Iterator[str]:
    """An error of the schema in our words."""
    match error.validator:
        case "additionalProperties":
            known = list(error.schema["properties"])
            for key in error.instance:
                if key not in known:
                    alike = difflib.get_close_matches(str(key), known, 1)
                    yield f"{path}.{key}: unknown field; " + (
                        f"did you mean {alike[0]!r}?" if alike else "Kubernetes has none like it"
                    )
        case "required":
            step = next((each for each in reversed(error.absolute_path) if isinstance(each, str)), "")
            for key in error.validator_value:
                if key not in error.instance and (step, key) != _DEFAULTED:
                    yield f"{path}.{key} is missing"
        case "enum":
            allowed = ", ".join(map(str, error.validator_value))
            yield f"{path}: {shown(error.instance)} is not allowed; expected {allowed}"
        case "type":
            yield f"{path}: {shown(error.instance)} is not allowed; expected {_type(error.validator_value)}"
        case "oneOf":
            allowed = " or ".join(_type(each.get("type", "")) for each in error.validator_value)
            yield f"{path}: {shown(error.instance)} is not allowed; expected {allowed}"
        case _:
            yield f"{path}: {error.message}"


def _type(found: str | list[str]) -> str:
    names = [found] if isinstance(found, str) else [each for each in found if each != "null"]
    return " or ".join(
        {"object": "a map", "array": "a list", "string": "a text", "integer": "a whole number"}.get(
            name, f"a {name}"
        )
        for name in names
    )


@functools.cache
def _validator(name: str) -> Any:
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - comes with the extra
    from referencing import Registry, Resource  # noqa: PLC0415

    versions = importlib.resources.files(_PACKAGE) / "kubernetes-json-schema"
    folder = next(
        each
        for each in versions.iterdir()
        if each.name.startswith(f"v{KUBERNETES}.") and each.name.endswith("-strict")
    )
    schema, definitions = (_read(folder / f"{file}.json") for file in (name, "_definitions"))
    registry: Any = Registry().with_resources(
        (each["$id"], Resource.from_contents(each)) for each in (schema, definitions)
    )
    return Draft202012Validator(schema, registry=registry)


def _read(file: Any) -> Json:
    return json.loads(file.read_text(encoding="utf-8"))
