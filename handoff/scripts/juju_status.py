"""How far a model is: reads `juju status --format json`, prints one line, and ends with 0 when everything is active.

It runs beside bootstrap.sh wherever that is copied to, so it needs nothing but Python.
"""

from __future__ import annotations

import json
import sys
from typing import Any

_SHOWN = 4
"""Applications that the line names."""


def progress(status: Any) -> tuple[bool, str]:
    """Whether all applications are active, and a line that says how many are, and what the others wait for."""
    found: Any = status.get("applications") if isinstance(status, dict) else None
    applications: dict[str, Any] = found if isinstance(found, dict) else {}
    waiting = [text for name, each in sorted(applications.items()) if (text := _waiting(name, each))]
    active = len(applications) - len(waiting)
    line = f"{active} of {len(applications)} applications active"
    if waiting:
        more = f", and {len(waiting) - _SHOWN} more" if len(waiting) > _SHOWN else ""
        line = f"{line}; {', '.join(waiting[:_SHOWN])}{more}"
    return bool(applications) and not waiting, line


def _waiting(name: str, application: Any) -> str:
    """What an application waits for; empty for one that is active."""
    state: Any = application.get("application-status") if isinstance(application, dict) else None
    if not isinstance(state, dict):
        return f"{name} (unknown)"
    if state.get("current") == "active":
        return ""
    message = " ".join(str(state.get("message") or "").split())
    return f"{name} ({state.get('current')}{f': {message}' if message else ''})"


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
