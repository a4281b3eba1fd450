"""Workflows of Argo 3.x (v1alpha1): Workflow, CronWorkflow, WorkflowTemplate, ClusterWorkflowTemplate."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from ckf_spot import fields, judgements, time_limits, yaml_text
from ckf_spot.backend import PORT_FROM_V1
from ckf_spot.errors import ABSENT, Mistake, PlacementError
from ckf_spot.fields import Json, Object, at, copied, is_map, is_maps, map_at, maps_at
from ckf_spot.kinds import argo_retries, jobs, ray, spark, trainer, training
from ckf_spot.kinds.kind import (
    Kind,
    Path,
    PlacingRequest,
    Pods,
    Wrapper,
    claim_names,
    dotted,
    misfit,
    mistake_in,
    unknown_roles,
    within,
)
from ckf_spot.placement import Placement
from ckf_spot.pods import fit
from ckf_spot.pods.template import SAFE_TO_EVICT

RETRIES: Final = {
    "limit": "5",
    "retryPolicy": argo_retries.SURVIVING,
    "backoff": {"duration": "5m", "factor": "1"},
}
"""Retries of a step without any: as many, and as long a wait, as `pools["cpu"].place` gives a pipeline's task."""
_VERSION: Final = "argoproj.io/v1alpha1"
_KFP: Final = "pipelines.kubeflow.org/"
_KFP_SDK: Final = f"{_KFP}kfp_sdk_version"
"""Label and annotation that the compiler of kfp v1 writes; that of v2 makes no workflow."""
_SPEC: Final = judgements.names("WorkflowSpec")
_TEMPLATE: Final = judgements.names("Template")
_CRON: Final = judgements.names("CronWorkflow", "spec")
_OF_ARGO: Final = ("dependencies", "mirrorVolumeMounts", "source")
"""Fields that Argo's containers have beside those of Kubernetes."""
_LOOPS: Final = frozenset({"withItems", "withParam", "withSequence"})
_PLACING: Final = ("affinity", "tolerations")
_SELECTING: Final = ("nodeSelector", *_PLACING)
_OF_PODS: Final = ("schedulerName", "hostNetwork")
"""Fields that a workflow's spec shares with its pods'."""
_MAKES_POD: Final = ("container", "containerSet", "script", "data")
"""And `resource`: its pod makes an object, which another attempt would make again, so it stays."""
_MANIFEST_KIND: Final = re.compile(r"^kind:\s*[\"']?(\w+)", re.MULTILINE)
_BY_ITSELF: Final = "place each manifest in a file of its own, and put back what comes out"


