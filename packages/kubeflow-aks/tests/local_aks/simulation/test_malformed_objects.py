"""An object that makes no sense is reported once and left out; the simulation goes on with the rest."""

import copy
import random
from collections.abc import Callable, Generator, Sequence
from typing import Any

import pytest

from kubeflow_aks.clients.kubernetes.objects import is_list, is_object
from tests.local_aks.simulation.simulated import FakeCluster, World, pod_spec, pool

Object = dict[str, Any]
BATCH = pod_spec(cpu="3", selector={"workload": "cpu"}, tolerates=("spot",))
JUNK: list[Any] = [
    None,
    True,
    -1,
    2.5,
    "",
    "abc",
    [],
    ["abc"],
    [None],
    [[]],
    [{}],
    {},
    {"abc": "abc"},
    {"a": {}},
]


def a_node() -> Object:
    return {
        "metadata": {"name": "odd", "uid": "node-uid", "labels": {"zone": "1"}, "annotations": {"note": "x"}},
        "spec": {"taints": [{"key": "reserved", "value": "yes", "effect": "NoSchedule"}]},
        "status": {
            "allocatable": {"cpu": "4", "memory": "8Gi", "pods": "10"},
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }


def a_pod() -> Object:
    term = {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["1"]}]}
    affinity = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
    resources = {"requests": {"cpu": "100m"}, "limits": {"memory": "1Gi"}}
    return {
        "metadata": {
            "name": "odd",
            "namespace": "default",
            "uid": "pod-uid",
            "labels": {"app": "odd"},
            "annotations": {"note": "x"},
            "ownerReferences": [{"kind": "Job", "controller": True}],
        },
        "spec": {
            "nodeName": "odd",
            "priority": 0,
            "nodeSelector": {"zone": "1"},
            "affinity": {"nodeAffinity": affinity},
            "tolerations": [{"key": "reserved", "operator": "Equal", "value": "yes", "effect": "NoSchedule"}],
            "initContainers": [{"name": "first", "restartPolicy": "Always", "resources": resources}],
            "containers": [{"name": "main", "resources": resources}],
            "overhead": {"cpu": "10m"},
            "volumes": [{"emptyDir": {}}],
        },
        "status": {"phase": "Running", "conditions": [{"type": "PodScheduled", "status": "True"}]},
    }


def a_daemon_set() -> Object:
    spec = {key: value for key, value in a_pod()["spec"].items() if key != "nodeName"}
    return {"metadata": {"name": "odd", "namespace": "default"}, "spec": {"template": {"spec": spec}}}


def a_budget() -> Object:
    expression = {"key": "app", "operator": "In", "values": ["odd"]}
    selector = {"matchLabels": {"app": "odd"}, "matchExpressions": [expression]}
    return {
        "metadata": {"name": "odd", "namespace": "default"},
        "spec": {"selector": selector},
        "status": {"disruptionsAllowed": 1},
    }


class WithOddObjects(FakeCluster):
    """An API server that shows the simulation some objects that its own controllers do not see."""

    odd_nodes: Sequence[Object] = ()
    odd_pods: Sequence[Object] = ()
    odd_daemon_sets: Sequence[Object] = ()
    odd_budgets: Sequence[Object] = ()
    bend: Callable[[Object], Object] | None = None
    """Changes every object that is there."""
    settling = False

    def settle(self) -> None:
        """Run the controllers on what is not odd."""
        self.settling = True
        super().settle()
        self.settling = False

    def nodes(self) -> Sequence[Object]:
        """All Node objects."""
        return self._shown(super().nodes(), self.odd_nodes)

    def pods(self) -> Sequence[Object]:
        """All Pod objects."""
        return self._shown(super().pods(), self.odd_pods)

    def daemon_sets(self) -> Sequence[Object]:
        """All DaemonSet objects."""
        return self._shown(super().daemon_sets(), self.odd_daemon_sets)

    def disruption_budgets(self) -> Sequence[Object]:
        """All PodDisruptionBudget objects."""
        return self._shown(super().disruption_budgets(), self.odd_budgets)

    def _shown(self, real: Sequence[Object], odd: Sequence[Object]) -> Sequence[Object]:
        if self.settling:
            return real
        return [*(map(self.bend, real) if self.bend else real), *odd]


def a_world() -> tuple[World, WithOddObjects]:
    """An empty spot pool, and an API server to put odd objects on."""
    profile = {"scaleDownUnneededTime": "20s", "scaleDownDelayAfterAdd": "20s"}
    world = World([pool("cpuspot", scaleSetPriority="Spot", nodeLabels={"workload": "cpu"})], profile=profile)
    world.cluster = cluster = WithOddObjects(world.clock)
    world.restart()
    return world, cluster


def with_value(obj: Object, path: str, value: object) -> Object:
    """The object with something else in one place; numbers in the path are positions in lists."""
    *parents, last = (int(key) if key.isdecimal() else key for key in path.split("."))
    inner: Any = obj
    for key in parents:
        inner = inner[key]
    inner[last] = value
    return obj


