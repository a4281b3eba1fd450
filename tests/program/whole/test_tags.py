"""The tags of a stack reach every resource of Azure that takes tags."""

from typing import Any

from kubeflow_aks.recorder.run import Record
from kubeflow_aks.recorder.sdk_types import check_resource
from tests.program.whole.records import recorded


def takes_tags(token: str) -> bool:
    """Whether the SDK's resource has a `tags` property; read from the SDK, so that a new resource is not forgotten."""
    return not any("tags: unknown property" in mistake for mistake in check_resource(token, {"tags": {}}))


def tagged(recording: Record) -> dict[str, Any]:
    """The tags of every taggable resource, by URN."""
    azure = [r for r in recording.resources.values() if r.type.startswith("azure-native:")]
    return {resource.urn: resource.inputs.get("tags") for resource in azure if takes_tags(resource.type)}


def test_every_taggable_resource_has_the_tags_of_the_stack(up: Record) -> None:
    by_type = tagged(up)
    assert len(by_type) > 8
    tags = by_type[next(urn for urn in by_type if ":ResourceGroup::" in urn)]
    assert {"owner", "environment"} <= set(tags)
    assert {urn: other for urn, other in by_type.items() if other != tags} == {}


def test_a_tag_that_a_stack_adds_reaches_them_all() -> None:
    assert {tags["costCentre"] for tags in tagged(recorded("prod")).values()} == {"4711"}


def test_what_takes_no_tags_is_known_as_such() -> None:
    assert not takes_tags("azure-native:authorization:RoleAssignment")
