"""What forbids placing a task of a pipeline, and what placing makes of it."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from ckf_spot import durations, time_limits
from ckf_spot.agent_pool import GPU, AgentPool
from ckf_spot.backend import Backend
from ckf_spot.errors import ABSENT, Mistake, not_one_of
from ckf_spot.fields import is_count, is_map, map_at
from ckf_spot.pipelines.request import Request
from ckf_spot.pipelines.step import EXIT, Placed, Step, pod_spec, settings_of, shape_problems
from ckf_spot.placement import PREFERRED
from ckf_spot.pods import fit, gpu_limits, node_selection, volumes
from ckf_spot.pods.template import merged_affinity, merged_tolerations

_JSON_FORMS: Final = (
    (
        "nodeSelector",
        "nodeSelectorJson",
        "add_node_selector_json makes Kubeflow ignore plain node selectors, and may contradict the pools when it runs",
        "take add_node_selector",
    ),
    (
        "nodeAffinity",
        "nodeAffinityJson",
        "add_node_affinity_json adds terms that let it run where the placement forbids it: Kubernetes ORs terms",
        "take add_node_affinity",
    ),
)
"""Settings whose value is a whole structure, which the driver reads when the task starts
(`backend/src/v2/driver/k8s.go`). A toleration in that form only adds to the others, and stays."""


def backend_problems(step: Step, backend: Backend) -> Iterator[Mistake]:
    """Why the backend does not run a pipeline with such a task, wherever it is placed."""
    for reason in backend.refusals(
        final_status=step.final_status, passthroughs=step.passthroughs is not None
    ):
        yield Mistake(step.where, ABSENT, "expected a newer backend", f"backend {str(backend)!r} {reason}")


def problems(step: Step, request: Request) -> Iterator[Mistake]:
    """Why a task that is not left alone can't be placed as requested."""
    backend = request.group.backend
    malformed = list(shape_problems(step))
    yield from malformed
    if malformed:
        return
    yield from _retry_problems(step, request)
    yield from _gpu_problems(step, request)
    yield from _passthrough_problems(step, request)
    yield from _json_problems(step)
    if step.settings.get("nodeAffinity") and not backend.node_affinity:
        yield Mistake(
            step.where,
            ABSENT,
            "expected add_node_selector, or a newer backend",
            f"backend {str(backend)!r} ignores its node affinity",
        )
    reached = [pool.name for pool in own_pools(step, request.group.cluster)]
    if reached and {*reached} != {pool.name for pool in request.placement.pools}:
        yield Mistake(step.where, ABSENT, "place it once", f"it is placed already, on {', '.join(reached)}")
    else:
        container = {"name": step.path, "resources": step.resources}
        spec = {**pod_spec(step.settings), "containers": [container]}
        for mistake in node_selection.problems(spec, request.placement, step.where):
            yield replace(mistake, path=mistake.path.replace(f"{step.where}.containers", step.where))


def stay_doubts(step: Step, request: Request) -> Iterator[Mistake]:
    """A task that stays because an eviction would lose more than itself, and may be on spot all the same."""
    if (step.stays != EXIT and not step.drives) or any(shape_problems(step)):
        return
    spec = pod_spec(step.settings)
    if reached := [pool.name for pool in fit.takers(spec, request.group.cluster) if pool.spot]:
        yield Mistake(
            step.where,
            ABSENT,
            "leave out its toleration",
            f"stays, but tolerates spot nodes and may run on {', '.join(reached)}",
            certain=False,
        )


def window_doubts(steps: Iterable[Step]) -> Iterator[Mistake]:
    """Why retries of tasks' own may be over before they are needed, a line for all tasks that have the same.

    The compiler writes a window of an hour where `set_retry` names none (kfp 2.17, `dsl.structures.RetryPolicy`).
    """
    tasks: dict[tuple[int, int, int, float], list[str]] = defaultdict(list)
    for step in steps:
        retry = step.retry or {}
        end, wait = (durations.of_argo(retry.get(f"backoff{part}Duration")) for part in ("Max", ""))
        limit, factor = retry.get("maxRetryCount"), retry.get("backoffFactor")
        yield from time_limits.factor_doubts(f"backoff_factor of {step.path}", factor)
        if end is not None and is_count(limit) and limit:
            growth = factor if isinstance(factor, int | float) else 1
            tasks[end, limit, wait or 0, growth].append(step.path)
    for (end, limit, wait, factor), paths in tasks.items():
        path = f"backoff_max_duration of {', '.join(paths)}"
        yield from time_limits.window_doubts(path, end, limit=limit, wait=wait, factor=factor)


