"""Moves work from on-demand fallbacks back to spot, where Azure has room for it again; one pod at a time.

This file runs in the cluster as it is, from a ConfigMap, with nothing but Python's standard library. Whether there is
room nobody says beforehand, so it is tried without touching the work: a placeholder, a pod that does nothing and
requests what the work requests, on spot nodes alone. Once the placeholder runs, it is deleted, and the pod that it
stood for is evicted; the scheduler then prefers that node. Without room the work does not notice, and the next try is
later each time.

docs/decisions/0019-work-returns-to-spot-behind-a-placeholder.md says why, and why nothing moves in a loop.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from http import HTTPStatus
from itertools import chain
from typing import Final

from .return_memory import Memory, controller, controller_name, created
from .script_client import (
    FAILURES,
    GONE,
    UNREADABLE,
    Api,
    ApiError,
    Object,
    Report,
    deletion,
    eviction,
    log,
    pod_name,
    pod_path,
    start,
)
from .script_metrics import Counter

RIGHTS: Final[Mapping[str, Sequence[str]]] = {
    "nodes": ("get",),
    "pods": ("list",),
    "pods/eviction": ("create",),
}
"""Verbs in the whole cluster, by resource of the API group ""."""
RIGHTS_OVER_PLACEHOLDERS: Final[Mapping[str, Sequence[str]]] = {
    "pods": ("get", "create", "delete"),
    "configmaps": ("get", "create", "update"),
}
"""Verbs in a namespace that admits no privileged pod: whoever may create pods beside our daemons has the nodes."""
LABEL: Final = "kubeflow-aks/return-to-spot"
"""Label by which a pod agrees to be moved; its value is one of the next two."""
CHECKPOINTED: Final = "checkpointed"
"""The pod continues from its last checkpoint."""
RESTARTABLE: Final = "restartable"
"""The pod begins again and has a retry for that, so it is moved only while it is young."""
PLACEHOLDER: Final = "placeholder"
"""Name of the one placeholder: the API server admits no second one."""
_FOR: Final = "kubeflow-aks/placeholder-for"
"""Annotation of the placeholder: uid of the pod it stands for, and the pool that it runs on, as JSON."""
_NAME: Final = "return-to-spot"
_CONTRACT: Final = "agent-pools"
_SPOT: Final = "kubernetes.azure.com/scalesetpriority"
_POOL: Final = "kubernetes.azure.com/agentpool"
_STAYING: Final = ("DaemonSet", "Node", "ReplicaSet", "ReplicationController", "StatefulSet")
"""Controllers of services and notebooks."""
_NOTEBOOK: Final = "notebook-name"
_YOUNG_SECONDS: Final = 900
_PATIENCE_SECONDS: Final = 600
"""How long a placeholder waits for a node, as long as the autoscaler by default (`maxNodeProvisionTime`)."""
_PLACEHOLDER_SECONDS: Final = 1800
"""After it a placeholder ends itself, so that it keeps no node if this program is gone."""
_RESTART_SECONDS: Final = 360
"""Restart of a pod that is moved, as the bill assumes (`workload`, `restartMinutes`)."""
_SINCE_CHECKPOINT_SECONDS: Final = 600
"""Work since the last checkpoint; our assumption."""
_PAYS_BACK_SECONDS: Final = 3600
"""A move that needs longer to pay for itself is not made: our choice."""
_PAUSE_SECONDS: Final = 20.0


class Returns:
    """Looks at pods, pools and placeholder again and again; each look does one thing at most."""

    def __init__(
        self,
        api: Api,
        settings: Mapping[str, str],
        report: Report | None = None,
        returned: Counter | None = None,
    ) -> None:
        """Reads its settings.

        Args:
            api: the API server.
            settings: `NAMESPACE`, of the pool contract; `PLACEHOLDERS`, the namespace of placeholders and memory;
                `IMAGE`, of placeholders; `PRICES`, USD an hour of a node by pool, as JSON.
            report: where it says what becomes of pods.
            returned: counts them.

        Raises:
            ValueError: the prices are no JSON.
        """
        self._api = api
        self._contract = f"/api/v1/namespaces/{settings['NAMESPACE']}/configmaps/{_CONTRACT}"
        self._placeholders = f"/api/v1/namespaces/{settings['PLACEHOLDERS']}/pods"
        self._memories = f"/api/v1/namespaces/{settings['PLACEHOLDERS']}/configmaps"
        self._image = settings["IMAGE"]
        self._prices: dict[str, float] = json.loads(settings["PRICES"])
        self._pools: dict[str, str] = {}
        self._moved: tuple[str, frozenset[str], float] | None = None
        """Controller and uids of the pods that were there when one was evicted, and until when room is kept for it."""
        self._report = report or Report()
        self._returned = returned or returned_pods()

    def look(self, now: float) -> None:
        """Goes on with the placeholder, or places one.

        Args:
            now: seconds since the epoch.

        Raises:
            ApiError: the server refuses.
            OSError: it does not answer.
            ValueError: the pool contract or the memory cannot be read.
        """
        running = f"labelSelector={LABEL}&fieldSelector=status.phase%3DRunning"
        listed = self._api.call("GET", f"/api/v1/pods?resourceVersion=0&{running}")["items"]
        pods = list(self._report.readable("pod", listed, lambda pod: _checked(pod, now)))
        placeholder = self._get(f"{self._placeholders}/{PLACEHOLDER}")
        if placeholder is None and not pods:
            return
        memory = Memory.of(self._get(f"{self._memories}/{_NAME}"))
        spot_pools = self._spot_pools()
        if placeholder is None and not self._is_awaited(pods, now):
            self._begin(pods, spot_pools, memory, now)
        elif placeholder is not None and "deletionTimestamp" not in placeholder["metadata"]:
            self._go_on(placeholder, pods, spot_pools, memory, now)

    def _begin(
        self, pods: Sequence[Object], spot_pools: Mapping[str, Sequence[str]], memory: Memory, now: float
    ) -> None:
        for pod in sorted(pods, key=created, reverse=True):
            pool = self._pool_of(pod)
            if pool not in spot_pools:
                continue
            why = self._why_it_stays(pod, pool, spot_pools[pool], memory, now) or memory.rests(pool, now)
            if why:
                self._note(pod, f"stays on {pool}: {why}")
                continue
            self._api.call("POST", self._placeholders, placeholder_for(pod, pool, self._image))
            self._note(pod, f"waits on {pool} for room on {' or '.join(spot_pools[pool])}")
            return

    def _go_on(
        self,
        placeholder: Object,
        pods: Sequence[Object],
        spot_pools: Mapping[str, Sequence[str]],
        memory: Memory,
        now: float,
    ) -> None:
        waiting = json.loads(placeholder["metadata"]["annotations"][_FOR])
        pool = waiting["pool"]
        pod = next((candidate for candidate in pods if candidate["metadata"]["uid"] == waiting["uid"]), None)
        phase = placeholder["status"].get("phase")
        if pod is None or self._why_it_stays(pod, pool, spot_pools.get(pool, ()), memory, now):
            self._delete(placeholder)
            log(f"{pool}: no room is needed any more")
        elif phase == "Running":
            if self._move(placeholder, pod, pool, memory, now):
                before = frozenset(it["metadata"]["uid"] for it in pods)
                self._moved = (controller_name(pod), before, now + _PATIENCE_SECONDS)
        elif phase != "Pending" or now - _time(placeholder) > _PATIENCE_SECONDS:
            self._returned.count("no_room")
            memory.note_failure(pool, now)
            self._save(memory)
            self._delete(placeholder)
            self._note(pod, f"stays on {pool}: {memory.rests(pool, now)}")

    def _is_awaited(self, pods: Sequence[Object], now: float) -> bool:
        """Whether what was evicted is not back yet: the next placeholder would take its node, and prove no room."""
        if self._moved is None or now > self._moved[2]:
            return False
        name, before, _ = self._moved
        others = (pod for pod in pods if pod["metadata"]["uid"] not in before and controller(pod))
        return name not in map(controller_name, others)

    def _move(self, placeholder: Object, pod: Object, pool: str, memory: Memory, now: float) -> bool:
        """Notes the move before it makes it: what ends between the two has moved nothing, and moves it another day.

        Returns:
            whether the pod was evicted.
        """
        memory.note_move(pod, now)
        memory.note_success(pool)
        self._save(memory)
        there = self._pool_of(placeholder)
        self._delete(placeholder)
        try:
            self._api.call("POST", f"{pod_path(pod)}/eviction", eviction(pod))
        except ApiError as error:
            self._note(pod, f"stays on {pool}: {'it has ended' if error.status in GONE else error}")
            if error.status not in GONE:
                self._returned.count("refused")
                memory.note_failure(pool, now)
                self._save(memory)
            return False
        self._returned.count("evicted")
        self._note(pod, f"evicted from {pool}, as {there} has room; {self._worth(pod, pool, there, now)}")
        return True

    def _why_it_stays(
        self, pod: Object, pool: str, spot_pools: Sequence[str], memory: Memory, now: float
    ) -> str:
        if why := why_not(pod, now) or memory.why_not(pod, now):
            return why
        prices = [self._prices[name] for name in spot_pools if name in self._prices]
        if not prices or pool not in self._prices:
            return ""
        seconds = pays_back_after(cost_of_move(pod, now), self._prices[pool], min(prices))
        return "" if seconds <= _PAYS_BACK_SECONDS else "spot is not cheap enough to pay for the lost work"

    def _worth(self, pod: Object, pool: str, there: str, now: float) -> str:
        lost = cost_of_move(pod, now)
        minutes = f"about {lost / 60:.0f} min of work are lost"
        if pool not in self._prices or there not in self._prices:
            return minutes
        dear, cheap = self._prices[pool], self._prices[there]
        after = pays_back_after(lost, dear, cheap)
        return (
            f"a node costs {cheap:.3g} USD an hour there, {dear:.3g} here, so {minutes} and paid for after "
            f"{after / 60:.0f} min"
        )

    def _spot_pools(self) -> dict[str, list[str]]:
        """The spot pools of each fallback, as the pool contract has them."""
        pools = json.loads(self._api.call("GET", self._contract)["data"]["pools.json"])
        names: dict[str, list[str]] = {}
        for fallback in pools:  # agent pools of several sizes share the name of the fallback
            shared = fallback.get("pool") or fallback["name"]
            if spot := [pool["name"] for pool in pools if pool.get("fallback") == shared]:
                names[fallback["name"]] = spot
        return names

    def _pool_of(self, pod: Object) -> str:
        """The pool of a pod's node; empty for a pod without one."""
        node = pod["spec"].get("nodeName", "")
        if node and node not in self._pools:
            answer = self._get(f"/api/v1/nodes/{node}") or {"metadata": {}}
            self._pools[node] = answer["metadata"].get("labels", {}).get(_POOL, "")
        return self._pools.get(node, "")

    def _get(self, path: str) -> Object | None:
        try:
            return self._api.call("GET", path)
        except ApiError as error:
            if error.status != HTTPStatus.NOT_FOUND:
                raise
            return None

    def _delete(self, placeholder: Object) -> None:
        options = deletion(placeholder, gracePeriodSeconds=0)
        try:
            self._api.call("DELETE", f"{self._placeholders}/{PLACEHOLDER}", options)
        except ApiError as error:
            if error.status not in GONE:
                raise

    def _save(self, memory: Memory) -> None:
        """Writes what it knows, unless another one of this program wrote meanwhile."""
        config_map = memory.config_map(_NAME)
        there = "resourceVersion" in config_map["metadata"]
        call = ("PUT", f"{self._memories}/{_NAME}") if there else ("POST", self._memories)
        memory.saved(self._api.call(*call, config_map))

    def _note(self, pod: Object, text: str) -> None:
        """Logs what became of a pod, once."""
        self._report.once(pod_name(pod), text)


