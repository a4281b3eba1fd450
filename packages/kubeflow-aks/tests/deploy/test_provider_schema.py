"""What Canonical's module sets is what the provider of the pinned version has, by the recorded schema."""

from __future__ import annotations

from typing import Any

import pytest

from tests.deploy import recorded
from tests.deploy.recorded import Layout

LAYOUTS = [recorded.layout(name) for name in recorded.RELEASES]


def _uses() -> list[Any]:
    """Uses by a layout and its charms' modules: the schema of a type of resource, and the arguments that are set."""
    return [
        pytest.param(layout.schema["resource_schemas"][kind]["block"], set(names), id=f"{where} {kind}")
        for layout in LAYOUTS
        for where, kind, names in (
            *((layout.release.layout, kind, names) for kind, names in layout.resources["arguments"].items()),
            *(
                (f"{about['module']} {name}", "juju_application", about["arguments"])
                for name, about in layout.resources["applications"].items()
                if "module" in about
            ),
        )
    ]


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


@pytest.mark.parametrize(("block", "arguments"), _uses())
def test_the_provider_has_every_argument(block: dict[str, Any], arguments: set[str]) -> None:
    assert arguments - _accepted(block) == set()


@pytest.mark.parametrize(("block", "arguments"), _uses())
def test_what_the_provider_requires_is_set(block: dict[str, Any], arguments: set[str]) -> None:
    required = {name for name, about in block["attributes"].items() if about.get("required")}
    assert required - arguments == set()


@pytest.mark.parametrize(("block", "arguments"), _uses())
def test_no_argument_is_deprecated(block: dict[str, Any], arguments: set[str]) -> None:
    deprecated = {name for name, about in block["attributes"].items() if about.get("deprecated")}
    assert arguments & deprecated == set()


@pytest.mark.parametrize("name", ["model_uuid", "charm.model", "model_type"])
def test_an_argument_that_the_provider_does_not_have_is_found(name: str) -> None:
    """The last is one that only the provider sets."""
    assert name not in _accepted(LAYOUTS[0].schema["resource_schemas"]["juju_application"]["block"])


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.release.release)
def test_an_integration_is_between_applications_of_the_module(layout: Layout) -> None:
    ends = {name for one, other, *_ in layout.resources["integrations"] for name, _ in (one, other)}
    assert ends - set(layout.resources["applications"]) == set()
