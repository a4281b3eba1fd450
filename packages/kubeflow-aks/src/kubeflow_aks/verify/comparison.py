"""Compares a live object with the same one as the API server would make it from what the program registered.

A server-side apply, with which `kubectl diff` compares, leaves alone what others have added to an object: a `paused`,
one more condition of a policy, the namespaces that its binding leaves out. So the registered object is created in a dry
run, which gives it the API server's defaults, and every field of both is compared (tests/local/verify plays it).
"""

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from kubeflow_aks.clients.kubernetes.objects import Object, at, drop, fields, is_list, is_object
from kubeflow_aks.text.numbers import counted
from kubeflow_aks.text.sentences import one_line

ADDITION: Final = "the stack leaves out"
"""Words at the end of each difference that others have added, which no apply of the engine takes away."""
_LONGEST: Final = 60
_NOT_COMPARED: Final = {"apiVersion", "kind", "metadata", "status"}
_WRITTEN_BY_CONTROLLERS: Final = {"Secret": {"data"}, "ServiceAccount": {"secrets", "imagePullSecrets"}}
"""Fields by kind; the data of a Secret is compared by no one, so that none of it is ever printed."""
_PRIVATE: Final = re.compile(r"data\.|.*\.env\[")
"""Beginning of paths to values that somebody may have put a secret into."""
_LABELS_OF_CONTROLLERS: Final = (
    "kubernetes.io/metadata.name",
    "kubernetes.io/legacy-token-last-used",
    "kubernetes.io/legacy-token-invalid-since",
)
"""Labels of namespaces, and of token Secrets (kubernetes.io, "Well-Known Labels, Annotations and Taints")."""
_ENGINES: Final = "pulumi.com/"
"""Prefix of annotations that steer the engine."""


def trial(registered: Object) -> Object:
    """The registered object under a name that no object has."""
    metadata = {
        key: value
        for key in ("namespace", "labels", "annotations")
        if (value := at(registered, "metadata", key))
    }
    rest = {key: value for key, value in registered.items() if key not in ("metadata", "status")}
    return {**rest, "metadata": {**metadata, "generateName": "verify-"}}


def differences(expected: Object, live: Object) -> Iterator[str]:
    """What differs in a live object, field by field, such as `spec.replicas is 0 instead of 1`.

    Metadata is compared in labels, and in those annotations that are expected: controllers add their own.
    """
    left_out = _NOT_COMPARED | _WRITTEN_BY_CONTROLLERS.get(str(expected.get("kind")), set())
    for path, part in (("metadata.labels", "labels"), ("metadata.annotations", "annotations")):
        yield from _compared(path, _metadata(expected, part), _metadata(live, part))
    for key in sorted((expected.keys() | live.keys()) - left_out):
        yield from _compared(key, expected.get(key), live.get(key))


def _metadata(obj: Object, part: str) -> Object:
    values = dict(fields(at(obj, "metadata", part)))
    for label in _LABELS_OF_CONTROLLERS:
        drop(values, label)
    return values


def _compared(path: str, expected: Any, live: Any) -> Iterator[str]:
    if is_object(expected) and is_object(live):
        keys = expected.keys() if path.endswith(".annotations") else expected.keys() | live.keys()
        for key in sorted(key for key in keys if not key.startswith(_ENGINES)):
            yield from _compared(f"{path}.{key}", expected.get(key), live.get(key))
    elif is_list(expected) and is_list(live):
        yield from _compared_lists(path, expected, live)
    elif live is None and expected is not None:
        yield f"{path} is missing"
    elif expected is None and live is not None:
        yield f"{path} is set, which {ADDITION}"
    elif expected != live:
        yield f"{path} {_difference(path, expected, live)}"


def _compared_lists(path: str, expected: list[Any], live: list[Any]) -> Iterator[str]:
    """Entries by their names where all have one, else by their places."""
    here, there = _by_name(expected), _by_name(live)
    if len(here) == len(expected) and len(there) == len(live):
        for name in sorted(here.keys() | there.keys()):
            yield from _compared(f"{path}[{name}]", here.get(name), there.get(name))
    elif len(expected) == len(live):
        for place, (one, other) in enumerate(zip(expected, live, strict=True)):
            yield from _compared(f"{path}[{place}]", one, other)
    else:
        yield from (f"{path} lacks {_shown(entry)}" for entry in expected if entry not in live)
        if more := sum(entry not in expected for entry in live):
            yield f"{path} has {counted(more, 'value')} that {ADDITION}"


def _difference(path: str, expected: Any, live: Any) -> str:
    """The words between the path of a field and its end; values that may be secret are left out."""
    if isinstance(expected, str) and isinstance(live, str) and "\n" in expected + live:
        return f"differs from line {_first_other_line(expected, live)} on"
    if _PRIVATE.match(path):
        return "has another value"
    return f"is {_shown(live)} instead of {_shown(expected)}"


def _by_name(entries: list[Any]) -> dict[str, Any]:
    names = ((at(entry, "name"), entry) for entry in entries)
    return {name: entry for name, entry in names if isinstance(name, str)}


def _first_other_line(one: str, other: str) -> int:
    lines, others = one.splitlines(), other.splitlines()
    same = (number for number, (a, b) in enumerate(zip(lines, others, strict=False)) if a != b)
    return next(same, min(len(lines), len(others))) + 1


def _shown(value: Any) -> str:
    return one_line(value if isinstance(value, str) else json.dumps(value, default=str), _LONGEST)
