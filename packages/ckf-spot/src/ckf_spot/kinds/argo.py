"""Workflows of Argo 3.x (v1alpha1): Workflow, CronWorkflow, WorkflowTemplate, ClusterWorkflowTemplate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from ckf_spot import fields, yaml_text
from ckf_spot.errors import ABSENT, Mistake, PlacementError
from ckf_spot.fields import Json, at, copied, is_map, is_maps, of
from ckf_spot.kinds.kind import (
    Kind,
    Path,
    PlacingRequest,
    Pods,
    dotted,
    misfit,
    mistake_in,
    unknown_roles,
    within,
)
from ckf_spot.placement import Placement
from ckf_spot.pods.template import SAFE_TO_EVICT

RETRIES: Final = {"limit": "5", "retryPolicy": "Always", "backoff": {"duration": "5m", "factor": "1"}}
"""Of a step without any: as many, and as long a wait, as `pools["cpu"].place` gives a pipeline's task."""
_SURVIVING: Final = "Always"
"""A pod that vanishes with its node is an error to Argo, and a drained one that ends with 143 a failure
(`workflow/controller/operator.go`)."""
_VERSION: Final = "argoproj.io/v1alpha1"
_KFP: Final = "pipelines.kubeflow.org/"
_SPEC: Final = (
    "activeDeadlineSeconds", "affinity", "archiveLogs", "arguments", "artifactGC", "artifactRepositoryRef",
    "automountServiceAccountToken", "dnsConfig", "dnsPolicy", "entrypoint", "executor", "hooks", "hostAliases",
    "hostNetwork", "imagePullSecrets", "metrics", "nodeSelector", "onExit", "parallelism", "podDisruptionBudget",
    "podGC", "podMetadata", "podPriorityClassName", "podSpecPatch", "priority", "retryStrategy", "schedulerName",
    "securityContext", "serviceAccountName", "shutdown", "suspend", "synchronization", "templateDefaults", "templates",
    "tolerations", "ttlStrategy", "volumeClaimGC", "volumeClaimTemplates", "volumes", "workflowMetadata",
    "workflowTemplateRef",
)  # fmt: skip
_TEMPLATE: Final = (
    "activeDeadlineSeconds", "affinity", "annotations", "archiveLocation", "automountServiceAccountToken", "container",
    "containerSet", "daemon", "dag", "data", "executor", "failFast", "hostAliases", "http", "initContainers", "inputs",
    "memoize", "metadata", "metrics", "name", "nodeSelector", "outputs", "parallelism", "plugin", "podSpecPatch",
    "priorityClassName", "resource", "retryStrategy", "schedulerName", "script", "securityContext",
    "serviceAccountName", "sidecars", "steps", "suspend", "synchronization", "timeout", "tolerations", "volumes",
)  # fmt: skip
_CRON: Final = (
    "concurrencyPolicy", "failedJobsHistoryLimit", "schedule", "schedules", "startingDeadlineSeconds", "stopStrategy",
    "successfulJobsHistoryLimit", "suspend", "timezone", "when", "workflowMetadata", "workflowSpec",
)  # fmt: skip
_OF_ARGO: Final = ("dependencies", "mirrorVolumeMounts", "source")
"""Fields that Argo's containers have beside those of Kubernetes."""
_PLACING: Final = ("affinity", "tolerations")
_SELECTING: Final = ("nodeSelector", *_PLACING)
_MAKES_POD: Final = ("container", "containerSet", "script", "data")
"""And `resource`: its pod makes an object, which another attempt would make again, so it stays."""


