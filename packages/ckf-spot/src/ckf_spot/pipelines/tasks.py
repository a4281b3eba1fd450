"""Places tasks of Kubeflow Pipelines v2 in Python, so that they survive an eviction (why: `docs/pipelines.md`)."""

import copy
import re
import warnings
from collections.abc import Callable, Collection, Iterator
from functools import partial
from importlib import metadata
from typing import Any, Final, NoReturn, Unpack

import yaml
from google.protobuf import json_format
from kfp import dsl
from kfp.dsl import base_component, pipeline_context, yaml_component
from kfp.dsl.types import type_utils

from ckf_spot import install
from ckf_spot.agent_pool import GPU
from ckf_spot.errors import ABSENT, EvictionWarning, Mistake, Mistakes, PlacementError, missing, refusal
from ckf_spot.fields import Json
from ckf_spot.pipelines import request as requests
from ckf_spot.pipelines import rules, whole
from ckf_spot.pipelines.compiled import Pipeline
from ckf_spot.pipelines.report import Report
from ckf_spot.pipelines.request import PlacingOptions
from ckf_spot.pipelines.step import DRIVER_IMAGES, EXIT, IMPORTER, WITHOUT_POD, Placed, Step, drives_spark
from ckf_spot.pool_group import PoolGroup

_SDK: Final = (2, 17)
"""First SDK that keeps a long `backoff_max_duration`; older ones make 3600 s of it (kubeflow/pipelines#13452)."""


def place(
    task: dsl.PipelineTask,
    group: PoolGroup,
    *,
    gpus: int | None = None,
    **options: Unpack[PlacingOptions],
) -> dsl.PipelineTask:
    """Places a task on a group of pools and has it retried after an eviction.

    Importers, exit tasks, notifications (whatever takes a `PipelineTaskFinalStatus`) and tasks that run even after a
    failure come back as they are, and so stay off spot nodes: what reports on a run must not be lost with it.

    Args:
        task: what a component returns inside a function with `@dsl.pipeline`.
        group: pools, and the backend that runs the pipeline.
        gpus: see `request.read`.
        options: see `request.read`.

    Returns:
        The task.

    Raises:
        PlacementError: with every mistake, one a line; the task is then as it was.

    Warns:
        EvictionWarning: once for each label that the task selects and that is not known of the pools' nodes.
    """
    mistakes = Mistakes()
    mistakes.catch(_check_sdk)
    request = requests.read(mistakes, group, gpus=gpus, **options)
    step = mistakes.catch(lambda: _step(task))
    if step:
        mistakes.add(rules.backend_problems(step, group.backend))
        if step.stays:
            mistakes.add(rules.stay_doubts(step, request))
        else:
            mistakes.add(rules.problems(step, request))
            if request.placement.spot:
                mistakes.add(rules.window_doubts([step]))
    mistakes.raise_all()
    for doubt in mistakes.doubts:
        warnings.warn(str(doubt), EvictionWarning, stacklevel=3)
    if step and not step.stays:
        step.write(rules.placed(step, request))
    return task


def place_pipeline(
    pipeline: base_component.BaseComponent | None,
    group: PoolGroup,
    *,
    except_: str | Collection[str] = (),
    **options: Unpack[PlacingOptions],
) -> Report:
    """Places every task of a pipeline: those in loops, conditions, exit handlers and nested pipelines too.

    Left alone, with a warning that says why: what `place` leaves alone; what is named in `except_`; on GPU pools what
    requests no GPU, and on others what requests one. A task that was placed before stays where it is, and a task's own
    retries stay.

    Args:
        pipeline: a function with `@dsl.pipeline`, which is changed. None inside such a function: all its tasks so far.
        group: see `place`.
        except_: names of tasks that are left alone, or of the loops, conditions and pipelines around them.
        options: see `request.read`.

    Returns:
        What became of each task.

    Raises:
        PlacementError: with every mistake, one a line; the pipeline is then as it was.
    """
    mistakes = Mistakes()
    mistakes.catch(_check_sdk)
    request = requests.read(mistakes, group, **options)
    steps, writes, doubts = _made_so_far() if pipeline is None else _compiled(pipeline)
    mistakes.add(doubts if request.placement.spot else ())
    report = whole.place(steps, request, except_, mistakes)
    for write in writes:
        write()
    return report


