"""Checks pods against Kubernetes' own strict schema, in which an unknown field is a mistake."""

import dataclasses
import functools
import importlib.resources
import importlib.util
import json
import re
from collections.abc import Iterator
from typing import Any, Final

from ckf_spot.errors import ABSENT, Mistake, missing, refusal
from ckf_spot.fields import Json, Object, misspelt, similar, unknown

TEMPLATE: Final = "podtemplatespec-v1"
"""Schema of a pod's template."""
_DEFAULTED: Final = ("onPodConditions", "status")
"""The schema calls it required, but the API server fills it in before it looks (Kubernetes, "Pod failure policy")."""
PLACEHOLDER: Final = "${trialParameters."
"""Start of what Katib replaces by a trial's value, whatever the type of the field."""
_RELEASE: Final = re.compile(r"v?1\.(\d{1,3})(?:[.+-].*)?")
_AHEAD: Final = 6
"""Releases that may have come since the newest schema: those of two years, at three a year."""
_PACKAGE: Final = "kubernetes_validate"


def available() -> bool:
    """Whether the package with the schemas is there: the extra `validate`."""
    return importlib.util.find_spec(_PACKAGE) is not None


def minor(release: object) -> int:
    """The N of a release of Kubernetes, `1.N` or `v1.N.3`.

    Raises:
        PlacementError: it is none.
    """
    match = _RELEASE.fullmatch(release) if isinstance(release, str) else None
    if not match:
        raise refusal("kubernetes", release, "expected 1.N, such as 1.34")
    return int(match[1])


def check_release(release: object) -> None:
    """Refuses what is no release that there may be by now.

    Raises:
        PlacementError: it is none, or none yet.
    """
    if available() and minor(release) > (last := max(_folders()) + _AHEAD):
        raise refusal("kubernetes", release, f"expected 1.N up to 1.{last}, or leave it out")


def problems(
    schema: str, instance: Object, where: str, release: str | None, *, keeps: bool = False
) -> list[Mistake]:
    """What Kubernetes would drop or refuse.

    Args:
        schema: name of the schema's file, such as `job-batch-v1`.
        instance: what should follow it.
        where: its path in the document; empty where it is the document.
        release: of the cluster, such as `1.34`; None: not known, so what the newest one would refuse.
        keeps: whether what takes the instance keeps fields that Kubernetes does not know, so that one which is not
            misspelt does no harm.
    """
    newest = max(_folders())
    release_minor = newest if release is None else minor(release)
    validator = _validator(schema, min(newest, max(release_minor, min(_folders()))))
    errors: Any = sorted(validator.iter_errors(instance), key=lambda error: [*map(str, error.absolute_path)])
    unsure = keeps or release_minor > newest
    mistakes: list[Mistake] = []
    for error in errors:
        steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.absolute_path)
        path = f"{where}{''.join(steps)}"
        if not (isinstance(error.instance, str) and error.instance.startswith(PLACEHOLDER)):
            mistakes += _mistakes(error, path, unsure=unsure)
    return [dataclasses.replace(mistake, path=mistake.path.removeprefix(".")) for mistake in mistakes]


def _mistakes(error: Any, path: str, *, unsure: bool) -> Iterator[Mistake]:
    """An error of the schema in our words; `unsure`: an unknown field may be right."""
    match error.validator:
        case "additionalProperties":
            fields = list(error.schema["properties"])
            for key in error.instance:
                if key not in fields:
                    hint = similar(str(key), fields) or ("" if unsure else "Kubernetes has none like it")
                    yield unknown(f"{path}.{key}", hint)
        case "required":
            step = next((part for part in reversed(error.absolute_path) if isinstance(part, str)), "")
            present = {*error.instance, *misspelt(error.instance, error.schema.get("properties", ()))}
            for key in error.validator_value:
                if key not in present and (step, key) != _DEFAULTED:
                    yield missing(f"{path}.{key}")
        case "enum":
            yield Mistake(path, error.instance, f"expected {', '.join(map(str, error.validator_value))}")
        case "type":
            yield Mistake(path, error.instance, f"expected {_type(error.validator_value)}")
        case "oneOf":
            allowed = " or ".join(_type(form.get("type", "")) for form in error.validator_value)
            yield Mistake(path, error.instance, f"expected {allowed}")
        case _:
            yield Mistake(path, ABSENT, "", error.message)


def _type(kinds: str | list[str]) -> str:
    names = [kinds] if isinstance(kinds, str) else [kind for kind in kinds if kind != "null"]
    return " or ".join(
        {"object": "a map", "array": "a list", "string": "a text", "integer": "a whole number"}.get(
            name, f"a {name}"
        )
        for name in names
    )


@functools.cache
def _folders() -> dict[int, Any]:
    """The folders of strict schemas, by the N of their release 1.N."""
    releases = importlib.resources.files(_PACKAGE) / "kubernetes-json-schema"
    return {minor(folder.name): folder for folder in releases.iterdir() if folder.name.endswith("-strict")}


@functools.cache
def _validator(name: str, release: int) -> Any:
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - comes with the extra
    from referencing import Registry, Resource  # noqa: PLC0415

    folder = _folders()[release]
    schema, definitions = (_read(folder / f"{file}.json") for file in (name, "_definitions"))
    registry: Any = Registry().with_resources(
        (document["$id"], Resource.from_contents(document)) for document in (schema, definitions)
    )
    return Draft202012Validator(schema, registry=registry)


def _read(file: Any) -> Json:
    return json.loads(file.read_text(encoding="utf-8"))