def returned_pods() -> Counter:
    """The counter of pods that were to return to spot."""
    return Counter(
        "kubeflow_aks_returned_pods_total",
        "Pods on a fallback for which room on spot was tried: evicted to it, refused by a budget or another, no_room.",
        "result",
        ("evicted", "refused", "no_room"),
    )


def why_not(pod: Object, now: float) -> str:
    """Why a pod must not be moved, whatever the market; empty if it may be."""
    metadata, way = pod["metadata"], pod["metadata"].get("labels", {}).get(LABEL)
    owner = controller(pod)
    if way not in {CHECKPOINTED, RESTARTABLE}:
        return f"label {LABEL}: {way!r} is not allowed; expected {CHECKPOINTED} or {RESTARTABLE}"
    if owner is None:
        return "nothing would make it again"
    if owner["kind"] in _STAYING or _NOTEBOOK in metadata.get("labels", {}):
        return f"a pod of a {owner['kind']} serves somebody"
    if not prefers_spot(pod):
        return "it does not prefer spot, so it might start on demand again"
    if pod["status"].get("phase") != "Running" or "deletionTimestamp" in metadata:
        return "it does not run"
    if way == RESTARTABLE and now - _time(pod) > _YOUNG_SECONDS:
        return f"it has worked for more than {_YOUNG_SECONDS // 60} min, which would be lost"
    return ""


