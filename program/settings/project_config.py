"""The `config:` block of Pulumi.yaml, generated from the models: type, description and default of each key."""

from collections.abc import Mapping
from datetime import date
from types import UnionType
from typing import Annotated, Any, Union, cast, get_args, get_origin

import yaml
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from program.settings.root import Settings

_BEGIN = """\
# Generated from program/settings/ by `make docs`; a stack that sets a key replaces its whole default.
config:
"""
_TYPES: Mapping[type, str] = {
    bool: "boolean",
    int: "integer",
    str: "string",
    date: "string",
    tuple: "array",
    dict: "object",
}
_LEFT_OUT: Mapping[str, object] = {"string": "", "object": {}}
"""What stands for "left out" in a key that may be: `program.settings.parse` takes it for null."""


def with_config(project_file: str) -> str:
    """The text of Pulumi.yaml with its `config:` block, the last of the file, written anew."""
    head = project_file.partition(_BEGIN)[0].rstrip("\n")
    return f"{head}\n{_BEGIN}{_block()}"


def _block() -> str:
    lines: list[str] = []
    for name, field in Settings.model_fields.items():
        lines.append(f"  {field.alias or name}:")
        for key, value in _declaration(field).items():
            flow = None if isinstance(value, dict) else False  # None: only innermost collections on one line
            text: str = yaml.safe_dump(
                {key: value}, sort_keys=False, allow_unicode=True, default_flow_style=flow, width=100
            )
            lines += [f"    {line}" for line in text.splitlines()]
    return "\n".join([*lines, ""])


def _declaration(field: FieldInfo) -> dict[str, Any]:
    kind = _pulumi_type(field.annotation)
    declaration: dict[str, Any] = {"type": kind, "description": field.description}
    if not field.is_required():
        default = plain_default(field)
        declaration["default"] = left_out_default(field) if default is None else default
    return declaration


def left_out_default(field: FieldInfo) -> object:
    """What stands for "left out" in Pulumi.yaml for a field whose default is null."""
    return _LEFT_OUT[_pulumi_type(field.annotation)]


def _pulumi_type(annotation: Any) -> str:
    """The type as Pulumi's project schema names it."""
    origin = get_origin(annotation)
    if origin in (Union, UnionType):
        return _pulumi_type(next(arm for arm in get_args(annotation) if arm is not type(None)))
    if origin is Annotated:
        return _pulumi_type(get_args(annotation)[0])
    python_type = origin or annotation
    return "object" if issubclass(python_type, BaseModel) else _TYPES[python_type]


def plain_default(field: FieldInfo) -> Any:
    """A default as YAML has it: of a group all that is not left out, of a map's entries what each sets."""
    value = field.get_default()
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", by_alias=True, exclude_none=True)
    if isinstance(value, dict):
        entries = cast(dict[str, BaseModel], value).items()
        return {
            name: entry.model_dump(mode="json", by_alias=True, exclude_unset=True) for name, entry in entries
        }
    return value
