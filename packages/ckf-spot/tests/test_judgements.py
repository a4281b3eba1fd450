"""The table of what is judged, against the schemas of Kubernetes and Katib.

Those of the other operators are held against it by packages/kubeflow-aks/tests/local/crds/test_judgements.py.
"""

import functools
import json
from collections.abc import Iterator
from importlib.resources import files
from typing import Any, Final

import pytest
from kubeflow_katib_api.models import V1beta1Experiment

from ckf_spot import judgements

KINDS: Final = {
    "Pod": "pod-v1",
    "PodTemplate": "podtemplate-v1",
    "Job": "job-batch-v1",
    "CronJob": "cronjob-batch-v1",
    "LimitRange": "limitrange-v1",
    "ResourceQuota": "resourcequota-v1",
}
"""Kinds of Kubernetes, with the files of their schemas."""
PARTS: Final = ("ObjectMeta", "PodTemplateSpec", "PodSpec", "Affinity", "Container", "Volume")
KEEPS_FROM: Final = {"start", "end", "restart"}


KEYS: Final = ("cpu", "memory", "nvidia.com/gpu", "kueue.x-k8s.io/queue-name")
"""Keys of maps for which the table has rows of their own."""
RELEASES: Final = range(33, 38)
"""Kubernetes 1.33, the oldest that a cluster may have, to the newest whose schemas are known here."""


@functools.cache
def schema(name: str, release: int) -> Any:
    """A schema of a release of Kubernetes."""
    folder = files("kubernetes_validate") / f"kubernetes-json-schema/v1.{release}.0-local-strict"
    return json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))


def filled(part: Any, definitions: Any) -> Any:
    """A value with all fields that a schema has."""
    if "$ref" in part:
        return filled(definitions[part["$ref"].rpartition("/")[2]], definitions)
    if "anyOf" in part:
        return filled(part["anyOf"][0], definitions)
    if "properties" in part:
        return {key: filled(below, definitions) for key, below in part["properties"].items()}
    if "items" in part:
        return [filled(part["items"], definitions)]
    if isinstance(part.get("additionalProperties"), dict):
        return dict.fromkeys(("*", *KEYS), filled(part["additionalProperties"], definitions))
    return "x"


def documents() -> Iterator[tuple[str, Any]]:
    """Kinds, and documents with all fields."""
    for release in RELEASES:
        definitions = schema("_definitions", release)["$defs"]
        yield from ((kind, filled(schema(file, release), definitions)) for kind, file in KINDS.items())
    experiment = V1beta1Experiment.model_json_schema()
    yield "Experiment", filled(experiment, experiment["$defs"])


@pytest.fixture(scope="module")
def walked() -> list[judgements.Field]:
    return [field for kind, document in documents() for field in judgements.fields(kind, document)]


def test_every_field_has_a_row(walked: list[judgements.Field]) -> None:
    assert sorted({field.path for field in walked if field.row is judgements.UNKNOWN}) == []


def test_every_row_is_for_a_field_that_a_schema_has(walked: list[judgements.Field]) -> None:
    rows = [row for kind in (*KINDS, *PARTS, "Experiment") for row in judgements.table()[kind].values()]
    walked_rows = {field.row for field in walked}
    assert [row for row in rows if row.field and row not in walked_rows] == []


def test_every_row_is_well_formed() -> None:
    for row in (row for rows in judgements.table().values() for row in rows.values()):
        if row.inner:
            assert row.inner in {*judgements.table(), "kind"}, row
        elif row.judgement == "harmless":
            assert not row.keeps_from, row
        else:
            assert row.judgement in {"judged", "refused", judgements.NOT_JUDGED}, row
            assert row.reason, row
            assert {*row.keeps_from.split()} <= KEEPS_FROM, row
            assert row.keeps_from, row
            assert row.when.partition(" ")[0] in {"", "=", "!="}, row


def unjudged(kind: str, document: Any) -> list[str]:
    every = judgements.fields(kind, document)
    return [field.path for field in every if field.unjudged and field.row is not judgements.UNKNOWN]


@pytest.mark.parametrize(("value", "paths"), [(True, ["spec.suspend"]), (False, []), (None, [])])
def test_a_value_that_keeps_nothing_is_not_named(value: object, paths: list[str]) -> None:
    assert unjudged("Job", {"spec": {"suspend": value, "selector": {"matchLabels": {"a": "b"}}}}) == paths


@pytest.mark.parametrize(("value", "paths"), [(0, []), (5, ["priority"])])
def test_a_value_other_than_the_usual_one_is_named(value: object, paths: list[str]) -> None:
    assert unjudged("PodSpec", {"priority": value}) == paths


def test_fields_are_named_with_their_path_through_shared_schemas() -> None:
    pod = {"containers": [{"name": "a"}, {"name": "b", "resources": {"limits": {"rdma/ib": 1}}}]}
    job = {"kind": "Job", "spec": {"template": {"spec": pod}}}
    trial = {"trialTemplate": {"trialSpec": job}}
    assert unjudged("Experiment", {"kind": "Experiment", "spec": trial}) == [
        "spec.trialTemplate.trialSpec.spec.template.spec.containers[1].resources.limits.rdma/ib"
    ]


def test_a_patch_that_is_a_text_is_read() -> None:
    step = {"name": "a", "podSpecPatch": '{"priority": 5}'}
    workflow = {
        "kind": "Workflow",
        "spec": {"templates": [step, {"podSpecPatch": "{{inputs.parameters.p}}"}]},
    }
    assert unjudged("Workflow", workflow) == ["spec.templates[0].podSpecPatch.priority"]


@pytest.mark.parametrize(
    "anything", [None, 0, "x", [], [1], [[]], {}, {"x": 1}, {"spec": "x"}, {"spec": {"template": 1}}]
)
def test_whatever_stands_in_a_document_is_passed_over(anything: object) -> None:
    for kind in (*judgements.table(), "Deployment"):
        assert unjudged(kind, anything) == []
