"""The one place that reads Pulumi's configuration."""

import json
from contextlib import suppress
from dataclasses import replace
from difflib import get_close_matches
from typing import Any, NoReturn, cast

import pulumi
from pulumi.runtime import config

from components.arguments.mistakes import Mistake
from program.settings.parse import leaves
from program.settings.problems import ENCRYPTED, SettingsError

_TEXT_KEYS = {"location", "asOf", "created", "resourceGroup"}
"""Keys whose value is text even where it reads like JSON."""
_OTHERS = {"azure-native", "kubernetes", "pulumi"}
"""Namespaces that the providers of this program, and Pulumi itself, read."""
_ALIKE = 0.65
"""Share of equal letters from which on a namespace is taken for a misspelt project name (our choice)."""
_SHORTEST = 4
"""Characters of a secret text from which on it is looked for in messages; shorter ones are parts of words."""


def stack_values() -> dict[str, Any]:
    """Every value the current stack sets under the project's namespace, as JSON types; unknown keys included.

    So are keys, with their namespace, where that looks like the project's name. The CLI passes all of them on silently,
    and `pulumi.Config` cannot list keys, so the keys come from the runtime's own map
    (docs/facts/pulumi.md#configuration).

    Raises:
        SettingsError: the environment has a configuration that is no JSON mapping.
    """
    project = pulumi.get_project()
    values: dict[str, Any] = {}
    for key in sorted(_keys()):
        namespace, _, name = key.partition(":")
        if namespace == project:
            values[name] = from_text(name, config.get_config(key))
        elif namespace not in _OTHERS and get_close_matches(
            project.lower(), [namespace.lower()], cutoff=_ALIKE
        ):
            values[key] = from_text(name, config.get_config(key))
    return values


def refusal(error: SettingsError, stack: str) -> str:
    """The error message for a stack's mistakes, without the values of secrets."""
    hidden = [
        replace(problem, value=ENCRYPTED) if _is_secret(problem.key) else problem
        for problem in error.problems
    ]
    lines = without_secrets("\n".join(map(str, hidden)))
    return f"Pulumi.{stack}.yaml holds mistakes; nothing was created:\n{lines}"


def without_secrets(text: str) -> str:
    """A text in which the texts of secret values are masked."""
    secret: set[str] = set()
    with suppress(SettingsError):  # a configuration that can't be read has no secrets
        values = [value for key, value in stack_values().items() if _is_secret(key)]
        secret = {text for _, text in leaves(values) if isinstance(text, str)}
    for hidden in sorted(secret, key=len, reverse=True):
        text = text.replace(hidden, "[secret]") if len(hidden) >= _SHORTEST else text
    return text


def _keys() -> set[str]:
    environment: Any = None
    with suppress(ValueError):
        environment = config.get_config_env()
    if not isinstance(environment, dict):
        value = "the value of the environment"
        raise SettingsError(
            [Mistake("PULUMI_CONFIG", value, "a mapping in JSON; unset it, Pulumi sets it itself")]
        )
    return {*config.CONFIG.get(), *cast(dict[str, Any], environment)}


def _is_secret(key: str) -> bool:
    """Whether a setting is, or is part of, a secret value of the stack."""
    top = key if ":" in key else f"{pulumi.get_project()}:{key.partition('.')[0].partition('[')[0]}"
    return config.is_config_secret(top) or top in config.get_config_secret_keys_env()


def from_text(name: str, text: str) -> Any:
    """The value, JSON types, of a setting whose text Pulumi passes on; everything but text is JSON."""
    if name in _TEXT_KEYS:
        return text
    try:
        return json.loads(text, parse_constant=_no_json)
    except (ValueError, RecursionError):  # text; the models refuse it where they expect another type
        return text


def _no_json(word: str) -> NoReturn:
    """Refuses NaN and Infinity, which Python would read as numbers."""
    raise ValueError(word)