_Found = tuple[list[Step], list[Callable[[], None]], list[Mistake]]
"""Tasks, what is to be called once they are placed, and what of the whole run an eviction meets."""


def _made_so_far() -> _Found:
    """The tasks of the pipeline whose function runs."""
    current: Any = pipeline_context.Pipeline.get_default_pipeline()
    if current is None:
        raise refusal(
            "pipeline", ABSENT, "name one, or call place_pipeline() inside @dsl.pipeline", "is missing"
        )
    steps: list[Step] = []
    writes: list[Callable[[], None]] = []
    for task in current.tasks.values():
        if task.pipeline_spec is None:
            steps.append(_step(task))
            continue
        nested = Pipeline(_documents(task.component_spec))
        steps += nested.steps(_path(task), _whether_exit(task), nested=True)
        writes.append(partial(_give_own_pipeline, task, nested))
    return steps, writes, []


def _compiled(pipeline: Any) -> _Found:
    """The tasks of a pipeline that is made already."""
    spec = getattr(pipeline, "component_spec", None)
    if spec is None or spec.implementation.graph is None:
        raise refusal("pipeline", pipeline, "expected a function with @dsl.pipeline", "is no pipeline")
    compiled = Pipeline(_documents(spec))

    def write() -> None:
        _write(compiled, spec.implementation.graph, spec.platform_spec)
        if isinstance(pipeline, yaml_component.YamlComponent):  # the compiler reads its text again
            pipeline.component_yaml = yaml.safe_dump_all(compiled.documents)

    return list(compiled.steps()), [write], list(compiled.config_doubts())


def _documents(spec: Any) -> list[Json]:
    return [json_format.MessageToDict(message) for message in (spec.implementation.graph, spec.platform_spec)]


def _write(pipeline: Pipeline, graph: Any, platform: Any) -> None:
    """Puts placed documents into a pipeline's own messages, which the tasks made of it share."""
    for document, message in zip(pipeline.documents, (graph, platform), strict=False):
        message.Clear()
        json_format.ParseDict(document, message)


def _give_own_pipeline(task: Any, placed: Pipeline) -> None:
    """Gives a task a nested pipeline of its own; other tasks of the same pipeline are not changed."""
    if placed.documents == _documents(task.component_spec):
        return
    placed.name_executors(task.name)
    graph, platform = type(task.pipeline_spec)(), type(task.component_spec.platform_spec)()
    _write(placed, graph, platform)
    task.component_spec = copy.copy(task.component_spec)
    task.component_spec.implementation = copy.copy(task.component_spec.implementation)
    task.component_spec.implementation.graph = task.pipeline_spec = graph
    task.component_spec.platform_spec = platform


