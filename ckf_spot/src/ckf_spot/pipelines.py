"""Tasks of Kubeflow Pipelines v2 on spot nodes, and alive after an eviction (why each rule: `docs/pipelines.md`)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata
from typing import Any, Final, get_args

from kfp import dsl
from kfp.dsl.types import type_utils

from ckf_spot import durations
from ckf_spot.agent_pool import GPU, POOL_LABEL, WORKLOAD_LABEL, AgentPool
from ckf_spot.errors import Mistakes, PlacementError, one_of
from ckf_spot.placement import Capacity, Placement
from ckf_spot.pool_group import PoolGroup, Selection

_SDK: Final = (2, 17)
"""First SDK that keeps a long `backoff_max_duration`; older ones make 3600 s of it (kubeflow/pipelines#13452)."""
_FACTOR: Final = 1
"""Factor of the backoff: each wait is as long as the first. The compiler's default is 2.0. Argo cannot read a fraction
such as 1.5, and the task fails without a retry (docs/facts/placement.md#traps-of-kfp)."""


def place(
    task: dsl.PipelineTask,
    group: PoolGroup,
    *,
    prefer: Capacity | None = None,
    require: Capacity | None = None,
    retries: int = 5,
    backoff: str = "5m",
    give_up: str = "7d",
    gpus: int | None = None,
    by: Selection = "node-affinity",
) -> dsl.PipelineTask:
    """Places a task on a group of pools and has it retried after an eviction.

    Importers, exit tasks and notifications (whatever takes a `PipelineTaskFinalStatus`) come back as they are, and so
    stay off spot nodes: what reports on a run must not be lost with it.

    Args:
        task: what a component returns inside a function with `@dsl.pipeline`.
        group: pools, and the backend that runs the pipeline.
        prefer: `spot`: spot nodes if there are any, their on-demand twins instead. The default.
        require: `spot`: nothing but spot, however long that takes; `on-demand`: nothing but on-demand.
        retries: attempts after the first one; 0 leaves the task's own `set_retry` as it is.
        backoff: wait before each of them, as in `5m`; long enough for a node to come up.
        give_up: time from the first attempt's start after which Argo retries no more and kills an attempt that still
            runs: all attempts and waits must fit in.
        gpus: amount of `nvidia.com/gpu`. Left out: what the task asks for itself, or else 1 on nodes that have GPUs.
        by: `node-selector` for backends before 2.14, which ignore node affinity; the preference is lost there.

    Returns:
        The task.

    Raises:
        PlacementError: with every mistake, one a line; the task is then as it was.
    """
    mistakes = Mistakes()
    mistakes.of(_check_sdk)
    mistakes.of(lambda: _check_selection(group, by))
    placement = mistakes.of(lambda: group.placement(prefer=prefer, require=require))
    if placement and by == "node-selector":
        mistakes.of(lambda: placement.node_selector)
    policy = _retry_policy(retries, backoff, give_up, mistakes)
    if mistakes.of(lambda: _check_task(task)):
        mistakes.of(lambda: _check_retries(task, group, retries))
    own_gpus = mistakes.of(lambda: _own_gpus(task))
    pools = placement.pools if placement else group.pools
    count = mistakes.of(lambda: _gpu_count(group.name, pools, gpus, own_gpus))
    mistakes.tell()
    if placement is None or _left_alone(task):
        return task
    _select_nodes(task, placement, by)
    if policy:
        task.set_retry(policy.limit, f"{policy.backoff}s", _FACTOR, f"{policy.give_up}s")
    if count:
        task.set_accelerator_type(GPU).set_accelerator_limit(count)  # the driver ignores either one alone
    return task


@dataclass(frozen=True)
class _RetryPolicy:
    """Retries of a task.

    Attributes:
        limit: attempts after the first one.
        backoff: seconds before each.
        give_up: seconds from the first attempt's start.
    """

    limit: int
    backoff: int
    give_up: int


def _retry_policy(retries: int, backoff: str, give_up: str, mistakes: Mistakes) -> _RetryPolicy | None:
    """The policy, or None where none is asked for or it would be wrong."""
    wait = mistakes.of(lambda: durations.seconds("backoff", backoff))
    end = mistakes.of(lambda: durations.seconds("give_up", give_up))
    limit = mistakes.of(lambda: _whole("retries", retries))
    if not limit or wait is None or end is None:
        return None
    mistakes.of(lambda: _check_window(limit, wait, end))
    return _RetryPolicy(limit, wait, end)


def _whole(name: str, value: int) -> int:
    if type(value) is not int or value < 0:
        raise PlacementError(f"{name}: {value!r} is not allowed; expected a whole number from 0")
    return value


def _check_window(limit: int, wait: int, end: int) -> None:
    """Refuses a window that closes before the last retry: Argo then kills what runs (argoproj/argo-workflows#13044)."""
    if end <= limit * wait:
        raise PlacementError(
            f"give_up: {durations.text(end)!r} is over before the last of {limit} retries starts, each after "
            f"{durations.text(wait)}, and Argo kills what runs then; expected more than "
            f"{durations.text(limit * wait)!r}, by the time that all attempts take"
        )


def _check_sdk() -> None:
    for name in ("kfp", "kfp-kubernetes"):
        try:
            installed = metadata.version(name)
        except metadata.PackageNotFoundError:
            raise PlacementError(f"{name} is missing; pip install 'ckf-spot[kfp]'") from None
        numbers = tuple(int(number) for number in re.findall(r"\d+", installed)[:2])
        if numbers < _SDK:
            raise PlacementError(
                f"{name}: {installed} is too old: before 2.17, kfp ends a task's retries after 3600 s whatever it is "
                "told; expected 2.17 or newer, which compiles for older backends as well"
            )


def _check_task(task: Any) -> bool:
    """Refuses what can't be placed at all, or is placed already; else whether placing changes it."""
    if not isinstance(task, dsl.PipelineTask):
        raise PlacementError(
            f"task: {task!r} is no task; expected what a component returns inside a function with @dsl.pipeline"
        )
    if task.state.name == "FINAL":
        raise PlacementError(f"task {task.name!r} has run already; call its component inside @dsl.pipeline")
    if task.pipeline_spec is not None:
        raise PlacementError(f"task {task.name!r} is a pipeline, and has no pod; place the tasks inside it")
    config: dict[str, Any] = task.platform_config.get("kubernetes", {})
    labels: dict[str, str] = config.get("nodeSelector", {}).get("labels", {})
    required = [term for term in config.get("nodeAffinity", ()) if "weight" not in term]
    if required or {POOL_LABEL, WORKLOAD_LABEL} & set(labels):
        raise PlacementError(
            f"task {task.name!r} is placed already, or has required node affinity of its own; place it once, and leave "
            "that out: Kubernetes ORs required terms, so a second one would let it run where the first forbids it"
        )
    return not _left_alone(task)


def _left_alone(task: dsl.PipelineTask) -> bool:
    """Whether Kubeflow must be able to run the task when spot nodes go."""
    inputs = task.component_spec.inputs or {}
    return (
        task.importer_spec is not None
        or getattr(task, "is_exit_handler", False)
        or any(type_utils.is_task_final_status_type(each.type) for each in inputs.values())
    )


def _check_selection(group: PoolGroup, by: Selection) -> None:
    if by not in get_args(Selection):
        raise one_of("by", by, get_args(Selection))
    if by == "node-affinity" and not group.backend.node_affinity:
        raise PlacementError(
            f"backend: '{group.backend}' ignores node affinity, which 2.14 was the first to read; "
            "expected by='node-selector', or a newer backend"
        )


def _check_retries(task: dsl.PipelineTask, group: PoolGroup, retries: int) -> None:
    """Refuses retries that contradict the task's own, or that the backend ignores."""
    own = task._task_spec.retry_policy  # noqa: SLF001 - kfp has no reader for it  # pyright: ignore[reportPrivateUsage]
    if retries and own is not None:
        raise PlacementError(
            f"retries: {retries!r} contradicts set_retry of task {task.name!r}; expected 0, or leave set_retry out"
        )
    parent = task.parent_task_group
    if retries and parent is not None and not parent.is_root and not group.backend.nested_retries:
        raise PlacementError(
            f"backend: '{group.backend}' retries no task inside a loop, a condition or an exit handler, such as "
            f"{task.name!r}; expected retries=0, or backend 2.15 or newer"
        )


def _own_gpus(task: Any) -> int | None:
    """The GPUs that the task asks for itself, or None."""
    if not isinstance(task, dsl.PipelineTask) or task.container_spec is None or _left_alone(task):
        return None
    resources = task.container_spec.resources
    kind, count = (resources.accelerator_type, resources.accelerator_count) if resources else (None, None)
    if kind not in {None, GPU}:
        raise one_of(f"accelerator type of task {task.name!r}", kind, (GPU,))
    if count is not None and not str(count).isdecimal():
        raise PlacementError(
            f"accelerator limit of task {task.name!r}: it is known at run time only, and so can't be held against "
            "the pool's nodes; expected a whole number"
        )
    return None if count is None else int(count)


def _gpu_count(name: str, pools: Sequence[AgentPool], gpus: int | None, own: int | None) -> int:
    """The GPUs to ask for; 0 for none.

    Work without GPUs would keep GPU nodes busy, so a task on such nodes asks for one at least.
    """
    if gpus is not None and own is not None and gpus != own:
        raise PlacementError(
            f"gpus: {gpus!r} contradicts the task's accelerator limit {own}; leave one of them out"
        )
    most = min(pool.gpus for pool in pools)
    asked = own if gpus is None else gpus
    if asked is None or (asked == 0 and most == 0):
        return min(most, 1)
    if type(asked) is not int or not 1 <= asked <= most:
        allowed = f"from 1 to {most}, all that a node has" if most else "none, as its nodes have no GPU"
        raise PlacementError(f"gpus: {asked!r} is not allowed on {name!r}; expected {allowed}")
    return asked


def _select_nodes(task: dsl.PipelineTask, placement: Placement, by: Selection) -> None:
    from kfp import kubernetes  # noqa: PLC0415 - a package of its own, known by now to be there

    kubernetes.add_toleration_json(task, placement.tolerations)
    if by == "node-selector":
        for key, value in placement.node_selector.items():
            kubernetes.add_node_selector(task, key, value)
        return
    # One call for all expressions: each call is a term of its own, and terms are ORed.
    kubernetes.add_node_affinity(task, [each.as_dict() for each in placement.required])
    if placement.preferred:
        preferred = [each.as_dict() for each in placement.preferred]
        kubernetes.add_node_affinity(task, preferred, weight=placement.weight)
