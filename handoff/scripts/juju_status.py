"""How far a model is: reads `juju status --format json`, prints one line, and ends with 0 when everything is active.

It runs beside bootstrap.sh wherever that is copied to, so it needs nothing but Python.
"""

from __future__ import annotations

import json
import sys
from typing import Any, cast

_SHOWN = 4
"""Applications that the line names."""


def progress(status: Any) -> tuple[bool, str]:
    """Whether all applications are active, and a line that says how many are, and what the others wait for."""
    applications = _fields(_fields(status).get("applications"))
    waiting = [text for name, each in sorted(applications.items()) if (text := _waiting(name, each))]
    active = len(applications) - len(waiting)
    line = f"{active} of {len(applications)} applications active"
    if waiting:
        more = f", and {len(waiting) - _SHOWN} more" if len(waiting) > _SHOWN else ""
        line = f"{line}; {', '.join(waiting[:_SHOWN])}{more}"
    return bool(applications) and not waiting, line


def _waiting(name: str, application: Any) -> str:
    """What an application waits for; empty for one that is active."""
    state = _fields(_fields(application).get("application-status"))
    current = state.get("current", "unknown")
    if current == "active":
        return ""
    message = " ".join(str(state.get("message") or "").split())
    return f"{name} ({current}{f': {message}' if message else ''})"


def _fields(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def main() -> int:
    """Reads standard input."""
    try:
        done, line = progress(json.load(sys.stdin))
    except ValueError:
        done, line = False, "Juju does not say how far it is"
    print(line)
    return 0 if done else 1


if __name__ == "__main__":
    sys.exit(main())
