"""The differences between two values, by property path as the engine writes it."""

import re
from collections.abc import Iterator
from typing import Any, Final, cast

from kubeflow_aks.pull_request.observed import Difference

_STEP: Final = re.compile(r'\.?([^.\[\]]+)|\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]')
"""One step of a property path: `.name`, `[0]` or `["a.b/c"]`."""


def differences(path: str, before: Any, after: Any) -> Iterator[Difference]:
    """The differences between two values, by path; for providers that do not report them."""
    if isinstance(before, dict) and isinstance(after, dict):
        old, new = cast(dict[str, Any], before), cast(dict[str, Any], after)
        for key in [*old, *(key for key in new if key not in old)]:
            step = f"{path}.{key}".lstrip(".") if re.fullmatch(r"[^.\[\]\"]+", key) else f'{path}["{key}"]'
            if key not in new:
                yield Difference(step, "delete", old[key], None)
            elif key not in old:
                yield Difference(step, "add", None, new[key])
            else:
                yield from differences(step, old[key], new[key])
    elif before != after:
        yield Difference(path, "update", before, after)


def at(value: Any, path: str) -> Any:
    """The value at a property path; None where there is none."""
    for name, index, quoted in _STEP.findall(path):
        if index:
            items = cast(list[Any], value) if isinstance(value, list) else []
            value = items[int(index)] if int(index) < len(items) else None
        else:
            key = name or quoted.replace('\\"', '"').replace("\\\\", "\\")
            value = cast(dict[str, Any], value).get(key) if isinstance(value, dict) else None
    return value
