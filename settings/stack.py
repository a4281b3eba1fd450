"""The one place that reads Pulumi's configuration."""

import json
from typing import Any

import pulumi
from pulumi.runtime import config

_TEXT_KEYS = {"location", "asOf", "created"}
"""Keys whose value is text even where it reads like JSON."""


def stack_values() -> dict[str, Any]:
    """Every value the current stack sets under the project's namespace, as JSON types; unknown keys included.

    The CLI passes unknown keys on without a word, and `pulumi.Config` cannot list keys, so the keys come from the
    runtime's own map (docs/facts/pulumi.md#configuration).
    """
    project = pulumi.get_project()
    keys = {*config.CONFIG.get(), *config.get_config_env()}
    own = sorted(key.removeprefix(f"{project}:") for key in keys if key.startswith(f"{project}:"))
    return {key: _value(key) for key in own}


def _value(key: str) -> Any:
    text = pulumi.Config().require(key)
    if key in _TEXT_KEYS:
        return text
    try:
        return json.loads(text)
    except ValueError:  # text; the models refuse it where they expect another type
        return text
