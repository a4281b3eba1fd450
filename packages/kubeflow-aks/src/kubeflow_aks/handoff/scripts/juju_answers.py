"""Reads answers of Juju, files of `--format json`, for the scripts beside it.

It runs wherever they are copied to, so it needs nothing but Python 3.9.
"""

from __future__ import annotations

import json
import sys
from typing import Any, cast

_SHOWN = 4
"""Applications that the line names."""


def progress(status: Any) -> tuple[bool, str]:
    """Whether all applications are active, and a line with their number and what the others wait for."""
    applications = _fields(_fields(status).get("applications"))
    waiting = [
        text for name, application in sorted(applications.items()) if (text := _waiting(name, application))
    ]
    active = len(applications) - len(waiting)
    line = f"{active} of {len(applications)} applications active"
    if waiting:
        more = f", and {len(waiting) - _SHOWN} more" if len(waiting) > _SHOWN else ""
        line = f"{line}; {', '.join(waiting[:_SHOWN])}{more}"
    return bool(applications) and not waiting, line


def local_records(cloud: str, controller: str, clouds: Any, credentials: Any, controllers: Any) -> list[str]:
    """What Juju keeps on this machine of a cloud and a controller, by its answers; each empty where there is none.

    Returns:
        Type of the cloud, type of the credential, id of the controller, its first address.
    """
    return [
        _text(clouds, cloud, "type"),
        _text(credentials, "client-credentials", cloud, "cloud-credentials", cloud, "auth-type"),
        _text(controllers, "controllers", controller, "uuid"),
        _text(controllers, "controllers", controller, "api-endpoints"),
    ]


def _text(answer: Any, *keys: str) -> str:
    """The text at a path of keys, of a list its first one; empty where there is none."""
    for key in keys:
        answer = _fields(answer).get(key)
    if isinstance(answer, list):
        answer = next(iter(cast("list[Any]", answer)), "")
    return answer if isinstance(answer, str) else ""


def models(answer: Any) -> list[str]:
    """The short names of `juju models`.

    Raises:
        ValueError: it lists none: after an error Juju prints `{}`.
    """
    listed = _fields(answer).get("models")
    if not isinstance(listed, list):
        raise ValueError("no list of models")  # noqa: TRY004 - of an answer, as json.load raises it
    return [_text(model, "short-name") for model in cast("list[Any]", listed)]


def applications(answer: Any) -> list[str]:
    """The names in `juju status`.

    Raises:
        ValueError: it lists none: a model that answers has at least an empty list.
    """
    listed = _fields(answer).get("applications")
    if not isinstance(listed, dict):
        raise ValueError("no list of applications")  # noqa: TRY004 - of an answer, as json.load raises it
    return list(cast("dict[str, Any]", listed))


def setting(answer: Any, option: str) -> str:
    """The value of an option in `juju config`.

    Raises:
        ValueError: the application has no such option.
    """
    options = _fields(_fields(answer).get("settings"))
    if option not in options:
        raise ValueError(f"no option {option}")
    return _text(options, option, "value")


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


def main(kind: str, *arguments: str) -> int:
    """Prints what the scripts need of an answer.

    That is how far a model is (`status FILE`), its applications (`applications FILE`), an option of one
    (`setting FILE OPTION`), a controller's models (`models FILE`), or what this machine keeps (`local`).

    Returns:
        0; 1 for a model that is not active yet, and for an answer that can't be read.
    """
    done = True
    try:
        if kind == "status":
            done, line = progress(_read(*arguments))
        elif kind == "models":
            line = "\n".join(models(_read(*arguments)))
        elif kind == "applications":
            line = "\n".join(applications(_read(*arguments)))
        elif kind == "setting":
            file, option = arguments
            line = setting(_read(file), option)
        else:
            cloud, controller, *files = arguments
            line = "\n".join(local_records(cloud, controller, *map(_read, files)))
    except ValueError:
        done, line = False, "no answer from Juju" if kind == "status" else ""
    print(line)
    return 0 if done else 1


def _read(file: str) -> Any:
    with open(file, encoding="utf-8") as text:  # noqa: PTH123 - pathlib takes longer to start than all of this
        return json.load(text)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
