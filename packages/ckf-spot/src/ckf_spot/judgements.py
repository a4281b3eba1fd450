"""What is judged of each field that can keep a pod from starting, from ending or from starting again.

`judgements.csv` has a row for every field of a pod and of the kinds of work that are placed, by the schema that has it
(a kind, or a part that several kinds share) and its path, in which lists are left out and `*` is any
other key:

- `judged`: `place`, `doctor` and `where` look at its value, and say so only where it matters;
- `refused`: `place` refuses it;
- `not judged`: nobody looks at its value, so it is named where it is set;
- `harmless`: it keeps no pod from anything, or does so on every node alike, such as an image that is not there;
- `as SCHEMA`: the fields below it are that schema's; `as kind`: those of the kind that it names itself. A row without a
  field is for all fields that the schema has no other row for.

A row with `when` is harmless with any other value: `= true`, or `!= linux`; several values are separated by `|`.
"""

import csv
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from ckf_spot import yaml_text
from ckf_spot.errors import PlacementError
from ckf_spot.fields import Object

TABLE: Final = Path(__file__).with_name("judgements.csv")
NOT_JUDGED: Final = "not judged"
REFUSED: Final = "refused"
_AS: Final = "as "
_KIND: Final = "kind"
_OF_OBJECTS: Final = {"apiVersion": "", _KIND: "", "metadata": "ObjectMeta", "status": ""}
"""Fields of every object, with their schemas; those without one keep no pod from anything."""
_EMPTY: Final[tuple[Any, ...]] = (None, "", {}, [])
"""Values that the API server takes for a field that is left out."""


@dataclass(frozen=True)
class Row:
    """A row of the table.

    Attributes:
        schema: what has the field.
        field: its path; empty: all fields that have no other row.
        keeps_from: `start`, `end` and `restart`, as far as the field can keep a pod from it, separated by spaces.
        judgement: see above.
        when: values with which it can.
        reason: how it can, or what is looked at.
    """

    schema: str
    field: str
    keeps_from: str
    judgement: str
    when: str
    reason: str

    @property
    def inner(self) -> str:
        """The schema of the fields below; empty where the row is for the field itself."""
        return self.judgement.removeprefix(_AS) if self.judgement.startswith(_AS) else ""

    def concerns(self, value: object) -> bool:
        """Whether the field can keep a pod from anything with that value."""
        operator, _, values = self.when.partition(" ")
        text = str(value).lower() if isinstance(value, bool) else str(value)
        return not operator or (text in values.split("|")) == (operator == "=")


UNKNOWN: Final = Row("", "", "start end restart", NOT_JUDGED, "", "it is not known here")
"""The row of a field that the table does not have, as one of a newer release."""


@dataclass(frozen=True)
class Field:
    """A field that is set in a document.

    Attributes:
        path: where.
        value: its value.
        row: of the table, or `UNKNOWN`.
    """

    path: str
    value: Any
    row: Row

    @property
    def unjudged(self) -> bool:
        """Whether it can keep a pod from something, and nobody looks at it."""
        return self.row.judgement == NOT_JUDGED and self.row.concerns(self.value)


def fields(schema: object, value: object, path: str = "") -> Iterator[Field]:
    """The fields that are set, with their rows; malformed parts are passed over.

    Args:
        schema: kind of a document, or another schema of the table; without fields where the table does not have it.
        value: the document, or a part of it that has this schema.
        path: the part's.
    """
    if isinstance(schema, str) and schema in table():
        yield from _fields(schema, "", value, path)


def names(schema: str, above: str = "") -> tuple[str, ...]:
    """Names of the fields that a schema has, or that it has below a path."""
    rows, start = table()[schema], f"{above}." if above else ""
    below = (
        field.removeprefix(start).partition(".")[0] for field in rows if field and field.startswith(start)
    )
    return (*dict.fromkeys(below), *(names(rows[""].inner, above) if "" in rows else ()))


def names_that_keep_from(what: str, schema: str) -> tuple[str, ...]:
    """Names of a schema's fields that, or parts of which, can keep a pod from `start`, `end` or `restart`."""
    rows = table()[schema].values()
    return (*dict.fromkeys(row.field.partition(".")[0] for row in rows if what in row.keeps_from.split()),)


def unjudged(document: Object) -> list[Field]:
    """The known fields of an object that can keep its pods from something, and that nobody judges."""
    every = fields(str(document.get(_KIND)), document)
    return [field for field in every if field.unjudged and field.row is not UNKNOWN]


def lines(several: Iterable[Field]) -> list[str]:
    """Fields that nobody judges, a line for each reason."""
    paths: dict[str, list[str]] = {}
    for field in several:
        paths.setdefault(field.row.reason, []).append(field.path)
    return [
        f"{first}{f' and {len(more)} more' if more else ''} is not judged: {reason}"
        for reason, (first, *more) in paths.items()
    ]


@cache
def table() -> Mapping[str, Mapping[str, Row]]:
    """The rows by schema and field."""
    rows: dict[str, dict[str, Row]] = {}
    with TABLE.open(encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file):
            rows.setdefault(line["schema"], {})[line["field"]] = Row(**line)
    return rows


def _fields(schema: str, above: str, value: Any, path: str) -> Iterator[Field]:
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield from _fields(schema, above, item, f"{path}[{number}]")
    for key, part in value.items() if isinstance(value, Mapping) else ():
        here = f"{path}.{key}".removeprefix(".")
        if not above and key in _OF_OBJECTS and _KIND in value:
            yield from _inner(_OF_OBJECTS[key], part, here)
            continue
        if part in _EMPTY:
            continue
        owner, name, row = _row(schema, f"{above}{key}", f"{above}*")
        if row or not owner:
            yield Field(here, part, row or UNKNOWN)
        if row and row.inner:
            yield from _inner(row.inner, part, here)
        elif owner and not row:
            yield from _fields(owner, f"{name}.", part, here)


def _inner(schema: str, value: Any, path: str) -> Iterator[Field]:
    if isinstance(value, str):
        value = _parsed(value)
    yield from fields(
        value.get(_KIND, "") if schema == _KIND and isinstance(value, Mapping) else schema, value, path
    )


def _row(schema: str, *names: str) -> tuple[str, str, Row | None]:
    """The schema that has a field, its name there, and its row; without a row where only fields below it have one."""
    rows = table()[schema]
    for name in names:
        if name in rows or any(field.startswith(f"{name}.") for field in rows):
            return schema, name, rows.get(name)
    return _row(rows[""].inner, *names) if "" in rows else ("", "", None)


def _parsed(text: str) -> Any:
    """A part that is written as a text, such as a patch; None where it can't be read before the work runs."""
    try:
        return yaml_text.parse(text, "")
    except PlacementError:
        return None
