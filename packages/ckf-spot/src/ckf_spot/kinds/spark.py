"""Spark applications of Kubeflow's operator: SparkApplication and ScheduledSparkApplication (v1beta2, 1.x and 2.x)."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from ckf_spot import fields, judgements
from ckf_spot.agent_pool import POOL_LABEL, SPOT_LABEL, WORKLOAD_LABEL
from ckf_spot.errors import Mistake
from ckf_spot.fields import Json, Object, at, is_map, is_maps, is_texts, map_at, maps_at
from ckf_spot.kinds.kind import (
    Kind,
    PlacingRequest,
    Pods,
    Wrapper,
    claim_names,
    contradiction,
    unknown_roles,
)
from ckf_spot.placement import Placement
from ckf_spot.pods import template as template_on

_EXECUTORS: Final = "executor"
_ROLES: Final = ("driver", _EXECUTORS)
_VERSION: Final = "sparkoperator.k8s.io/v1beta2"
_APPLICATION: Final = judgements.names("SparkApplicationSpec")
_EXECUTOR: Final = judgements.names("SparkExecutor")
_DRIVER: Final = judgements.names("SparkDriver")
_SCHEDULED: Final = judgements.names("ScheduledSparkApplication", "spec")
_PLACING: Final = ("affinity", "tolerations", "terminationGracePeriodSeconds")
"""Fields beside the template that the operator's webhook puts over the template's, or next to them."""
_FIELDS: Final = ("nodeSelector", *_PLACING)
_DECOMMISSION: Final = ("spark.decommission.enabled", "spark.storage.decommission.enabled")
_BLOCKS: Final = (
    "spark.storage.decommission.rddBlocks.enabled",
    "spark.storage.decommission.shuffleBlocks.enabled",
)
"""What is handed over."""
_BLOCKS_BY_DEFAULT: Final = (3, 4)
"""Release from which they are on by default (seen with PySpark 3.1.3, 3.2.4, 3.3.4, 3.4.4 and 4.3.0)."""
_NEWEST: Final = (9, 9)
_FAILURES: Final = "spark.executor.maxNumFailures"
_DYNAMIC: Final = "spark.dynamicAllocation"
_MANY: Final = "1000"
"""More executors than evictions take from an application; the driver's own errors end it all the same."""
_OFF_THE_JVM: Final = ("Python", "R")
_OVERHEAD, _OVERHEAD_OF_OTHERS, _LEAST_OVERHEAD = 0.1, 0.4, 384
"""Parts of a pod's memory that Spark adds to it for what is not Java's, and the least in MiB."""
_UNITS: Final = {"k": 1 / 1024, "": 1, "m": 1, "g": 1024, "t": 1024**2}
_SELECTOR: Final = "spark.kubernetes.node.selector."
_DEDICATED: Final = frozenset({POOL_LABEL, SPOT_LABEL, WORKLOAD_LABEL, "agentpool"})
"""Labels of nodes whose taints a driver does not tolerate."""