@dataclass(frozen=True)
class _Step(Pods):
    """Pods of one of a workflow's templates, which has a pod's fields beside its own.

    Attributes:
        workflow: the spec around it, which a template without fields of its own takes them from; for a list of
            tolerations and an affinity that is all or nothing, so what is taken has to be written out.
    """

    workflow: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def template(self, document: Json) -> Any:
        """What the pod will be, as far as it decides where it runs."""
        own = at(document, *self.path)
        found = _merged(of(self.workflow, "templateDefaults"), own)
        spec = {
            key: found.get(key) or self.workflow.get(key)
            for key in _SELECTING
            if found.get(key) or self.workflow.get(key)
        }
        selector = spec.get("nodeSelector") or {}
        for _, patch in _patches(self.workflow, own):
            if is_map(selector):
                selector = {**selector, **of(patch, "nodeSelector")}
        containers = [_container(each, self.workflow, own) for _, each in _containers(own)]
        metadata = own.get("metadata") or {}
        common = of(self.workflow, "podMetadata", "annotations")
        if SAFE_TO_EVICT in common and is_map(metadata) and is_map(metadata.get("annotations") or {}):
            annotations = {SAFE_TO_EVICT: common[SAFE_TO_EVICT], **(metadata.get("annotations") or {})}
            metadata = {**metadata, "annotations": annotations}
        return {"metadata": metadata, "spec": {**spec, "nodeSelector": selector, "containers": containers}}

    def put(self, document: Json, template: Json) -> None:
        """Argo's templates have no grace period; the default of 30 s ends with the node."""
        own = at(document, *self.path)
        own.update({key: template["spec"][key] for key in _PLACING}, metadata=template["metadata"])

    def located(self, mistake: Mistake, where: str) -> Mistake:
        """There is no spec between the template and its fields, and containers have names of their own."""
        pod = f"{where}.spec"
        for number, (path, _) in enumerate(_containers(at(self.workflow, *self.path))):
            inside = f"{pod}.containers[{number}]"
            if mistake.path.startswith(inside):
                return replace(mistake, path=f"{where}.{dotted(path)}{mistake.path.removeprefix(inside)}")
        for long in (f"{pod}.containers", pod):
            if mistake.path.startswith(long):
                return replace(mistake, path=where + mistake.path.removeprefix(long))
        return mistake


class _Workflow(Kind):
    """The spec of a workflow.

    Every template that makes a pod moves, and gets retries that survive an eviction. What handles the end of the
    workflow or serves its other steps (`daemon`) stays.
    """

    has_roles = True

    def problems(self, document: Mapping[str, Any], request: PlacingRequest) -> Iterator[Mistake]:
        """Down to the templates."""
        yield from fields.problems(document, "", _SPEC)
        templates = document.get("templates")
        if templates is None and document.get("workflowTemplateRef") is not None:
            problem = "its templates are out of reach"
            yield mistake_in("workflowTemplateRef", problem, "place that WorkflowTemplate instead")
        elif not (is_maps(templates) and templates):
            yield Mistake("templates", templates, "expected a list of maps")
        elif not any(each.moves or each.role in request.on_demand for each in self._steps(document, request)):
            if out := sorted(set(_references(document))):
                problem = f"those of its steps are out of reach: {', '.join(out)}"
                yield mistake_in("templates", problem, "place them where they are")
            else:
                problem = "none of them makes a pod that may vanish, so nothing would be placed"
                yield mistake_in("templates", problem, "name one in also, if there is any")
        yield from within(document, "templateDefaults")
        for path, template in _templates(document):
            where = dotted(path)
            yield from fields.problems(template, where, _TEMPLATE)
            for kind in ("container", "containerSet", "script"):
                yield from (replace(each, path=f"{where}.{each.path}") for each in within(template, kind))
        for path, _, retry in _retries(document):
            if retry is not None and not is_map(retry):
                yield Mistake(dotted((*path, "retryStrategy")), retry, "expected a map", "is no map")

    def request_problems(self, document: Mapping[str, Any], request: PlacingRequest) -> Iterator[Mistake]:
        """A template that is not there."""
        yield from unknown_roles(request, [each.role for each in self._steps(document, request)])

    def pods(self, document: Mapping[str, Any], request: PlacingRequest) -> Iterator[Pods]:
        """The templates that make pods with containers."""
        yield from (each for each in self._steps(document, request) if _containers(at(document, *each.path)))

    def misfits(
        self, document: Mapping[str, Any], placement: Placement, request: PlacingRequest
    ) -> Iterator[Mistake]:
        """Patches that undo the placement, and choices of nodes that the placement of the steps would undo."""
        for path, patch in _patches(document):
            yield from _patch_problems(path, patch)
        for path, template in _templates(document):
            where = dotted(path)
            if any(template.get(kind) is not None for kind in _MAKES_POD):
                for name, patch in _patches(template):
                    yield from _patch_problems(f"{where}.{name}", patch)
            elif template.get("steps") is not None or template.get("dag") is not None:
                for key in _SELECTING:
                    if template.get(key):
                        problem = "of a template of steps is undone by the placement of its steps"
                        yield Mistake(
                            f"{where}.{key}", template[key], "expected it in the steps' own", problem
                        )

    def place(self, document: Json, placement: Placement, request: PlacingRequest) -> None:
        """A step that has no retries is tried again."""
        if not placement.spot or _everywhere(document) is not None:
            return
        for step in self._moving(document, placement, request):
            own = at(document, *step.path)
            if own.get("retryStrategy") is None:
                own["retryStrategy"] = copied(RETRIES)

    def doubts(
        self, document: Mapping[str, Any], placement: Placement, request: PlacingRequest
    ) -> Iterator[str]:
        """Retries of its own that an eviction is not for, and templates out of reach."""
        if placement.spot:
            moving = {each.path for each in self._moving(document, placement, request)}
            for path, role, own in _retries(document):
                retry = _everywhere(document) if own is None else own
                if path in moving and retry is not None and (why := _lost(retry)):
                    yield f"{role} is lost with its node: {why}; set retryPolicy: {_SURVIVING}"
        if out := sorted(set(_references(document))):
            yield f"the templates of {', '.join(out)} are out of reach: place them where they are"

    def _moving(
        self, document: Mapping[str, Any], placement: Placement, request: PlacingRequest
    ) -> Iterator[Pods]:
        for each in self.pods(document, request):
            if each.moves and not misfit(each, each.template(dict(document)), placement):
                yield each

    def _steps(self, document: Mapping[str, Any], request: PlacingRequest) -> Iterator[Pods]:
        """Every template that makes a pod, with containers or only with Argo's own."""
        handlers = _only_handlers(document)
        for path, template in _templates(document):
            if any(template.get(kind) is not None for kind in _MAKES_POD):
                role = _role(document, path, template)
                owner = str(at(document, *path[:2], "name"))
                stays = owner in handlers or template.get("daemon") is True
                moves = request.vanishes(role, by_default=not stays)
                yield _Step(path, role, moves, apart=True, workflow=document)


