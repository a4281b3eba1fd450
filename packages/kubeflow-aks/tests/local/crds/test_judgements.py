"""The package's table of what is judged, against the custom resources of the operators whose work it places."""

from __future__ import annotations

from typing import Any, Final

import pytest
import yaml

from ckf_spot import judgements
from kubeflow_aks.local_aks.control_plane.controllers import training_operator
from tests.local.required import required_crds, required_only

SETS: Final = ("argo", "jobset", "ray", "spark", "trainer-2.0", "trainer-2.1", "trainer-2.2", "trainer-2.3")
OF_KUBERNETES: Final = {
    *(
        "ObjectMeta",
        "Pod",
        "PodTemplate",
        "PodTemplateSpec",
        "PodSpec",
        "Affinity",
        "Container",
        "Volume",
        "Job",
        "CronJob",
    ),
    *("LimitRange", "ResourceQuota", "Experiment"),
}
"""Schemas that packages/ckf-spot/tests/test_judgements.py holds against the table; Katib's custom resource has none."""


OF_OTHER_RELEASES: Final = {
    ("RayClusterSpec", "headGroupSpec.ingressOptions"),
    ("RayClusterSpec", "historyServerOptions"),
    ("RayClusterSpec", "networkPolicy"),
    ("RayClusterSpec", "tlsOptions"),
    ("RayClusterSpec", "workerGroupSpecs.priority"),
    ("RayCronJob", "spec.timeZone"),
    ("RayJobSpec", "deletionPolicy"),
    ("SparkApplicationSpec", "driverPodDisruptionBudget"),
}
"""Fields of KubeRay 1.4 and 1.7, and of Spark's operator 2.5, whose custom resources no test has."""
KEYS: Final = ("cpu", "memory", "nvidia.com/gpu")
"""Keys of maps for which the table has rows of their own."""


def filled(part: Any) -> Any:
    """A value with all fields that a schema has."""
    if "properties" in part:
        return {key: filled(below) for key, below in part["properties"].items()}
    if "items" in part:
        return [filled(part["items"])]
    if isinstance(part.get("additionalProperties"), dict):
        return dict.fromkeys(("*", *KEYS), filled(part["additionalProperties"]))
    return "x"


@pytest.fixture(scope="module")
def walked() -> list[judgements.Field]:
    """All fields of the kinds that the table has, in each of their versions."""
    files = [file for name in SETS for file in required_crds(name)]
    files += required_only(training_operator.TOOL).manifests(training_operator.TOOL)
    definitions = [yaml.load(file.read_text(encoding="utf-8"), yaml.CSafeLoader)["spec"] for file in files]
    return [
        field
        for definition in definitions
        for version in definition["versions"]
        for field in judgements.fields(
            definition["names"]["kind"], {"kind": "x", **filled(version["schema"]["openAPIV3Schema"])}
        )
    ]


def test_every_field_of_a_custom_resource_has_a_row(walked: list[judgements.Field]) -> None:
    assert sorted({field.path for field in walked if field.row is judgements.UNKNOWN}) == []


def test_every_row_is_for_a_field_that_a_custom_resource_has(walked: list[judgements.Field]) -> None:
    table, walked_rows = judgements.table(), {field.row for field in walked}
    rows = [row for schema in table.keys() - OF_KUBERNETES for row in table[schema].values()]
    assert {
        (row.schema, row.field) for row in rows if row.field and row not in walked_rows
    } == OF_OTHER_RELEASES