@pytest.mark.parametrize(
    ("kind", "odd", "message"),
    [
        ("Node", with_value(a_node(), "status.allocatable", {"cpu": "abc"}), "allocatable: {'cpu': 'abc'}"),
        ("Node", with_value(a_node(), "status", "fine"), "status: 'fine'"),
        ("Node", with_value(a_node(), "spec.taints.0", {"key": "reserved"}), "effect: None"),
        ("Node", with_value(a_node(), "metadata.labels", ["zone"]), "labels: ['zone']"),
        ("Pod", with_value(a_pod(), "spec.tolerations.0.operator", "Like"), "operator: 'Like'"),
        ("Pod", with_value(a_pod(), "spec.tolerations", {"key": "x"}), "tolerations: {'key': 'x'}"),
        ("Pod", with_value(a_pod(), "spec.containers.0.resources.requests", {"cpu": "1 core"}), "requests: "),
        ("Pod", with_value(a_pod(), "spec", None), ""),
        ("Pod", with_value(a_pod(), "status.phase", ["Running"]), "phase: ['Running']"),
        ("Pod", with_value(a_pod(), "spec.priority", "high"), "priority: 'high'"),
        ("DaemonSet", with_value(a_daemon_set(), "spec.template", None), ""),
        (
            "DaemonSet",
            with_value(a_daemon_set(), "spec.template.spec.nodeSelector", {"zone": 1}),
            "nodeSelector: ",
        ),
        (
            "PodDisruptionBudget",
            with_value(a_budget(), "spec.selector.matchExpressions.0.operator", "Is"),
            "operator: 'Is'",
        ),
        (
            "PodDisruptionBudget",
            with_value(a_budget(), "status.disruptionsAllowed", "1"),
            "disruptionsAllowed: '1'",
        ),
    ],
)
def test_an_object_that_makes_no_sense_is_reported_once_and_left_out(
    kind: str, odd: Object, message: str
) -> None:
    world, cluster = a_world()
    shown = {"Node": "odd_nodes", "Pod": "odd_pods", "DaemonSet": "odd_daemon_sets"}.get(kind, "odd_budgets")
    setattr(cluster, shown, [odd])
    cluster.create_pod("work", BATCH)
    world.run_until_running("work")
    world.run(30)
    errors = [line["detail"] for line in world.journal("error")]
    if message:
        [detail] = errors
        name = "odd" if kind == "Node" else "default/odd"
        assert detail.startswith(f"{kind} {name}: {message}")
        assert " is not allowed; expected " in detail
    else:
        assert errors == []


def bent(obj: Object, rng: random.Random) -> Object:
    """A copy with junk in one to three places, or without what was there."""
    root: Object = {"object": copy.deepcopy(obj)}
    for _ in range(rng.randint(1, 3)):
        inside, key = rng.choice(list(_places(root["object"], root, "object")))
        if isinstance(key, str) and rng.random() < 0.25:
            inside.pop(key, None)
        else:
            inside[key] = copy.deepcopy(rng.choice(JUNK))
        if not is_object(root.get("object")):  # an API server's list has objects only
            root = {"object": {}}
    return root["object"]


def _places(value: object, inside: Any, key: str | int) -> Generator[tuple[Any, str | int]]:
    yield inside, key
    if is_object(value):
        for name, entry in value.items():
            yield from _places(entry, value, name)
    elif is_list(value):
        for index, entry in enumerate(value):
            yield from _places(entry, value, index)


@pytest.mark.parametrize("seed", range(60))
def test_work_runs_beside_whatever_objects_there_are(seed: int) -> None:
    rng = random.Random(seed)  # noqa: S311 - repeatable on purpose
    world, cluster = a_world()
    cluster.odd_nodes = [bent(a_node(), rng) for _ in range(2)]
    cluster.odd_pods = [bent(a_pod(), rng) for _ in range(3)]
    cluster.odd_daemon_sets = [bent(a_daemon_set(), rng) for _ in range(2)]
    cluster.odd_budgets = [bent(a_budget(), rng) for _ in range(2)]
    world.run(10)
    cluster.create_pod("work", BATCH)
    world.run_until_running("work")


@pytest.mark.parametrize("seed", range(40))
def test_objects_it_works_with_may_make_no_sense_for_a_while(seed: int) -> None:
    rng = random.Random(seed)  # noqa: S311 - repeatable on purpose
    world, cluster = a_world()
    cluster.daemons = [a_daemon_set()]
    cluster.create_pod("first", BATCH)
    world.run(20)
    cluster.bend = lambda obj: bent(obj, rng) if rng.random() < 0.7 else obj
    world.run(10)
    cluster.bend = None
    cluster.create_pod("second", BATCH)
    world.run_until_running("second")


@pytest.mark.parametrize(
    ("change", "value"),
    [
        ("vmSize", None),
        ("count", "many"),
        ("nodeTaints", "spot"),
        ("nodeLabels", 3),
        ("availabilityZones", 1),
    ],
)
def test_a_pool_that_makes_no_sense_stays_as_it_was(change: str, value: object) -> None:
    world, cluster = a_world()
    cluster.create_pod("work", BATCH)
    world.run_until_running("work")
    before = world.nodes_of("cpuspot")
    world.azure.pools[0][change] = value
    world.run(5)
    assert world.nodes_of("cpuspot") == before
    [error] = world.journal("error")
    assert error["detail"].startswith("pool cpuspot: ")