@dataclass(frozen=True)
class _Step(Pods):
    """Pods of one of a workflow's templates, which has a pod's fields beside its own.

    Attributes:
        workflow: the spec around it, which a template without fields of its own takes them from; for a list of
            tolerations and an affinity that is all or nothing, so what is taken has to be written out.
    """

    workflow: Object = field(default_factory=dict[str, Any])

    def template(self, document: Json) -> Any:
        """What the pod will be, as far as it decides where it runs."""
        step = at(document, *self.path)
        merged = _merged(map_at(self.workflow, "templateDefaults"), step)
        spec = {
            key: merged.get(key) or self.workflow.get(key)
            for key in _SELECTING
            if merged.get(key) or self.workflow.get(key)
        }
        spec |= {key: self.workflow[key] for key in _OF_PODS if self.workflow.get(key)}
        priority = merged.get("priorityClassName") or self.workflow.get("podPriorityClassName")
        spec |= {"priorityClassName": priority} if priority else {}
        spec |= {"schedulerName": merged["schedulerName"]} if merged.get("schedulerName") else {}
        selector = spec.get("nodeSelector") or {}
        for _, patch in _patches(self.workflow, step):
            spec |= {key: patch[key] for key in fit.FIELDS if patch.get(key)}
            if is_map(selector):
                selector = {**selector, **map_at(patch, "nodeSelector")}
        containers = [_container(container, self.workflow, step) for _, container in _containers(step)]
        if before := maps_at(step, "initContainers"):
            spec["initContainers"] = [_container(container) for container in before]
        metadata = step.get("metadata") or {}
        common = map_at(self.workflow, "podMetadata", "annotations")
        if SAFE_TO_EVICT in common and is_map(metadata) and is_map(metadata.get("annotations") or {}):
            annotations = {SAFE_TO_EVICT: common[SAFE_TO_EVICT], **(metadata.get("annotations") or {})}
            metadata = {**metadata, "annotations": annotations}
        return {"metadata": metadata, "spec": {**spec, "nodeSelector": selector, "containers": containers}}

    def claims(self, document: Json) -> list[str]:
        """What its containers mount of the workflow's volumes and claims, and of its own volumes."""
        step = at(document, *self.path)
        mounts = {
            mount.get("name")
            for _, container in _containers(step)
            for mount in maps_at(container, "volumeMounts")
        }
        volumes = [
            volume
            for volume in (*maps_at(self.workflow, "volumes"), *maps_at(step, "volumes"))
            if volume.get("name") in mounts
        ]
        return [*claim_names(volumes), *(name for name in _claim_templates(self.workflow) if name in mounts)]

    def put(self, document: Json, template: Json) -> None:
        """Argo's templates have no grace period; the default of 30 s ends with the node."""
        step = at(document, *self.path)
        step.update({key: template["spec"][key] for key in _PLACING}, metadata=template["metadata"])

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

    def problems(self, document: Object, request: PlacingRequest) -> Iterator[Mistake]:
        """Mistakes down to the templates."""
        yield from fields.problems(document, "", _SPEC)
        templates = document.get("templates")
        if templates is None and document.get("workflowTemplateRef") is not None:
            problem = "its templates are out of reach"
            yield mistake_in("workflowTemplateRef", problem, "place that WorkflowTemplate instead")
        elif not (is_maps(templates) and templates):
            yield Mistake("templates", templates, "expected a list of maps")
        elif not any(step.moves or step.role in request.on_demand for step in self._steps(document, request)):
            out, made = sorted(set(_references(document))), _from_manifests(document)
            if made:
                yield mistake_in("templates", made, _BY_ITSELF)
            if out:
                problem = f"those of its steps are out of reach: {', '.join(out)}"
                yield mistake_in("templates", problem, "place them where they are")
            if not (out or made):
                problem = "none of them makes a pod that may vanish, so nothing would be placed"
                yield mistake_in("templates", problem, "name one in also, if there is any")
        yield from within(document, "templateDefaults")
        for path, template in _templates(document):
            where = dotted(path)
            yield from fields.problems(template, where, _TEMPLATE)
            for kind in ("container", "containerSet", "script"):
                yield from (
                    replace(mistake, path=f"{where}.{mistake.path}") for mistake in within(template, kind)
                )
        for path, _, retry in _retries(document):
            if retry is not None and not is_map(retry):
                yield Mistake(dotted((*path, "retryStrategy")), retry, "expected a map", "is no map")

    def request_problems(self, document: Object, request: PlacingRequest) -> Iterator[Mistake]:
        """A template that is not there."""
        yield from unknown_roles(request, [step.role for step in self._steps(document, request)])

    def pods(self, document: Object, request: PlacingRequest) -> Iterator[Pods]:
        """The templates that make pods with containers."""
        yield from (step for step in self._steps(document, request) if _containers(at(document, *step.path)))

    def misfits(self, document: Object, placement: Placement, request: PlacingRequest) -> Iterator[Mistake]:
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
            template = at(document, *step.path)
            if template.get("retryStrategy") is None:
                template["retryStrategy"] = copied(RETRIES)

    def doubts(self, document: Object, placement: Placement, request: PlacingRequest) -> Iterator[str]:
        """Retries of its own that an eviction is not for, and templates out of reach."""
        if placement.spot:
            moving = {step.path for step in self._moving(document, placement, request)}
            for path, role, stated in _retries(document):
                retry = _everywhere(document) if stated is None else stated
                if path in moving and retry is not None:
                    yield from argo_retries.doubts(role, retry)
            yield from time_limits.deadline_doubts(
                "activeDeadlineSeconds", document.get("activeDeadlineSeconds"), "the workflow"
            )
        if made := _from_manifests(document):
            yield f"{made}: {_BY_ITSELF}"
        if out := sorted(set(_references(document))):
            yield f"the templates of {', '.join(out)} are out of reach: place them where they are"

    def claims(self, document: Object) -> Mapping[str, Object]:
        """Those of `volumeClaimTemplates`, one for each run."""
        return _claim_templates(document)

    def _moving(self, document: Object, placement: Placement, request: PlacingRequest) -> Iterator[Pods]:
        for step in self.pods(document, request):
            if step.moves and not misfit(step, step.template(dict(document)), placement):
                yield step

    def _steps(self, document: Object, request: PlacingRequest) -> Iterator[Pods]:
        """Every template that makes a pod, with containers or only with Argo's own."""
        handlers, together = _only_handlers(document), _side_by_side(document)
        for path, template in _templates(document):
            if any(template.get(kind) is not None for kind in _MAKES_POD):
                role = _role(document, path, template)
                owner = str(at(document, *path[:2], "name"))
                stays = owner in handlers or template.get("daemon") is True
                moves = request.vanishes(role, by_default=not stays)
                step = _Step(path, role, moves, apart=True, in_turn=True, workflow=document)
                yield replace(step, copies=2) if owner in together else step