def prefers_spot(pod: Object) -> bool:
    """Whether its node affinity prefers spot, as `ckf_spot` writes it; otherwise its own node is as good as any."""
    affinity: Object = pod["spec"].get("affinity") or {}
    node: Object = affinity.get("nodeAffinity") or {}
    terms: list[Object] = node.get("preferredDuringSchedulingIgnoredDuringExecution") or []
    expressions: list[list[Object]] = [term["preference"].get("matchExpressions") or [] for term in terms]
    return any(
        expression["key"] == _SPOT and "spot" in expression.get("values", ())
        for expression in chain(*expressions)
    )


def placeholder_for(pod: Object, pool: str, image: str) -> Object:
    """A pod that fits wherever the pod fits on spot, and does nothing.

    Requests of init containers are left out, but for sidecars: where they are the largest, the pod may find no room.
    """
    spec = pod["spec"]
    sidecars = [part for part in spec.get("initContainers") or () if part.get("restartPolicy") == "Always"]
    kept = ("affinity", "tolerations", "runtimeClassName")
    confined = {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        "readOnlyRootFilesystem": True,
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": PLACEHOLDER,
            "labels": {"app.kubernetes.io/name": PLACEHOLDER, "app.kubernetes.io/part-of": "kubeflow-aks"},
            "annotations": {_FOR: json.dumps({"uid": pod["metadata"]["uid"], "pool": pool})},
        },
        "spec": {
            **{key: spec[key] for key in kept if key in spec},
            "nodeSelector": {**spec.get("nodeSelector", {}), _SPOT: "spot"},
            "priorityClassName": "kubeflow-aks-batch",
            "automountServiceAccountToken": False,
            "activeDeadlineSeconds": _PLACEHOLDER_SECONDS,
            "restartPolicy": "Never",
            "terminationGracePeriodSeconds": 0,
            "securityContext": {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}},
            "containers": [
                {
                    "name": f"room-{number}",
                    "image": image,
                    "resources": _resources(container),
                    "securityContext": confined,
                }
                for number, container in enumerate([*spec["containers"], *sidecars])
            ],
        },
    }