@dataclass(frozen=True)
class Workflow(Kind):
    """A kind with the spec of a workflow.

    Attributes:
        path: where that is.
    """

    path: tuple[str, ...] = ("spec",)

    def problems(self, document: Mapping[str, Any], request: PlacingRequest) -> Iterator[Mistake]:
        """Around the workflow's spec."""
        yield from fields.object_problems(document, _VERSION)
        metadata = of(document, "metadata")
        names = [*of(metadata, "annotations"), *of(metadata, "labels")]
        if any(name.startswith(_KFP) for name in names):
            problem = "is what Kubeflow Pipelines made of a pipeline, and makes anew for each run"
            yield Mistake(
                "kind", document.get("kind"), "place the pipeline itself, or its compiled file", problem
            )
        if self.path != ("spec",) and document.get("spec") is not None:
            hints = {name: f"a workflow's fields belong under workflowSpec.{name}" for name in _SPEC}
            yield from fields.problems(document["spec"], "spec", _CRON, ("workflowSpec",), hints)
        yield from within(document, *self.path)

    def inner(self, document: Mapping[str, Any]) -> Iterator[tuple[Path, Kind]]:
        """The workflow's spec."""
        yield self.path, _WORKFLOW


_WORKFLOW: Final = _Workflow()
KINDS: Final[Mapping[str, Kind]] = {
    "Workflow": Workflow(),
    "CronWorkflow": Workflow(("spec", "workflowSpec")),
    "WorkflowTemplate": Workflow(),
    "ClusterWorkflowTemplate": Workflow(),
}


def _templates(spec: Mapping[str, Any]) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """Every template, those written inline too."""
    templates = spec.get("templates")
    for number, template in enumerate(templates if isinstance(templates, list) else ()):
        if is_map(template):
            yield from _with_inline(("templates", number), template)


def _with_inline(path: Path, template: Mapping[str, Any]) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    yield path, template
    for where, task in _tasks(template):
        if is_map(task.get("inline")):
            yield from _with_inline((*path, *where, "inline"), task["inline"])


def _tasks(template: Mapping[str, Any]) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """The tasks of a DAG, or the steps."""
    steps, tasks = template.get("steps"), of(template, "dag").get("tasks")
    for number, row in enumerate(steps if isinstance(steps, list) else ()):
        together: Any = row
        for place, task in enumerate(together if isinstance(together, list) else ()):
            if is_map(task):
                yield ("steps", number, place), task
    for number, task in enumerate(tasks if isinstance(tasks, list) else ()):
        if is_map(task):
            yield ("dag", "tasks", number), task


def _role(spec: Mapping[str, Any], path: Path, template: Mapping[str, Any]) -> str:
    """What calls a template: its name, or the name of the task that it is written in."""
    return str(template.get("name") or at(spec, *path[:-1], "name") or dotted(path))


def _texts(values: Iterable[Any]) -> set[str]:
    return {each for each in values if isinstance(each, str)}


def _handlers(found: Mapping[str, Any]) -> set[str]:
    """Names of the templates that a workflow or a task calls at its end, or when something happens."""
    return _texts(
        [found.get("onExit"), *(of(each, "").get("template") for each in _values(of(found, "hooks")))]
    )