class Workflow(Wrapper):
    """A kind with the spec of a workflow."""

    def problems(self, document: Object, request: PlacingRequest) -> Iterator[Mistake]:
        """What Kubeflow Pipelines made, and around the workflow's spec."""
        metadata = map_at(document, "metadata")
        noted: Object = {**map_at(metadata, "labels"), **map_at(metadata, "annotations")}
        if _KFP_SDK in noted:
            problem = f"is what kfp {noted[_KFP_SDK]} compiled, and pipelines of kfp v1 can't be placed"
            yield Mistake("kind", document.get("kind"), PORT_FROM_V1, problem)
        elif any(name.startswith(_KFP) for name in noted):
            problem = "is what Kubeflow Pipelines made of a pipeline, and makes anew for each run"
            yield Mistake(
                "kind", document.get("kind"), "place the pipeline itself, or its compiled file", problem
            )
        yield from super().problems(document, request)


_WORKFLOW: Final = _Workflow()
_WORK: Final = {
    *jobs.KINDS,
    *training.KINDS,
    *trainer.KINDS,
    *ray.KINDS,
    *spark.KINDS,
    "Experiment",
    "Workflow",
}
KINDS: Final[Mapping[str, Kind]] = {
    **dict.fromkeys(
        ("Workflow", "WorkflowTemplate", "ClusterWorkflowTemplate"), Workflow(_VERSION, _WORKFLOW)
    ),
    "CronWorkflow": Workflow(
        _VERSION,
        _WORKFLOW,
        ("spec", "workflowSpec"),
        _CRON,
        {name: f"a workflow's fields belong under workflowSpec.{name}" for name in _SPEC},
    ),
}


def _templates(spec: Object) -> Iterator[tuple[Path, Object]]:
    """Every template, those written inline too."""
    templates = spec.get("templates")
    for number, template in enumerate(templates if isinstance(templates, list) else ()):
        if is_map(template):
            yield from _with_inline(("templates", number), template)


def _with_inline(path: Path, template: Object) -> Iterator[tuple[Path, Object]]:
    yield path, template
    for where, task in _tasks(template):
        if is_map(task.get("inline")):
            yield from _with_inline((*path, *where, "inline"), task["inline"])


def _tasks(template: Object) -> Iterator[tuple[Path, Object]]:
    """The tasks of a DAG, or the steps."""
    steps, tasks = template.get("steps"), map_at(template, "dag").get("tasks")
    for number, row in enumerate(steps if isinstance(steps, list) else ()):
        together: Any = row
        for place, task in enumerate(together if isinstance(together, list) else ()):
            if is_map(task):
                yield ("steps", number, place), task
    for number, task in enumerate(tasks if isinstance(tasks, list) else ()):
        if is_map(task):
            yield ("dag", "tasks", number), task


def _role(spec: Object, path: Path, template: Object) -> str:
    """What calls a template: its name, or the name of the task that it is written in."""
    return str(template.get("name") or at(spec, *path[:-1], "name") or dotted(path))


def _texts(values: Iterable[Any]) -> set[str]:
    return {value for value in values if isinstance(value, str)}


def _handlers(caller: Object) -> set[str]:
    """Names of the templates that a workflow or a task calls at its end, or when something happens."""
    return _texts(
        [caller.get("onExit"), *(at(hook, "template") for hook in map_at(caller, "hooks").values())]
    )


def _only_handlers(spec: Object) -> set[str]:
    """Names of the templates that nothing else calls, by themselves or through others."""
    calls = _calls(spec)
    tasks = (task for _, template in _templates(spec) for _, task in _tasks(template))
    handlers = _handlers(spec).union(*map(_handlers, tasks))
    handled = _reached(handlers, calls)
    entry = spec.get("entrypoint")
    first = {entry} if isinstance(entry, str) and entry in calls else calls.keys() - handled
    return handled - _reached(first, calls)


def _calls(spec: Object) -> dict[str, set[str]]:
    """Names of the templates that each template calls."""
    calls: dict[str, set[str]] = {}
    for path, template in _templates(spec):
        owner = str(at(spec, *path[:2], "name"))
        called = _texts(task.get("template") for _, task in _tasks(template))
        calls.setdefault(owner, set()).update(called)
    return calls


def _side_by_side(spec: Object) -> set[str]:
    """Names of the templates of which several pods run at a time, or one beside a pod that mounts the same claims.

    Tasks of a row of steps run side by side, those of a DAG that wait for the same tasks, and the items of a loop.
    """
    calls, together = _calls(spec), set[str]()
    for _, template in _templates(spec):
        rows: dict[str, list[str]] = defaultdict(list)
        for path, task in _tasks(template):
            waits = task.get("depends") or task.get("dependencies")
            row = str(path[1] if path[0] == "steps" else waits)
            rows[row] += [*_texts([task.get("template")])] * (2 if _LOOPS & task.keys() else 1)
        for names in rows.values():
            if len(names) > 1:
                together |= _reached(names, calls)
    return together


