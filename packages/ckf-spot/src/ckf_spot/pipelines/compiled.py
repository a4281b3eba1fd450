"""Places the tasks in a compiled pipeline: two YAML documents, which the compiler of Kubeflow Pipelines writes.

The first is a `PipelineSpec` (`api/v2alpha1/pipeline_spec.proto`): a tree of tasks. Each task refers to a component,
and a component to an executor or to further tasks. The second has the Kubernetes settings of each executor. kfp is not
needed here, so that a pipeline can be placed without editing or running its Python.

With `kubernetes_manifest_format=True` (kfp 2.14 and newer) the compiler writes objects of Kubernetes instead: a
`PipelineVersion` with both documents in its `spec` and, if that is wished, a `Pipeline` before it with neither.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final, Unpack

from ckf_spot import time_limits
from ckf_spot.agent_pool import GPU
from ckf_spot.errors import ABSENT, Mistake, Mistakes
from ckf_spot.fields import Json, Object, at, copied, is_map, is_maps, map_at
from ckf_spot.pipelines import request as requests
from ckf_spot.pipelines import rules, whole
from ckf_spot.pipelines.claims import Claim, Claims
from ckf_spot.pipelines.report import Report
from ckf_spot.pipelines.request import PlacingOptions
from ckf_spot.pipelines.step import DRIVER_IMAGES, EXIT, IMPORTER, WITHOUT_POD, Placed, Step, drives_spark
from ckf_spot.pods import volumes
from ckf_spot.pods.volumes import Mount
from ckf_spot.pool_group import PoolGroup

_SETTINGS: Final = ("platforms", "kubernetes", "deploymentSpec", "executors")
"""Path of the Kubernetes settings in the second document."""
_CONFIG: Final = ("platforms", "kubernetes", "pipelineConfig")
"""Path of the settings of whole runs there, since kfp 2.15."""
_EXECUTORS: Final = ("deploymentSpec", "executors")
_EXIT_POLICY: Final = "ALL_UPSTREAM_TASKS_COMPLETED"
"""Trigger policy of a task that runs even when those before it have failed: an exit task, or one with
`ignore_upstream_failure` (`backend/src/v2/compiler/argocompiler/dag.go` makes both a hook at the end)."""
_GROUP: Final = "pipelines.kubeflow.org/"
_CREATES_CLAIM: Final = DRIVER_IMAGES[0]
_FINAL_STATUS: Final = "TASK_FINAL_STATUS"
_DEEPEST: Final = 50
_MOST: Final = 5_000
"""Tasks of a pipeline: far more than Argo keeps in one workflow. A small file can stand for any number of tasks, since
two tasks may refer to the same component."""


def is_compiled(document: object) -> bool:
    """Whether it is the first document of a compiled pipeline, or a manifest that has one."""
    return is_bare(document) or _is_manifest(document, "PipelineVersion")


def is_bare(document: object) -> bool:
    """Whether it is the first document of a compiled pipeline, which may have a second."""
    return is_map(document) and {"pipelineInfo", "root"} <= document.keys()


def _is_manifest(document: object, kind: str) -> bool:
    version = at(document, "apiVersion")
    return isinstance(version, str) and version.startswith(_GROUP) and at(document, "kind") == kind


def place(
    documents: Sequence[Object],
    group: PoolGroup,
    *,
    except_: str | Collection[str] = (),
    **options: Unpack[PlacingOptions],
) -> tuple[list[Json], Report]:
    """Places every task of a compiled pipeline, as `ckf_spot.pipelines.tasks.place_pipeline` does one in Python.

    Args:
        documents: the compiled file's one or two documents, or its manifests; they stay as they are.
        group: pools, and the backend that runs the pipeline.
        except_: names of tasks that are left alone, or of the loops, conditions and pipelines around them.
        options: see `request.read`; a task that has retries of its own keeps them.

    Returns:
        The placed documents, and what became of each task.

    Raises:
        PlacementError: with every mistake, one a line.
    """
    mistakes = Mistakes()
    request = requests.read(mistakes, group, **options)
    pipeline = Pipeline(documents)
    steps = list(pipeline.steps())
    mistakes.add(pipeline.problems)
    if pipeline.problems:
        mistakes.raise_all()
    if request.placement.spot:
        mistakes.add(pipeline.config_doubts())
    report = whole.place(steps, request, except_, mistakes)
    return pipeline.documents, report


class Pipeline:
    """A compiled pipeline that can be changed.

    Attributes:
        problems: what is wrong with its form, once its tasks were read.
    """

    def __init__(self, documents: Sequence[Object]) -> None:
        self.problems: list[Mistake] = []
        self._documents: list[Any] = [copied(document) for document in documents]
        versions = [document for document in self._documents if _is_manifest(document, "PipelineVersion")]
        self._version: Json = versions[0] if versions else {}
        self._spec: Any
        self._platform: Any
        if versions:
            beside = [document for document in self._documents if document is not self._version]
            self._more = not all(_is_manifest(document, "Pipeline") for document in beside)
            spec = map_at(self._version, "spec")
            self._spec, self._platform = spec.get("pipelineSpec"), _or_empty(spec.get("platformSpec"))
        else:
            self._more = len(documents) > 2  # noqa: PLR2004 - the compiler writes one or two
            self._spec, self._platform = [*self._documents, {}, {}][:2]
        self._seen: set[tuple[str, str]] = set()
        self._count = 0

    @property
    def documents(self) -> list[Json]:
        """The documents; the settings of Kubernetes only if there are some."""
        if not self._version:
            return [self._spec, self._platform] if self._platform else [self._spec]
        if self._platform:
            self._version["spec"]["platformSpec"] = self._platform
        return self._documents

    def steps(self, path: str = "", stays: str = "", *, nested: bool = False) -> Iterator[Step]:
        """Its tasks that have containers.

        Args:
            path: of the task that the whole pipeline is in another one, for the paths of its tasks.
            stays: why all of it is left alone.
            nested: whether it is in another one.
        """
        if not is_map(self._spec) or not is_map(self._platform):
            where = "spec.pipelineSpec, spec.platformSpec" if self._version else ""
            self._wrong(where, "expected a compiled pipeline", "a document is no map")
        elif self._more:
            self._wrong(
                "", "expected one compiled pipeline in a file", "there are more documents than of one"
            )
        for document, keys in (
            (self._spec, ("components",)),
            (self._spec, _EXECUTORS),
            (self._platform, _SETTINGS),
        ):
            for end in range(1, len(keys) + 1):
                value = at(document, *keys[:end])
                if value is not None and not is_map(value):
                    self._wrong(".".join(keys[:end]), "expected a map", value=value)
        if not self.problems:
            yield from self._tasks("root", map_at(self._spec, "root"), path, (), stays=stays, nested=nested)

    def config_doubts(self) -> Iterator[Mistake]:
        """What of the settings of the whole run ends it, or keeps its tasks from running on several nodes."""
        config = map_at(self._platform, *_CONFIG)
        seconds = config.get("activeDeadlineSeconds")
        lines = time_limits.deadline_doubts("active_deadline_seconds", seconds, "the run")
        yield from map(rules.doubt_of, lines)
        workspace = map_at(config, "workspace")
        if not workspace or self._count == 1:
            return
        patch = map_at(workspace, "kubernetes", "pvcSpecPatch")
        if patch.get("accessModes") or patch.get("storageClassName"):
            lines = volumes.doubts([Mount("workspace", "all tasks", 2)], {"workspace": patch})
            yield from map(rules.doubt_of, lines)
        else:
            yield rules.doubt_of(
                "the run's workspace was not judged, since its access mode is the server's: with ReadWriteOnce, tasks "
                "on a second node wait for it (Multi-Attach)"
            )

    def name_executors(self, task: str) -> None:
        """Gives the executors names that no other executor has once the pipeline is nested in another one as a task.

        kfp 2.17 renames executors then, and where it does, it mixes up the settings of those that had the same name
        (docs/facts/placement.md#traps-of-kfp).
        """
        for document, path in ((self._spec, _EXECUTORS), (self._platform, _SETTINGS)):
            if table := map_at(document, *path):
                named = {_own_name(task, label): executor for label, executor in table.items()}
                _inside(document, *path[:-1])[path[-1]] = named
        for component in map_at(self._spec, "components").values():
            if "executorLabel" in component:
                component["executorLabel"] = _own_name(task, component["executorLabel"])

    def _wrong(
        self, where: str, expected: str, problem: str = "is not allowed", value: object = ABSENT
    ) -> None:
        self.problems.append(Mistake(where, value, expected, problem))

    def _tasks(
        self,
        name: str,
        component: Object,
        path: str,
        around: tuple[str, ...],
        *,
        stays: str,
        nested: bool,
        inputs: Mapping[str, Claim] | None = None,
    ) -> Iterator[Step]:
        """Tasks of a component that consists of some; those of all within it."""
        tasks = at(component, "dag", "tasks")
        if not is_map(tasks) or not all(map(is_map, tasks.values())):
            self._wrong(f"{name}.dag.tasks", "expected a map of tasks", value=tasks)
            return
        if len(around) > _DEEPEST or name in around:
            self._wrong(
                path, f"expected at most {_DEEPEST} pipelines in each other", "it is in itself, or too deep"
            )
            return
        claims = Claims(self._made_claims(tasks, path), inputs or {})
        for key in sorted(tasks):
            self._count += 1
            if self._count > _MOST:
                if self._count == _MOST + 1:
                    self._wrong("", f"expected at most {_MOST}", "there are too many tasks")
                return
            task = tasks[key]
            here = f"{path}/{key}" if path else key
            reference = at(task, "componentRef", "name")
            inner = map_at(self._spec, "components").get(reference) if isinstance(reference, str) else None
            if not is_map(inner):
                self._wrong(
                    f"task {here!r}.componentRef.name", "expected the name of a component", value=reference
                )
                continue
            inner = self._owned(task["componentRef"], "name", ("components",))
            why = stays or (EXIT if at(task, "triggerPolicy", "strategy") == _EXIT_POLICY else "")
            if "dag" in inner:
                deeper = (*around, name)
                into = claims.into(task)
                yield from self._tasks(reference, inner, here, deeper, stays=why, nested=True, inputs=into)
            elif step := self._step(here, task, inner, stays=why, nested=nested):
                yield claims.mounted_by(step, task)

    def _step(self, path: str, task: Json, component: Json, *, stays: str, nested: bool) -> Step | None:
        label = component.get("executorLabel")
        if not isinstance(label, str) or not is_map(map_at(self._spec, *_EXECUTORS).get(label)):
            self._wrong(f"task {path!r}.executorLabel", "expected the name of an executor", value=label)
            return None
        executor = self._owned(component, "executorLabel", _EXECUTORS)
        label = component["executorLabel"]
        container = map_at(executor, "container")
        if "importer" in executor:
            stays = IMPORTER
        elif not container or container.get("image") in DRIVER_IMAGES:
            stays = WITHOUT_POD
        parameters = map_at(component, "inputDefinitions", "parameters").values()
        final_status = any(
            at(parameter, "parameterType") == _FINAL_STATUS for parameter in parameters
        ) or any(
            at(parameter, "taskFinalStatus") is not None
            for parameter in map_at(task, "inputs", "parameters").values()
        )
        passthroughs = component.get("taskConfigPassthroughs") or []
        settings = _or_empty(map_at(self._platform, *_SETTINGS).get(label))
        for value, fits, where in (
            (settings, is_map, f"{'.'.join(_SETTINGS)}.{label}"),
            (
                _or_empty(container.get("resources")),
                is_map,
                f"{'.'.join(_EXECUTORS)}.{label}.container.resources",
            ),
            (passthroughs, is_maps, f"task {path!r}.taskConfigPassthroughs"),
        ):
            if not fits(value):
                self._wrong(where, f"expected a {'map' if fits is is_map else 'list of maps'}", value=value)
                return None

        def write(placed: Placed) -> None:
            _inside(self._platform, *_SETTINGS)[label] = placed.settings
            if placed.retry:
                task["retryPolicy"] = dict(placed.retry)
            if placed.gpus:
                count = str(placed.gpus)
                # The names of today, and those of old, which the compiler still writes for old backends.
                _inside(executor, "container", "resources")["accelerator"] = {
                    "count": count,
                    "resourceCount": count,
                    "resourceType": GPU,
                    "type": GPU,
                }

        return Step(
            path=path,
            stays=stays or (EXIT if final_status else ""),
            nested=nested,
            drives=drives_spark(
                word
                for key in ("command", "args")
                if isinstance(words := container.get(key), list)
                for word in words
            ),
            settings=settings,
            retry=map_at(task, "retryPolicy") or None,
            accelerator=_accelerator(map_at(container, "resources", "accelerator")),
            resources={
                "requests": _amounts(map_at(container, "resources"), "Request"),
                "limits": _amounts(map_at(container, "resources"), "Limit"),
            },
            passthroughs=frozenset(str(passthrough.get("field")) for passthrough in passthroughs)
            if passthroughs
            else None,
            final_status=final_status,
            write=write,
        )

    def _made_claims(self, tasks: Mapping[str, Object], path: str) -> dict[str, Claim]:
        """The claims that some tasks make, by task, as far as their access modes can be read."""
        claims: dict[str, Claim] = {}
        for key, task in tasks.items():
            component = map_at(self._spec, "components", str(at(task, "componentRef", "name")))
            executor = map_at(self._spec, *_EXECUTORS, str(component.get("executorLabel")))
            modes, storage = (
                at(task, "inputs", "parameters", name, "runtimeValue", "constant")
                for name in ("access_modes", "storage_class_name")
            )
            if at(executor, "container", "image") == _CREATES_CLAIM and isinstance(modes, list):
                spec = {"accessModes": modes, "storageClassName": storage}
                claims[key] = Claim(f"{path}/{key}".removeprefix("/"), spec)
        return claims

    def _owned(self, holder: Json, key: str, table_path: tuple[str, ...]) -> Json:
        """What a holder refers to by name; a copy under a name of its own where another one refers to it too.

        The compiler gives each task a component and an executor of its own; other tools may not.
        """
        name: str = holder[key]
        table: Json = at(self._spec, *table_path)
        if (table_path[-1], name) in self._seen:
            copy_name = next(
                copy_name
                for number in range(2, len(table) + 3)
                if (copy_name := f"{name}-{number}") not in table
            )
            table[copy_name] = copied(table[name])
            if table_path == _EXECUTORS and (settings := map_at(self._platform, *_SETTINGS).get(name)):
                _inside(self._platform, *_SETTINGS)[copy_name] = copied(settings)
            holder[key] = name = copy_name
        self._seen.add((table_path[-1], name))
        return table[name]


def _own_name(task: str, label: str) -> str:
    """An executor's name with the task's in it; the compiler writes no two dashes in a row."""
    start = f"exec-{task}--"
    return label if label.startswith(start) else f"{start}{label.removeprefix('exec-')}"


def _accelerator(accelerator: Object) -> tuple[str | None, str | None]:
    """Type and amount; SDKs before 2.10 write the old names only."""
    kind = accelerator.get("resourceType") or accelerator.get("type")
    amount = accelerator.get("resourceCount") or accelerator.get("count")
    return (None if kind is None else str(kind)), (None if amount is None else str(amount))


def _amounts(resources: Object, part: str) -> dict[str, str]:
    """CPU and memory; SDKs before 2.10 write numbers only, of cores and of gigabytes."""
    amounts: dict[str, str] = {}
    for name, unit in (("cpu", ""), ("memory", "G")):
        number = resources.get(f"{name}{part}")
        amount = resources.get(f"resource{name.capitalize()}{part}") or (number and f"{number}{unit}")
        if amount:
            amounts[name] = str(amount)
    return amounts


def _or_empty(value: Any) -> Any:
    """The value; an empty map where it is left out, or null."""
    return {} if value is None else value


def _inside(document: Json, *path: str) -> Json:
    """The map at a path, which is made where it is missing."""
    for key in path:
        if document.get(key) is None:
            document[key] = {}
        document = document[key]
    return document