def _step(task: Any) -> Step:
    """A task with a container; PlacementError where it is none."""
    if isinstance(task, base_component.BaseComponent):
        expected = "place what it returns inside @dsl.pipeline; place_pipeline places all tasks of a pipeline"
        raise refusal("task", task.name, expected, "is a component or a pipeline")
    if not isinstance(task, dsl.PipelineTask):
        expected = "expected what a component returns inside a function with @dsl.pipeline"
        raise refusal("task", task, expected, "is no task")
    if task.state.name == "FINAL":
        expected = "call its component inside @dsl.pipeline"
        raise refusal(f"task {task.name!r}", ABSENT, expected, "it has run already")
    if task.pipeline_spec is not None:
        expected = "place the tasks inside it, all of them with place_pipeline"
        raise refusal(f"task {task.name!r}", ABSENT, expected, "it is a pipeline, and has no pod")
    container: Any = task.container_spec
    resources = container.resources if container else None
    passthroughs = getattr(task.component_spec, "task_config_passthroughs", None)
    policy = task._task_spec.retry_policy  # noqa: SLF001 - kfp has no reader for it  # pyright: ignore[reportPrivateUsage]
    return Step(
        path=_path(task),
        stays=_whether_stays(task),
        nested=task.parent_task_group is not None and not task.parent_task_group.is_root,
        drives=bool(container) and drives_spark([*(container.command or ()), *(container.args or ())]),
        settings=task.platform_config.get("kubernetes", {}),
        retry=json_format.MessageToDict(policy.to_proto()) if policy else None,
        accelerator=(resources.accelerator_type, resources.accelerator_count) if resources else (None, None),
        resources={
            "requests": _stated(cpu=resources.cpu_request, memory=resources.memory_request),
            "limits": _stated(cpu=resources.cpu_limit, memory=resources.memory_limit),
        }
        if resources
        else {},
        passthroughs=frozenset(passthrough.field.name for passthrough in passthroughs)
        if passthroughs
        else None,
        final_status=_takes_final_status(task),
        write=partial(_write_task, task),
    )


def _stated(**amounts: str | None) -> dict[str, str]:
    return {name: amount for name, amount in amounts.items() if amount is not None}


def _write_task(task: dsl.PipelineTask, placed: Placed) -> None:
    task.platform_config["kubernetes"] = placed.settings
    if placed.retry:
        task.set_retry(
            placed.retry["maxRetryCount"],
            placed.retry["backoffDuration"],
            placed.retry["backoffFactor"],
            placed.retry["backoffMaxDuration"],
        )
        task.set_retry = partial(_refuse_retry, task.name)
    if placed.gpus:
        task.set_accelerator_type(GPU).set_accelerator_limit(
            placed.gpus
        )  # the driver ignores either one alone


def _refuse_retry(name: str, *_: object, **__: object) -> NoReturn:
    """Takes the place of a placed task's `set_retry`, which would undo the retries without a word."""
    raise refusal(
        f"task {name!r}",
        ABSENT,
        "give place() the retries, or retries=0 to keep to set_retry before it",
        "set_retry after place() undoes its retries",
    )


def _path(task: Any) -> str:
    """The task's name, after those of the loops, conditions and exit handlers around it."""

    def around() -> Iterator[str]:
        group = task.parent_task_group
        while group is not None and not group.is_root:
            yield group.name
            group = group.parent_task_group

    return "/".join([*reversed([*around()]), task.name])


def _whether_stays(task: Any) -> str:
    """Why a task is left alone; empty where it is not."""
    if task.importer_spec is not None:
        return IMPORTER
    if task.container_spec and task.container_spec.image in DRIVER_IMAGES:
        return WITHOUT_POD
    return EXIT if _takes_final_status(task) else _whether_exit(task)


def _whether_exit(task: Any) -> str:
    """Why a task that runs even when those before it have failed is left alone."""
    return EXIT if getattr(task, "is_exit_handler", False) or task._ignore_upstream_failure_tag else ""  # noqa: SLF001


def _takes_final_status(task: Any) -> bool:
    inputs = task.component_spec.inputs or {}
    return any(type_utils.is_task_final_status_type(source.type) for source in inputs.values())


def _check_sdk() -> None:
    for name in ("kfp", "kfp-kubernetes"):
        try:
            installed = metadata.version(name)
        except metadata.PackageNotFoundError:
            raise PlacementError(missing(name, install.hint("kfp"))) from None
        numbers = tuple(int(number) for number in re.findall(r"\d+", installed)[:2])
        if numbers < _SDK:
            raise refusal(
                name,
                ABSENT,
                "expected 2.17 or newer, which compiles for older backends as well",
                f"{installed} is too old: before 2.17, kfp ends a task's retries after 3600 s "
                "whatever the task sets",
            )