def _claim_templates(spec: Object) -> dict[str, Object]:
    """Specs of the claims that a workflow makes, by name."""
    templates = maps_at(spec, "volumeClaimTemplates")
    return {str(map_at(claim, "metadata").get("name")): map_at(claim, "spec") for claim in templates}


def _reached(names: Iterable[str], calls: Mapping[str, set[str]]) -> set[str]:
    reached: set[str] = set()
    new = set(names)
    while new:
        reached |= new
        new = set[str]().union(*(calls.get(name, set()) for name in new)) - reached
    return reached


def _references(spec: Object) -> Iterator[str]:
    """Names of the WorkflowTemplates that its steps come from."""
    for reference in [
        spec.get("workflowTemplateRef"),
        *(t.get("templateRef") for _, p in _templates(spec) for _, t in _tasks(p)),
    ]:
        if is_map(reference) and isinstance(reference.get("name"), str):
            yield reference["name"]


def _from_manifests(spec: Object) -> str:
    """The work that its `resource` templates make, as a text; a manifest with placeholders is no YAML yet."""
    manifests = [
        (_role(spec, path, template), str(map_at(template, "resource").get("manifest")))
        for path, template in _templates(spec)
    ]
    made = [
        f"{role} ({kind})"
        for role, text in manifests
        for kind in _MANIFEST_KIND.findall(text)
        if kind in _WORK
    ]
    return f"work made from the manifests of {', '.join(made)} is not placed" if made else ""


def _retries(spec: Object) -> Iterator[tuple[Path, str, Any]]:
    """The retries of the workflow and of each template, with its path and name."""
    yield (), "the workflow", spec.get("retryStrategy")
    for path, template in _templates(spec):
        yield path, _role(spec, path, template), template.get("retryStrategy")


def _everywhere(spec: Object) -> Any:
    """The retries of templates that have none of their own; an empty map means some without end."""
    retry = spec.get("retryStrategy")
    return map_at(spec, "templateDefaults").get("retryStrategy") if retry is None else retry


def _containers(template: Any) -> list[tuple[Path, Object]]:
    """The containers that run at once, as far as they can be read."""
    containers: list[tuple[Path, Any]] = [((kind,), at(template, kind)) for kind in ("container", "script")]
    for path in (("containerSet", "containers"), ("sidecars",)):
        several = at(template, *path)
        containers += [
            ((*path, number), container)
            for number, container in enumerate(several if isinstance(several, list) else ())
        ]
    if not any(container is not None for _, container in containers) and at(template, "data") is not None:
        containers.append((("data",), {}))
    return [(path, container) for path, container in containers if is_map(container)]


def _container(container: Object, *around: Object) -> Json:
    """A container as Kubernetes gets it, with what patches let it ask for."""
    kept: Json = {"name": "main", **{key: value for key, value in container.items() if key not in _OF_ARGO}}
    resources = kept.get("resources") or {}
    for _, patch in _patches(*around):
        for patched in maps_at(patch, "containers"):
            for part in ("requests", "limits"):
                amounts, original = map_at(patched, "resources", part), at(resources, part) or {}
                if amounts and patched.get("name") == kept["name"] and is_map(resources) and is_map(original):
                    kept["resources"] = resources = {**resources, part: {**original, **amounts}}
    return kept


def _merged(below: Object, above: Object) -> dict[str, Any]:
    """A template over the defaults: maps key by key, tolerations by their key, anything else as a whole."""
    made: dict[str, Any] = {**below, **above}
    for key, value in above.items():
        if is_map(value) and is_map(below.get(key)):
            made[key] = _merged(below[key], value)
    mine, theirs = above.get("tolerations"), below.get("tolerations")
    if is_maps(mine) and is_maps(theirs):
        keys = [toleration.get("key") for toleration in mine]
        made["tolerations"] = [
            *mine,
            *(toleration for toleration in theirs if toleration.get("key") not in keys),
        ]
    return made


def _patches(*around: Object) -> Iterator[tuple[str, Object]]:
    """The patches that can be read; Argo's own placeholders are texts in them."""
    for holder in around:
        text = holder.get("podSpecPatch")
        if isinstance(text, str) and text.strip():
            try:
                patch = yaml_text.parse(text, "podSpecPatch")
            except PlacementError:
                patch = {key: text for key in (*_PLACING, "nodeName") if key in text}
            if is_map(patch):
                yield "podSpecPatch", patch


def _patch_problems(where: str, patch: Object) -> Iterator[Mistake]:
    for key in (*_PLACING, "nodeName"):
        if patch.get(key) is not None:
            yield Mistake(where, ABSENT, "say it in the template", f"its {key} undoes the placement")
