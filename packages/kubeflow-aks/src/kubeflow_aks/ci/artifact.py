"""The artifact of a preview, regarded as hostile: the code of a pull request made it, and anybody can open one.

Nothing is unpacked to disk and nothing is run; it holds a document, from which this tree's own code writes the comment.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NoReturn, cast

import jsonschema

from kubeflow_aks.json_values import entries, is_mapping
from kubeflow_aks.project import is_stack_name
from kubeflow_aks.pull_request.report import SCHEMA, ChangeDocument

PREFIX: Final = "preview-"
"""Begins the name of the artifact of one stack."""
MOST_PACKED: Final = 5_000_000
_MOST_DOCUMENT: Final = 20_000_000
_MOST_NUMBER: Final = 20
_MOST_DEPTH: Final = 60
_NUMBER: Final = "pull-request"


class ArtifactError(Exception):
    """An artifact is not what our workflow makes; the text is one line for the user and quotes nothing of it."""


@dataclass(frozen=True)
class Preview:
    """One stack's artifact; it fits the schema, but nothing proves that it is true.

    Attributes:
        number: the pull request that it names.
        document: what `kubeflow_aks/pull_request/report/change.schema.json` describes.
    """

    stack: str
    number: int
    document: ChangeDocument


def stack_of(name: str) -> str | None:
    """The stack that an artifact is of, by its name; None for one that is not ours."""
    stack = name.removeprefix(PREFIX)
    return stack if stack != name and is_stack_name(stack) else None


def preview(stack: str, archive: bytes) -> Preview:
    """Reads the artifact of one stack, a zip file.

    Raises:
        ArtifactError: it holds anything else than it should.
    """
    names = {f"{stack}.json": _MOST_DOCUMENT, _NUMBER: _MOST_NUMBER}
    try:
        texts = _texts(archive, names)
    except ArtifactError:
        raise
    except Exception as error:  # a broken archive makes zipfile and each codec raise what they like
        raise ArtifactError("can't be read as a zip file of UTF-8 texts") from error
    number = texts[_NUMBER].strip()
    if not (number.isascii() and number.isdecimal()):
        raise ArtifactError(f"{_NUMBER}: expected a number")
    document = _document(texts[f"{stack}.json"])
    if document["stack"] != stack:
        raise ArtifactError(f"{stack}.json: is of another stack")
    return Preview(stack, int(number), document)


def _texts(archive: bytes, names: Mapping[str, int]) -> dict[str, str]:
    """The files of these names; each is read up to its limit, whatever size the archive declares."""
    texts: dict[str, str] = {}
    with zipfile.ZipFile(io.BytesIO(archive)) as packed:
        entries = packed.infolist()
        listed = [entry.filename for entry in entries]
        if len(entries) > len(names):
            raise ArtifactError("holds more files than it should")
        if sorted(listed) != sorted(names):
            raise ArtifactError(f"expected the files {' and '.join(names)}")
        for name, most in names.items():
            with packed.open(name) as file:
                content = file.read(most + 1)
            if len(content) > most:
                raise ArtifactError(f"{name}: has more than {most} bytes")
            texts[name] = content.decode()
    return texts


def _document(text: str) -> ChangeDocument:
    try:
        document: dict[str, Any] = json.loads(text, parse_constant=_no_number)
        jsonschema.validate(document, json.loads(SCHEMA.read_text(encoding="utf-8")))
        if _deeper(document, _MOST_DEPTH):
            raise ArtifactError("the document is too deep")
    except (ValueError, RecursionError) as error:
        raise ArtifactError("the document is no JSON") from error
    except jsonschema.ValidationError as error:
        where = "/".join(str(part) for part in list(error.absolute_schema_path)[-4:])
        raise ArtifactError(f"the document does not fit the schema ({where})") from error
    return cast(ChangeDocument, document)


def _deeper(value: Any, most: int) -> bool:
    """Whether a value is nested more than `most` times; nothing that reads it later shall run out of stack."""
    inside = list(value.values()) if is_mapping(value) else entries(value)
    return most < 0 or any(_deeper(one, most - 1) for one in inside)


def _no_number(_: str) -> NoReturn:
    raise ValueError("no JSON number")