def cost_of_move(pod: Object, now: float) -> float:
    """Seconds of work that a move loses, which are done again on spot."""
    young = pod["metadata"].get("labels", {}).get(LABEL) == RESTARTABLE
    return _RESTART_SECONDS + (now - _time(pod) if young else _SINCE_CHECKPOINT_SECONDS)


def pays_back_after(lost: float, dear: float, cheap: float) -> float:
    """Seconds on spot after which the lower price has paid for lost work; infinite if it is not lower.

    Args:
        lost: seconds of work that are done again at the lower price.
        dear: of the fallback, in any currency for any time.
        cheap: of spot, in the same.
    """
    return lost * cheap / (dear - cheap) if dear > cheap else float("inf")


def _resources(container: Object) -> Object:
    resources: Object = container.get("resources") or {}
    return {key: resources[key] for key in ("requests", "limits") if key in resources}


def _time(obj: Object) -> float:
    return datetime.fromisoformat(created(obj)).timestamp()


def _checked(pod: Object, now: float) -> Object:
    """A pod that has all that a move needs; what is read here raises for another one."""
    eviction(pod)
    _time(pod)
    why_not(pod, now)
    return pod


def run(returns: Returns, report: Report, pause: float) -> None:
    """Looks until the process ends.

    Args:
        returns: what looks.
        report: gets the problem `look`.
        pause: seconds between two looks.
    """
    while True:
        try:
            returns.look(time.time())
            report.problem("look", "")
        except (*FAILURES, *UNREADABLE) as error:
            report.problem("look", repr(error))
        time.sleep(pause)


if __name__ == "__main__":
    counted = returned_pods()
    places = {"": RIGHTS, os.environ["PLACEHOLDERS"]: RIGHTS_OVER_PLACEHOLDERS}
    server, reported = start("waiting for work on fallbacks", ["look"], places, [counted])
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else _PAUSE_SECONDS  # noqa: PLR2004
    run(Returns(server, os.environ, reported, counted), reported, seconds)