def _values(found: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [{"": each} for each in found.values()]


def _only_handlers(spec: Mapping[str, Any]) -> set[str]:
    """Names of the templates that nothing else calls, by themselves or through others."""
    calls: dict[str, set[str]] = {}
    handlers = _handlers(spec)
    for path, template in _templates(spec):
        owner = str(at(spec, *path[:2], "name"))
        tasks = [task for _, task in _tasks(template)]
        calls.setdefault(owner, set()).update(_texts(task.get("template") for task in tasks))
        handlers = handlers.union(*map(_handlers, tasks))
    handled = _reached(handlers, calls)
    entry = spec.get("entrypoint")
    first = {entry} if isinstance(entry, str) and entry in calls else calls.keys() - handled
    return handled - _reached(first, calls)


def _reached(names: Iterable[str], calls: Mapping[str, set[str]]) -> set[str]:
    reached: set[str] = set()
    new = set(names)
    while new:
        reached |= new
        new = set[str]().union(*(calls.get(name, set()) for name in new)) - reached
    return reached


def _references(spec: Mapping[str, Any]) -> Iterator[str]:
    """Names of the WorkflowTemplates that its steps come from."""
    for found in [
        spec.get("workflowTemplateRef"),
        *(t.get("templateRef") for _, p in _templates(spec) for _, t in _tasks(p)),
    ]:
        if is_map(found) and isinstance(found.get("name"), str):
            yield found["name"]


def _retries(spec: Mapping[str, Any]) -> Iterator[tuple[Path, str, Any]]:
    """The retries of the workflow and of each template, with its path and name."""
    yield (), "the workflow", spec.get("retryStrategy")
    for path, template in _templates(spec):
        yield path, _role(spec, path, template), template.get("retryStrategy")


def _everywhere(spec: Mapping[str, Any]) -> Any:
    """The retries of templates that have none of their own; an empty map means some without end."""
    found = spec.get("retryStrategy")
    return of(spec, "templateDefaults").get("retryStrategy") if found is None else found


def _lost(retry: Mapping[str, Any]) -> str:
    """Why retries are not for evictions; empty where they are."""
    policy = retry.get("retryPolicy") or (_SURVIVING if retry.get("expression") else "OnFailure")
    if str(retry.get("limit")) == "0":
        return "its retryStrategy has limit 0"
    return "" if policy == _SURVIVING else f"its retryStrategy has the policy {policy}"


def _containers(template: Any) -> list[tuple[Path, Mapping[str, Any]]]:
    """The containers that run at once, as far as they can be read."""
    found: list[tuple[Path, Any]] = [((kind,), at(template, kind)) for kind in ("container", "script")]
    for path in (("containerSet", "containers"), ("sidecars",)):
        several = at(template, *path)
        found += [
            ((*path, number), each)
            for number, each in enumerate(several if isinstance(several, list) else ())
        ]
    if not any(each is not None for _, each in found) and at(template, "data") is not None:
        found.append((("data",), {}))
    return [(path, each) for path, each in found if is_map(each)]


def _container(found: Mapping[str, Any], *around: Mapping[str, Any]) -> Json:
    """A container as Kubernetes gets it, with the limits that patches give it."""
    kept: Json = {"name": "main", **{key: value for key, value in found.items() if key not in _OF_ARGO}}
    resources = kept.get("resources") or {}
    for _, patch in _patches(*around):
        several = patch.get("containers")
        for each in several if is_maps(several) else ():
            limits = of(each, "resources", "limits")
            had = at(resources, "limits") or {}
            if limits and each.get("name") == kept["name"] and is_map(resources) and is_map(had):
                kept["resources"] = resources = {**resources, "limits": {**had, **limits}}
    return kept


def _merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """A template over the defaults: maps key by key, tolerations by their key, anything else as a whole."""
    made: dict[str, Any] = {**below, **above}
    for key, value in above.items():
        if is_map(value) and is_map(below.get(key)):
            made[key] = _merged(below[key], value)
    mine, theirs = above.get("tolerations"), below.get("tolerations")
    if is_maps(mine) and is_maps(theirs):
        keys = [each.get("key") for each in mine]
        made["tolerations"] = [*mine, *(each for each in theirs if each.get("key") not in keys)]
    return made


def _patches(*around: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The patches that can be read; Argo's own placeholders are texts in them."""
    for each in around:
        text = each.get("podSpecPatch")
        if isinstance(text, str) and text.strip():
            try:
                patch = yaml_text.parse(text, "podSpecPatch")
            except PlacementError:
                patch = {key: text for key in (*_PLACING, "nodeName") if key in text}
            if is_map(patch):
                yield "podSpecPatch", patch


def _patch_problems(where: str, patch: Mapping[str, Any]) -> Iterator[Mistake]:
    for key in (*_PLACING, "nodeName"):
        if patch.get(key) is not None:
            yield Mistake(where, ABSENT, "say it in the template", f"its {key} undoes the placement")