@dataclass(frozen=True)
class _Pods(Pods):
    """Pods of the driver or the executors: a template, fields of their own that the webhook sets, or both."""

    keeps: bool = (
        True  # the schema of its template is open, and Spark reads it with a library that skips such fields
    )
    application: Object = field(default_factory=dict[str, Any])

    def template(self, document: Json) -> Any:
        """What the pods will be, as far as it decides where they run."""
        role = at(document, *self.path)
        has = role.get("template")
        if has is not None and not is_map(has):
            return has
        template: Object = has or {"metadata": {"annotations": role.get("annotations") or {}}, "spec": {}}
        spec = map_at(template, "spec")
        if not has:
            spec = {key: role[key] for key in _FIELDS if role.get(key) is not None}
        if is_map(spec.get("nodeSelector") or {}):
            spec = {
                **spec,
                "nodeSelector": {**(spec.get("nodeSelector") or {}), **_selected(document, self.path[0])},
            }
        return {**template, "spec": {**spec, "containers": _containers(document, self.path[0], spec)}}

    def claims(self, document: Json) -> list[str]:
        """What they mount of the application's volumes, and the claims in their template."""
        mounts = {mount.get("name") for mount in maps_at(document, *self.path, "volumeMounts")}
        volumes = [volume for volume in maps_at(document, "volumes") if volume.get("name") in mounts]
        return claim_names([*volumes, *maps_at(document, *self.path, "template", "spec", "volumes")])

    def put(self, document: Json, template: Json) -> None:
        """Writes into the template where there is one, and into the role's fields where there is none."""
        role = at(document, *self.path)
        placed = {key: template["spec"][key] for key in _PLACING if key in template["spec"]}
        if role.get("template"):
            role["template"]["spec"] = {**map_at(role, "template", "spec"), **placed}
            role["template"]["metadata"] = template["metadata"]
        else:
            role.update(placed, annotations=template["metadata"]["annotations"])

    def keep(self, document: Json) -> None:
        """Into the template where there is one, and else into the role's annotations."""
        role = at(document, *self.path)
        if role.get("template"):
            role["template"]["metadata"] = template_on.annotated(map_at(role, "template", "metadata"))
        else:
            role["annotations"] = template_on.annotated(role)["annotations"]

    def located(self, mistake: Mistake, where: str) -> Mistake:
        """The mistake at its path; there is no spec between a role without a template and its fields."""
        if map_at(self.application, self.path[0]).get("template"):
            return replace(mistake, path=mistake.path.replace(where, f"{where}.template", 1))
        for long, short in ((".metadata", ""), (".spec.containers", ""), (".spec", "")):
            if mistake.path.startswith(where + long):
                return replace(mistake, path=where + short + mistake.path.removeprefix(where + long))
        return mistake


