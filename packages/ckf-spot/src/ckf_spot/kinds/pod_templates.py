"""Pod templates that stand alone: the PodTemplate of Kubernetes, and the Pod that Spark takes for its executors."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ckf_spot import fields
from ckf_spot.errors import Mistake
from ckf_spot.fields import Json, Object, is_map, map_at
from ckf_spot.kinds.kind import Kind, PlacingRequest, Pods
from ckf_spot.placement import Placement
from ckf_spot.pods import gpu_limits, node_selection

_UNNAMED: Final = "spark-kubernetes-executor"
"""Name that Spark gives its container (`docs/running-on-kubernetes.md`)."""


class PodTemplate(Kind):
    """A PodTemplate (v1); whoever takes it makes lost pods again."""

    schema = "podtemplate-v1"

    def problems(self, document: Object, request: PlacingRequest) -> Iterator[Mistake]:
        """Mistakes down to the template."""
        around = ("apiVersion", "kind", "metadata", "template")
        yield from fields.problems(document, "", around, ("template",), closed=True)
        yield from fields.version_problems(document, "v1")

    def pods(self, document: Object, request: PlacingRequest) -> Iterator[Pods]:
        """The template."""
        if document.get("template") is not None:
            yield Pods(("template",), "the pod")


@dataclass(frozen=True)
class _Executors(Pods):
    """The whole Pod; Spark itself adds the container and its GPUs, so neither must be there."""

    def template(self, document: Json) -> Any:
        """Its metadata and spec."""
        spec = document.get("spec")
        if is_map(spec) and not spec.get("containers"):
            spec = {**spec, "containers": [{"name": _UNNAMED}]}
        return {"metadata": document.get("metadata") or {}, "spec": spec}

    def put(self, document: Json, template: Json) -> None:
        """Only what the placement says; the Pod keeps its containers, or has none."""
        spec = {key: value for key, value in template["spec"].items() if key != "containers"}
        document["metadata"] = template["metadata"]
        document["spec"] = {**map_at(document, "spec"), **spec}

    def problems(self, template: Object, placement: Placement, where: str) -> Sequence[Mistake]:
        """GPUs that it does not ask for may come from Spark's own settings."""
        if gpu_limits.needs(template):
            return super().problems(template, placement, where)
        spec, labels = map_at(template, "spec"), map_at(template, "metadata", "labels")
        return list(node_selection.problems(spec, placement, f"{where}.spec", labels))

    def located(self, mistake: Mistake, where: str) -> Mistake:
        """The Pod is the document."""
        return dataclasses.replace(mistake, path=mistake.path.removeprefix("."))


class Executor(Kind):
    """A Pod for `spark.kubernetes.executor.podTemplateFile`; the driver makes lost executors again."""

    def problems(self, document: Object, request: PlacingRequest) -> Iterator[Mistake]:
        """Around the pod's spec."""
        yield from fields.object_problems(document, "v1")

    def pods(self, document: Object, request: PlacingRequest) -> Iterator[Pods]:
        """The Pod itself."""
        if document.get("spec") is not None:
            yield _Executors((), "the executor")


KINDS: Final[Mapping[str, Kind]] = {"PodTemplate": PodTemplate()}
PODS: Final[Mapping[str, Kind]] = {"Pod": Executor()}
"""Kinds that are templates only where somebody says so."""
