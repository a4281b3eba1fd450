"""What placing reads of a pipeline's task and what it writes, whether the task is one in Python or in a compiled file.

The settings are those of kfp's `KubernetesExecutorConfig`
(`kubernetes_platform/proto/kubernetes_executor_config.proto`).
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from ckf_spot.errors import Mistake
from ckf_spot.fields import Json, Object, is_map, is_maps, map_at
from ckf_spot.placement import PREFERRED, REQUIRED
from ckf_spot.pods import shape
from ckf_spot.pods.volumes import Mount

IMPORTER: Final = "Kubeflow imports it on its own nodes"
EXIT: Final = "what reports on a run must not be lost with it"
DRIVER: Final = "it is a driver of Spark, and its application is lost with it"
WITHOUT_POD: Final = "Kubeflow does it itself, without a pod"
DRIVER_IMAGES: Final = ("argostub/createpvc", "argostub/deletepvc")
"""Images of tasks that Kubeflow's driver carries out (`backend/src/v2/driver/k8s.go`)."""
_ON_KUBERNETES: Final = "k8s://"
"""Start of the master's address where Kubernetes runs the executors."""
_CLUSTER_MODE: Final = re.compile(r"(--deploy-mode|spark\.submit\.deployMode)[\s=\"',]+cluster\b")


@dataclass(frozen=True)
class Placed:
    """What is written to a task.

    Attributes:
        settings: its Kubernetes settings.
        retry: `retryPolicy` as the compiler writes it; None: the task's own stays.
        gpus: amount of `nvidia.com/gpu`; 0: nothing is written.
    """

    settings: Json
    retry: Json | None
    gpus: int


@dataclass(frozen=True, kw_only=True)
class Step:
    """A task with a container of its own.

    Attributes:
        path: its name, after the names of the loops, conditions and pipelines around it: `for-loop-2/train`.
        stays: why it is left alone; empty where it can be placed.
        nested: whether it is in a loop, a condition, an exit handler or a nested pipeline.
        settings: its Kubernetes settings.
        retry: its own `retryPolicy`, or None.
        drives: whether it is the driver of a Spark application on Kubernetes.
        accelerator: type and amount that it asks for, as texts; None for what it leaves out.
        resources: CPU and memory of its container, as in a pod's `resources`.
        passthroughs: names of the settings that its component hands on to what it makes; None where it hands on none.
        mounts: claims of the pipeline's own that it mounts, as far as they can be read.
        claims: specs of these claims, by name.
        final_status: whether it takes a `PipelineTaskFinalStatus`.
        write: puts on it what was chosen.
    """

    path: str
    stays: str
    nested: bool
    drives: bool
    settings: Object
    retry: Object | None
    accelerator: tuple[str | None, str | None]
    resources: Object
    passthroughs: frozenset[str] | None
    final_status: bool
    write: Callable[[Placed], None]
    mounts: tuple[Mount, ...] = ()
    claims: Mapping[str, Object] = field(default_factory=dict[str, Object])

    @property
    def where(self) -> str:
        """How messages call it."""
        return f"task {self.path!r}"


def drives_spark(command: Iterable[object]) -> bool:
    """Whether a container is the driver of Spark's executors, by its command, arguments and the Python source in them.

    It is one in client mode, which is Spark's default; in cluster mode the driver is a pod of its own
    (`docs/running-on-kubernetes.md`).
    """
    text = " ".join(word for word in command if isinstance(word, str))
    return _ON_KUBERNETES in text and not _CLUSTER_MODE.search(text)


def shape_problems(step: Step) -> Iterator[Mistake]:
    """What is wrong with a task's settings before anything is read of them."""
    terms = step.settings.get("nodeAffinity")
    if terms is not None and not is_maps(terms):
        yield Mistake(f"{step.where}.nodeAffinity", terms, "expected a list of maps")
        return
    for weight in (term["weight"] for term in terms or () if "weight" in term):
        if not isinstance(weight, int | float):
            yield Mistake(f"{step.where}.nodeAffinity.weight", weight, "expected a number from 1 to 100")
    selector = step.settings.get("nodeSelector")
    if selector is not None and not is_map(selector):
        yield Mistake(f"{step.where}.nodeSelector", selector, "expected a map")
        return
    for mistake in shape.override_problems({"spec": pod_spec(step.settings)}, ""):
        yield Mistake(
            f"{step.where}{mistake.path.removeprefix('.spec')}",
            mistake.value,
            mistake.expected,
            mistake.problem,
        )


def pod_spec(settings: Object) -> Json:
    """The part of a pod's spec that chooses nodes, as the driver makes it of well-formed settings.

    What is known at run time only is left out (`backend/src/v2/driver/k8s.go`).
    """
    terms: list[Object] = settings.get("nodeAffinity") or []
    plain = [{key: term[key] for key in _TERM if key in term} for term in terms]
    weights = [term.get("weight") for term in terms]
    affinity: Json = {}
    if required := [term for term, weight in zip(plain, weights, strict=True) if term and weight is None]:
        affinity[REQUIRED] = {"nodeSelectorTerms": required}
    if preferred := [
        {"weight": weight, "preference": term}
        for term, weight in zip(plain, weights, strict=True)
        if term and weight is not None
    ]:
        affinity[PREFERRED] = preferred
    spec: Json = {}
    if affinity:
        spec["affinity"] = {"nodeAffinity": affinity}
    if labels := map_at(settings, "nodeSelector").get("labels"):
        spec["nodeSelector"] = labels
    if tolerations := settings.get("tolerations"):
        spec["tolerations"] = tolerations
    return spec


def settings_of(spec: Object, settings: Object) -> Json:
    """Settings with another choice of nodes.

    Args:
        spec: the part of a pod's spec that chooses nodes.
        settings: where all else comes from.
    """
    node = map_at(spec, "affinity", "nodeAffinity")
    chosen = {
        "nodeAffinity": [
            *map_at(node, REQUIRED).get("nodeSelectorTerms", ()),
            # A float, as in compiled files: the compiler keeps settings in a protobuf Struct.
            *({**term["preference"], "weight": float(term["weight"])} for term in node.get(PREFERRED, ())),
            *(term for term in settings.get("nodeAffinity") or () if not {*_TERM} & term.keys()),
        ],
        "nodeSelector": {"labels": spec["nodeSelector"]} if spec.get("nodeSelector") else {},
        "tolerations": spec.get("tolerations"),
    }
    return {
        **{key: value for key, value in settings.items() if key not in chosen},
        **{key: value for key, value in chosen.items() if value},
    }


_TERM: Final = ("matchExpressions", "matchFields")
