"""Nothing secret stands in a plain place: no input, no output, no message."""

import base64
from collections.abc import Iterator
from typing import Any, cast

from kubeflow_aks.recorder.answers import JUJU_TOKEN
from kubeflow_aks.recorder.run import Record

KUBECONFIG_TOKEN = "recorded-kubeconfig-token"  # noqa: S105 - what the recorder answers
NEEDLES = [
    text
    for token in (KUBECONFIG_TOKEN, JUJU_TOKEN)
    for text in (token, base64.b64encode(token.encode()).decode())
]


def texts(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Every text inside a value, with its path."""
    if isinstance(value, dict):
        for key, item in cast(dict[str, Any], value).items():
            yield key, path
            yield from texts(item, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for index, item in enumerate(cast(list[Any], value)):
            yield from texts(item, f"{path}[{index}]")
    elif isinstance(value, str):
        yield value, path


def places(value: Any) -> set[str]:
    """Paths of the texts that hold a secret."""
    return {path for text, path in texts(value) if any(needle in text for needle in NEEDLES)}


def test_secrets_in_inputs_are_marked(up: Record) -> None:
    secrets = {urn: places(resource.inputs) for urn, resource in up.resources.items()}
    assert any(secrets.values())
    for urn, paths in secrets.items():
        assert paths <= up.resources[urn].secret_inputs


def test_the_kubeconfig_goes_to_the_provider_and_nowhere_else(up: Record) -> None:
    secrets = {resource.type: places(resource.inputs) for resource in up.resources.values()}
    assert {token: paths for token, paths in secrets.items() if paths} == {
        "pulumi:providers:kubernetes": {"kubeconfig"}
    }


def test_secrets_in_outputs_are_marked(up: Record) -> None:
    assert places(up.outputs) == up.secret_outputs == {"kubeconfig", "jujuToken"}


def test_secrets_in_outputs_of_components_are_marked(up: Record) -> None:
    assert any(places(outputs) for outputs in up.component_outputs.values())
    for urn, outputs in up.component_outputs.items():
        assert places(outputs) <= up.component_secrets[urn]


def test_secrets_are_marked_before_they_are_known(preview: Record) -> None:
    assert preview.secret_outputs == {"kubeconfig", "jujuToken"}
    assert "kubeconfig" in preview.one("pulumi:providers:kubernetes").secret_inputs


def test_messages_hold_no_secret(up: Record) -> None:
    assert places(list(up.messages)) == set()