class _Application(Kind):
    """The spec of an application.

    The driver makes lost executors again; with the driver the application is lost, so it stays. The placement goes into
    the executors' own fields, which the operator's webhook sets in every release, or into their template, which
    releases from 2.0 on take.
    """

    has_roles = True
    rigid = ""

    def problems(self, document: Object, request: PlacingRequest) -> Iterator[Mistake]:
        """Mistakes down to the driver and the executors."""
        yield from fields.problems(document, "", _APPLICATION, _ROLES)
        for name in ("nodeSelector", "sparkConf"):
            value = document.get(name)
            if value is not None and not is_texts(value):
                yield Mistake(name, value, "expected a map of texts")
        for role, allowed in zip(_ROLES, (_DRIVER, _EXECUTOR), strict=True):
            part = document.get(role)
            if part is None:
                continue
            yield from fields.problems(part, role, allowed)
            if not is_map(part):
                continue
            if part.get("nodeSelector") is not None and not is_texts(part["nodeSelector"]):
                yield Mistake(f"{role}.nodeSelector", part["nodeSelector"], "expected a map of texts")
            gpu = part.get("gpu")
            if gpu is not None and not (is_map(gpu) and isinstance(gpu.get("name"), str)):
                yield Mistake(f"{role}.gpu", gpu, "expected a map with name and quantity")
            if part.get("template") is not None:
                yield from (
                    Mistake(
                        f"{role}.{key}",
                        part[key],
                        f"expected it under {role}.template.spec",
                        "stands beside a template",
                    )
                    for key in _PLACING
                    if part.get(key) is not None
                )

    def request_problems(self, document: Object, request: PlacingRequest) -> Iterator[Mistake]:
        """Another role than driver and executor."""
        yield from unknown_roles(request, _ROLES)

    def pods(self, document: Object, request: PlacingRequest) -> Iterator[Pods]:
        """Those of both."""
        for role in _ROLES:
            if is_map(document.get(role)):
                moves = request.vanishes(role, by_default=role == _EXECUTORS)
                yield _Pods((role,), role, moves, application=document)

    def misfits(self, document: Object, placement: Placement, request: PlacingRequest) -> Iterator[Mistake]:
        """A selector that holds for the driver too, which then waits for nodes whose taints it does not tolerate."""
        if "driver" in (*request.also, *request.on_demand):
            return
        conf = {
            f"sparkConf: {key}": (key.removeprefix(_SELECTOR), value)
            for key, value in _conf(document).items()
        }
        selectors = {
            f"nodeSelector: {key}": (key, value) for key, value in map_at(document, "nodeSelector").items()
        }
        for path, (key, value) in {**conf, **selectors}.items():
            if key in _DEDICATED:
                yield contradiction(
                    path, value, "the driver, which stays on other nodes", "expected it under executor"
                )

    def place(self, document: Json, placement: Placement, request: PlacingRequest) -> None:
        """The driver goes on without an evicted executor, which hands over what it has."""
        if _evictable(placement, request) and request.elastic:
            document["sparkConf"] = _elastic(document)

    def doubts(self, document: Object, placement: Placement, request: PlacingRequest) -> Iterator[str]:
        """What Spark would do again, or give up."""
        if (
            placement.spot
            and "driver" in request.also
            and map_at(document, "restartPolicy").get("type") not in ("Always", "OnFailure")
        ):
            yield "an eviction of the driver fails the application; set restartPolicy: {type: OnFailure}"
        if not _evictable(placement, request):
            return
        conf = _elastic(document) if request.elastic else _conf(document)
        if missing := [key for key in _settings(document) if conf.get(key) != "true"]:
            yield (
                f"an evicted executor takes what it has cached and shuffled along, and Spark makes it again; with "
                f"sparkConf {' and '.join(f'{key}: true' for key in missing)} it hands that over first; "
                "--elastic sets what is missing, in Python elastic=True"
            )
        if not _settings(document):
            yield (
                "an evicted executor takes what it has cached and shuffled along, and Spark makes it again; Spark 3.1 "
                "and newer can hand that over first"
            )
        if _FAILURES not in conf and _counts_failures(document):
            yield (
                f"Spark 3.5 and newer ends the application after twice as many failed executors as it has, at least "
                f"3, and an evicted one may count; set sparkConf {_FAILURES}"
            )


_SPEC: Final = _Application()
KINDS: Final[Mapping[str, Kind]] = {
    "SparkApplication": Wrapper(_VERSION, _SPEC),
    "ScheduledSparkApplication": Wrapper(
        _VERSION,
        _SPEC,
        ("spec", "template"),
        _SCHEDULED,
        {name: f"an application's fields belong under template.{name}" for name in _APPLICATION},
    ),
}


def _evictable(placement: Placement, request: PlacingRequest) -> bool:
    """Whether executors may be evicted."""
    return placement.spot and request.vanishes(_EXECUTORS, by_default=True)


def _conf(document: Object) -> Mapping[str, str]:
    conf = document.get("sparkConf")
    return conf if is_texts(conf) else {}


def _elastic(document: Object) -> dict[str, str]:
    """The configuration with what is missing for the loss of an executor; what is in it stays."""
    made = dict.fromkeys(_settings(document), "true") | (
        {_FAILURES: _MANY} if _counts_failures(document) else {}
    )
    return {**_conf(document), **{key: value for key, value in made.items() if key not in _conf(document)}}


def _counts_failures(document: Object) -> bool:
    """Whether Spark ends an application by the number of its failed executors: from 3.5 on.

    With dynamic allocation there is no limit, unless it has one of executors (seen with PySpark 4.3:
    `org.apache.spark.deploy.ExecutorFailureTracker.maxNumExecutorFailures`).
    """
    allocation, conf = map_at(document, "dynamicAllocation"), _conf(document)
    dynamic = allocation.get("enabled") is True or conf.get(f"{_DYNAMIC}.enabled") == "true"
    limited = allocation.get("maxExecutors") is not None or f"{_DYNAMIC}.maxExecutors" in conf
    return _release(document) >= (3, 5) and (limited or not dynamic)


