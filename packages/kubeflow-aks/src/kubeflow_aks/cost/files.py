"""Files of other programs as input of a bill: validated by their model, with one line for each mistake."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final, TypeVar, cast

from pydantic import BaseModel, ValidationError

from kubeflow_aks.cost.figures import CostError
from kubeflow_aks.text.columns import cut

Form = TypeVar("Form", bound=BaseModel)

_LONGEST: Final = 80
"""Letters of a wrong value that are shown."""
_EXPECTED: Final = {
    "tuple_type": "a list",
    "list_type": "a list",
    "dict_type": "an object",
    "model_type": "an object",
    "model_attributes_type": "an object",
    "string_type": "text",
    "float_type": "a number",
    "bool_type": "true or false",
    **dict.fromkeys(
        (
            "datetime_type",
            "datetime_parsing",
            "datetime_from_date_parsing",
            "timezone_aware",
            "datetime_object_invalid",
        ),
        "a time as 2026-11-22T12:00:00Z",
    ),
    **dict.fromkeys(
        ("date_type", "date_parsing", "date_from_datetime_parsing", "date_from_datetime_inexact"),
        "a day as 2026-11-22",
    ),
}
"""What pydantic expects, by its type of mistake."""


def load(path: Path, form: type[Form], wrote: str) -> Form:
    """The content of a JSON file; `wrote` names the origin of such files in messages: what `…` wrote.

    Raises:
        CostError: it can't be read, or has another form; one line for each mistake.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise CostError(f"{path} can't be read: {error.strerror}") from None
    try:
        return form.model_validate_json(data.decode(json.detect_encoding(data)))
    except UnicodeDecodeError:
        raise CostError(f"{path.name} is not JSON; expected {wrote}") from None
    except ValidationError as error:
        raise CostError(*dict.fromkeys(_lines(error, path.name, wrote))) from None


def _lines(error: ValidationError, name: str, wrote: str) -> Iterator[str]:
    for mistake in error.errors(include_url=False):
        path = ".".join(str(part) for part in mistake["loc"])
        key = f"{name}: {path}" if path else name
        kind, message = mistake["type"], mistake["msg"]
        if kind == "json_invalid":
            yield f"{name} is not JSON; expected {wrote}"
        elif not path and kind in {"model_type", "model_attributes_type"}:
            yield f"{name} has no report in it; expected {wrote}"
        elif kind == "missing":
            yield f"{key} is missing; expected {wrote}"
        elif kind == "backwards":
            yield f"{key}: {message}"
        else:
            shown = cast(object, mistake["input"])
            text = repr(shown) if isinstance(shown, str | int | float | None) else type(shown).__name__
            expected = _EXPECTED.get(kind) or message.removeprefix("Input should be ").replace(
                "String should have", "text of"
            )
            yield f"{key}: {cut(text, _LONGEST)} is not allowed; expected {expected}"
