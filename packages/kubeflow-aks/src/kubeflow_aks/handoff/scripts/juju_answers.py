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


def release(answer: Any, charms: Any) -> list[str]:
    """What a model has of a release, by `juju status` and the release's charms.

    Returns:
        `yes` where `modules/kubeflow` deployed it, with a database for each of Kubeflow Pipelines and Katib; then the
        applications on other tracks than the release's, as a text; each empty otherwise.
    """
    listed = _fields(_fields(answer).get("applications"))
    before = "yes" if "kfp-db" in listed else ""
    others = [
        f"{name} {channel}"
        for name, about in sorted(listed.items())
        if (target := _text(charms, _text(about, "charm-name"), "channel"))
        and (channel := _text(about, "charm-channel")).partition("/")[0] != target.partition("/")[0]
    ]
    more = f", and {len(others) - _SHOWN} more" if len(others) > _SHOWN else ""
    return [before, ", ".join(others[:_SHOWN]) + more]


def refreshes(answer: Any, charms: Any) -> list[str]:
    """The applications that are behind a release, in the order of its charms: each with the channel that it gets.

    An application on the release's channel is behind where its revision is older than the release's.
    """
    return [
        f"{name} {_text(target, 'channel')} {_text(about, 'charm-channel') or 'no-channel'}"
        for charm, target in _fields(charms).items()
        for name, about in sorted(_fields(_fields(answer).get("applications")).items())
        if _text(about, "charm-name") == charm
        and (
            _text(about, "charm-channel") != _text(target, "channel")
            or _number(about, "charm-rev") < _number(target, "revision")
        )
    ]


def _number(fields: Any, key: str) -> int:
    value = _fields(fields).get(key)
    return value if isinstance(value, int) else 0


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
    (`setting FILE OPTION`), what it has of a release (`release FILE CHARMS`), what is behind one (`refreshes FILE
    CHARMS`), a controller's models (`models FILE`), or what this machine keeps (`local`).

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
        elif kind in {"release", "refreshes"}:
            applications(_read(arguments[0]))
            read = release if kind == "release" else refreshes
            line = "\n".join(read(*map(_read, arguments)))
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