def _settings(document: Object) -> tuple[str, ...]:
    """Settings with which an executor that is being stopped hands over what it has; none before 3.1."""
    release = _release(document)
    if release < (3, 1):
        return ()
    return (*_DECOMMISSION, *_BLOCKS) if release < _BLOCKS_BY_DEFAULT else _DECOMMISSION


def _release(document: Object) -> tuple[int, int]:
    """Release of Spark, such as `(3, 5)`; the newest where it is not known."""
    match = re.match(r"(\d+)\.(\d+)", str(document.get("sparkVersion")))
    return (int(match[1]), int(match[2])) if match else _NEWEST


def _selected(document: Object, role: Any) -> dict[str, str]:
    """All node selectors of the pods that are not in a template."""
    prefixes = (_SELECTOR, f"spark.kubernetes.{role}.node.selector.")
    conf = {
        key.removeprefix(prefix): value
        for prefix in prefixes
        for key, value in _conf(document).items()
        if key.startswith(prefix)
    }
    everywhere, of_role = map_at(document, "nodeSelector"), map_at(document, role, "nodeSelector")
    return {**conf, **everywhere, **of_role}


def _containers(document: Object, role: Any, spec: Object) -> Any:
    """The containers, the first of them with the amounts and GPUs that stand elsewhere."""
    containers = spec.get("containers") or [{"name": role}]
    gpu, conf = map_at(document, role, "gpu"), _conf(document)
    amount = conf.get(f"spark.{role}.resource.gpu.amount")
    vendor = conf.get(f"spark.{role}.resource.gpu.vendor")
    limits = {f"{vendor}/gpu": amount} if vendor and amount else {}
    limits |= {gpu["name"]: gpu.get("quantity")} if isinstance(gpu.get("name"), str) else {}
    if not is_maps(containers):
        return containers
    parts = [containers[0].get("resources") or {}]
    parts += [at(parts[0], part) or {} for part in ("requests", "limits")]
    if not all(map(is_map, parts)):
        return containers
    resources, own_requests, own_limits = parts
    resources = {
        **resources,
        "requests": {**own_requests, **_requests(document, role)},
        "limits": {**own_limits, **limits},
    }
    return [{**containers[0], "resources": resources}, *containers[1:]]


def _requests(document: Object, role: Any) -> dict[str, Any]:
    """CPU and memory that Spark requests for a pod (`docs/running-on-kubernetes.md`, "Spark Properties")."""
    part, conf = map_at(document, role), _conf(document)
    cores = part.get("cores") or conf.get(f"spark.{role}.cores") or 1
    text = str(part.get("memory") or conf.get(f"spark.{role}.memory") or "1g")
    memory = _mebibytes(text)
    overhead = _mebibytes(str(part.get("memoryOverhead") or conf.get(f"spark.{role}.memoryOverhead")))
    if memory is not None and overhead is None:
        default = _OVERHEAD_OF_OTHERS if document.get("type") in _OFF_THE_JVM else _OVERHEAD
        overhead = max(memory * _number(document.get("memoryOverheadFactor"), default), _LEAST_OVERHEAD)
    return {
        "cpu": part.get("coreRequest") or conf.get(f"spark.kubernetes.{role}.request.cores") or cores,
        "memory": text if memory is None or overhead is None else f"{int(memory + overhead)}Mi",
    }


def _mebibytes(text: str) -> float | None:
    """An amount of memory as Java writes it, such as `4g`; None where it is none."""
    match = re.fullmatch(r"(\d+)([kmgt]?)i?b?", text.lower())
    return int(match[1]) * _UNITS[match[2]] if match else None


def _number(text: object, default: float) -> float:
    try:
        return float(str(text))
    except ValueError:
        return default
