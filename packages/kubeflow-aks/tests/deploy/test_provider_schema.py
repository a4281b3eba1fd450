"""What Canonical's module sets is what the provider of the pinned version has, by the recorded schema."""

from __future__ import annotations

from typing import Any

import pytest

from tests.deploy import recorded
from tests.deploy.juju_provider import VERSION

_RESOURCES = recorded.resources()
_ROOT = f"{_RESOURCES['repository']}//{_RESOURCES['path']}"


def _uses() -> list[Any]:
    """Uses by the module and each charm's module: where it is, a type of resource, and the arguments that it sets."""
    resources = [
        pytest.param(kind, set(names), id=f"{_ROOT} {kind}")
        for kind, names in _RESOURCES["arguments"].items()
    ]
    charms = [
        pytest.param("juju_application", set(about["arguments"]), id=f"{about['module']} {name}")
        for name, about in _RESOURCES["applications"].items()
    ]
    return resources + charms


def _block(kind: str) -> dict[str, Any]:
    return recorded.provider_schema()["resource_schemas"][kind]["block"]


def _accepted(block: dict[str, Any], prefix: str = "") -> set[str]:
    """The arguments of a block, `charm.name` for one in a block in it; what only the provider sets is none."""
    arguments = {
        f"{prefix}{name}"
        for name, about in block.get("attributes", {}).items()
        if about.get("required") or about.get("optional")
    }
    return arguments.union(
        *(
            _accepted(nested["block"], f"{prefix}{name}.")
            for name, nested in block.get("block_types", {}).items()
        )
    )


@pytest.mark.parametrize(("kind", "arguments"), _uses())
def test_the_provider_has_every_argument(kind: str, arguments: set[str]) -> None:
    assert arguments - _accepted(_block(kind)) == set()


@pytest.mark.parametrize(("kind", "arguments"), _uses())
def test_what_the_provider_requires_is_set(kind: str, arguments: set[str]) -> None:
    required = {name for name, about in _block(kind)["attributes"].items() if about.get("required")}
    assert required - arguments == set()


@pytest.mark.parametrize(("kind", "arguments"), _uses())
def test_no_argument_is_deprecated(kind: str, arguments: set[str]) -> None:
    deprecated = {name for name, about in _block(kind)["attributes"].items() if about.get("deprecated")}
    assert arguments & deprecated == set()


@pytest.mark.parametrize("name", ["model_uuid", "charm.model", "model_type"])
def test_an_argument_that_the_provider_does_not_have_is_found(name: str) -> None:
    """The last is one that only the provider sets."""
    assert name not in _accepted(_block("juju_application"))


def test_the_schema_is_of_the_pinned_version() -> None:
    versions = recorded.parsed((recorded.ROOT / "versions.tf").read_text(encoding="utf-8"))["terraform"][0]
    assert versions["required_providers"][0]["juju"]["version"].strip('"') == f"= {VERSION}"
    assert recorded.provider_schema()["source"].startswith(f"juju/terraform-provider-juju {VERSION},")


def test_the_recorded_resources_are_of_the_module_that_the_root_calls() -> None:
    assert f"//{_RESOURCES['path']}?ref={_RESOURCES['commit']}" in recorded.modules_kubeflow().source


def test_every_application_of_the_module_is_one_that_the_root_can_pin() -> None:
    text = (recorded.ROOT / "main.tf").read_text(encoding="utf-8")
    listed = {name.strip('"') for name in recorded.parsed(text)["locals"][0]["applications"]}
    assert {name for name, about in _RESOURCES["applications"].items() if "count" not in about} == listed


def test_an_integration_is_between_applications_of_the_module() -> None:
    ends = {name for one, other, *_ in _RESOURCES["integrations"] for name, _ in (one, other)}
    assert ends - set(_RESOURCES["applications"]) == set()