def volume_doubts(steps: Sequence[Step]) -> Iterator[Mistake]:
    """Claims that the pipeline makes, which one node at a time can mount."""
    mounts = [mount for step in steps for mount in step.mounts]
    claims = {name: claim for step in steps for name, claim in step.claims.items()}
    yield from map(doubt_of, volumes.doubts(mounts, claims))


def doubt_of(text: str) -> Mistake:
    """A line about a pipeline that is placed all the same."""
    return Mistake("", ABSENT, "", text, certain=False)


def placed(step: Step, request: Request) -> Placed:
    """What placing writes to a task without problems."""
    spec = pod_spec(step.settings)
    tolerations = step.settings.get("tolerations") or ()
    spec["tolerations"] = merged_tolerations(tolerations, request.placement)
    if request.by == "node-selector":
        spec["nodeSelector"] = {**(spec.get("nodeSelector") or {}), **request.placement.node_selector}
    else:
        spec["affinity"] = merged_affinity(spec.get("affinity") or {}, request.placement)
    return Placed(
        settings_of(spec, step.settings), None if step.retry else request.retry, gpus(step, request) or 0
    )


def own_pools(step: Step, cluster: Sequence[AgentPool]) -> list[AgentPool]:
    """The pools on which a task was placed before; none where it is free, or names nodes that it can't run on."""
    spec = pod_spec(step.settings)
    if not node_selection.names_pools(spec):
        return []
    return fit.takers(spec, cluster)


def own_gpus(step: Step) -> int | None:
    """The GPUs that it asks for itself; None where it leaves that open, or it is known at run time only."""
    amount = step.accelerator[1]
    return int(amount) if amount is not None and amount.isdecimal() else None


def gpus(step: Step, request: Request) -> int | None:
    """The GPUs of the request: as given, as the task has it, or one on nodes that have some, so that it gets there."""
    gpus = own_gpus(step) if request.gpus is None else request.gpus
    return min(request.placement.gpus, 1) if gpus is None else gpus


def _retry_problems(step: Step, request: Request) -> Iterator[Mistake]:
    """Retries that contradict the task's own, or that the backend ignores."""
    if not request.retries:
        return
    if step.retry and step.retry != request.retry:
        yield Mistake(
            "retries",
            request.retries,
            "expected 0, or leave set_retry out",
            f"contradicts set_retry of {step.where}",
        )
    if step.nested and not request.group.backend.nested_retries:
        yield Mistake(
            "backend",
            str(request.group.backend),
            "expected retries=0, or backend 2.14 or newer",
            f"retries no task inside a loop, a condition, an exit handler or a nested pipeline, such as {step.path!r}",
        )


def _gpu_problems(step: Step, request: Request) -> Iterator[Mistake]:
    kind, amount = step.accelerator
    limit = own_gpus(step)
    if kind not in {None, GPU}:
        yield not_one_of(f"accelerator type of {step.where}", kind, (GPU,))
    elif amount is not None and limit is None:
        yield Mistake(
            f"accelerator limit of {step.where}",
            ABSENT,
            "expected a whole number",
            "it is known at run time only, and so can't be held against the pool's nodes",
        )
    elif None not in {request.gpus, limit} and request.gpus != limit:
        yield Mistake(
            "gpus",
            request.gpus,
            "leave one of them out",
            f"contradicts the accelerator limit {limit} of {step.where}",
        )
    else:
        yield from gpu_limits.problems({step.path: {GPU: gpus(step, request)}}, request.placement, "gpus")


def _passthrough_problems(step: Step, request: Request) -> Iterator[Mistake]:
    """Settings that the component does not hand on: kfp's compiler refuses the whole pipeline then."""
    if step.passthroughs is None:
        return
    affinity = request.by == "node-affinity"
    needed = {
        "KUBERNETES_TOLERATIONS": bool(request.placement.tolerations),
        "KUBERNETES_AFFINITY": affinity,
        "KUBERNETES_NODE_SELECTOR": not affinity,
        "RESOURCES": bool(gpus(step, request)),
    }
    if lacking := [
        field for field, set_here in needed.items() if set_here and field not in step.passthroughs
    ]:
        yield Mistake(
            step.where,
            ABSENT,
            f"add {', '.join(lacking)}",
            "its component lists task_config_passthroughs without all that placing sets, which kfp refuses to compile",
        )


def _is_wish(form: object) -> bool:
    """Whether an affinity, known when the pipeline is compiled, requires nothing."""
    constant = map_at(form, "runtimeValue").get("constant")
    return is_map(constant) and constant.keys() <= {PREFERRED}


def _json_problems(step: Step) -> Iterator[Mistake]:
    for setting, form, problem, expected in _JSON_FORMS:
        value = step.settings.get(setting)
        forms = [item[form] for item in (value if isinstance(value, list) else [value or {}]) if form in item]
        if not all(map(_is_wish, forms)):
            yield Mistake(step.where, ABSENT, expected, problem)
