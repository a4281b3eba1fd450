"""The page of settings, and Pulumi.yaml: generated from the models."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import yaml

from program.settings.project_config import plain_default, with_config
from program.settings.root import Settings

PAGE = Path("docs/reference/settings.md")
PROJECT_FILE = Path("Pulumi.yaml")

_HEAD = """\
# Settings

<!-- Generated from program/settings/ by `make docs`. -->

Each key of a `Pulumi.<stack>.yaml`, written there as `kubeflow-aks:<key>`. A stack states only what differs from the
defaults; of a group it may set single keys, of `pools` it sets the whole map. Before anything is created, every mistake
is reported at once: unknown keys, wrong types, and broken rules, but for a rule that needs a value which is itself
wrong or may be meant by an unknown key.

The column Source names a document of [the list of sources](../facts/sources.md) or a page of this repository, or is
`our choice`.
"""

Schema = dict[str, Any]
"""A node of a JSON Schema."""


Row = tuple[str, str, str, str, str, str]
"""One setting of the page's tables, as markdown."""
_COLUMNS: Row = ("Key", "Allowed", "Default", "Unit or form", "What it does", "Source")


def page() -> str:
    """The whole page."""
    root = Settings.model_json_schema(by_alias=True)
    groups = [key for key, field in _fields(root) if _model(root, field)]
    single = [row for key, _ in _fields(root) if key not in groups for row in _rows(root, root, key, key)]
    parts = [_HEAD, "## Single keys\n", _table(single)]
    for key in groups:
        parts += _section(root, key)
    return "\n".join(parts)


def generated(root: Path) -> dict[Path, str]:
    """The text of each generated file, by its path in the project."""
    project_file = (root / PROJECT_FILE).read_text(encoding="utf-8")
    return {PAGE: page(), PROJECT_FILE: with_config(project_file)}


def _section(root: Schema, key: str) -> Iterator[str]:
    field = root["properties"][key]
    model = cast(Schema, _model(root, field))
    is_map = "additionalProperties" in field
    path = f"{key}.<name>" if is_map else key
    yield f"## {key}\n"
    about = field.get("description", model["description"])
    if not model["description"].startswith(about.rstrip(".")):
        yield f"{about}\n"
    yield f"{model['description']}\n"
    yield _table(row for name, _ in _fields(model) for row in _rows(root, model, name, f"{path}.{name}"))
    if is_map and field["default"]:
        entries = {key: plain_default(Settings.model_fields[key])}
        yield f"Default:\n\n```yaml\n{yaml.safe_dump(entries, sort_keys=False)}```\n"


def _rows(root: Schema, owner: Schema, name: str, path: str) -> Iterator[Row]:
    """The row of a field, and where it is a group those of its fields."""
    field: Schema = owner["properties"][name]
    model = _model(root, field)
    required = name in owner.get("required", [])
    default = "required" if required else "" if model and field["default"] else _code(field["default"])
    about = field.get("description") or cast(Schema, model)["description"]
    allowed = "mapping" if model else _allowed(field)
    yield f"`{path}`", allowed, default, field["unit"], about.replace("<", "&lt;"), field["source"]
    path = f"{path}.<name>" if model and "additionalProperties" in field else path
    for inner, _ in _fields(model or {}):
        yield from _rows(root, cast(Schema, model), inner, f"{path}.{inner}")


def _fields(model: Schema) -> list[tuple[str, Schema]]:
    return list(cast(dict[str, Schema], model.get("properties", {})).items())


def _model(root: Schema, field: Schema) -> Schema | None:
    """The model that a field, or each entry of it where it is a map, is made of."""
    more = field.get("additionalProperties")
    arms: list[Schema] = [field, *field.get("anyOf", []), *([more] if isinstance(more, dict) else [])]
    reference = next((arm["$ref"] for arm in arms if "$ref" in arm), None)
    return root["$defs"][reference.rpartition("/")[2]] if reference else None


def _allowed(field: Schema) -> str:
    form = field.get("form", "")
    if arms := [arm for arm in field.get("anyOf", []) if arm.get("type") != "null"]:
        return " or ".join(_allowed({"form": form, **arm}) for arm in arms)
    if "enum" in field:
        return ", ".join(map(_code, field["enum"]))
    match field["type"]:
        case "array":
            most = f", up to {field['maxItems']}" if "maxItems" in field else ""
            return f"list of {_allowed(field['items'])}{most}"
        case "object":
            entry = field["additionalProperties"]
            return f"map to {'any value' if entry is True else _allowed(entry)}"
        case "integer" | "number":
            return ("whole number" if field["type"] == "integer" else "number") + _bounds(field)
        case "boolean":
            return "`true`, `false`"
        case _:
            return form.replace("<", "&lt;") or field.get("format", "text")


def _bounds(field: Schema) -> str:
    words = {"minimum": "from", "exclusiveMinimum": "above", "maximum": "to", "exclusiveMaximum": "below"}
    return "".join(f" {word} {field[limit]}" for limit, word in words.items() if limit in field)


def _code(value: Any) -> str:
    if value is None:
        return "left out"
    return f"`{value if isinstance(value, str) else json.dumps(value)}`"


def _table(rows: Iterator[Row] | Sequence[Row]) -> str:
    lines = [_COLUMNS, ["---"] * len(_COLUMNS), *rows]
    return "".join(f"| {' | '.join(map(_escaped, row))} |\n" for row in lines)


def _escaped(cell: str) -> str:
    return cell.replace("|", "\\|")
