"""Looks at what a namespace lets in: its quotas, PodDefaults, and annotations for AKS's admission plugins."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from ckf_spot.agent_pool import PLATFORM_NAMESPACES
from ckf_spot.cluster import ForbiddenError
from ckf_spot.doctor import quotas
from ckf_spot.doctor.findings import Finding, looked, right, unknown, wrong
from ckf_spot.doctor.reader import Reader
from ckf_spot.doctor.work import Work
from ckf_spot.errors import PlacementError, refusal
from ckf_spot.fields import Object, copied, is_maps, map_at, maps_at
from ckf_spot.generated.namespace import DEFAULT_TOLERATIONS
from ckf_spot.placement import Placement
from ckf_spot.pods import fit, gpu_limits, volumes
from ckf_spot.pods.template import covers

WHITELIST: Final = "scheduler.alpha.kubernetes.io/tolerationsWhitelist"
SELECTOR: Final = "scheduler.alpha.kubernetes.io/node-selector"
"""Annotations that PodTolerationRestriction and PodNodeSelector read
(docs/facts/aks.md#gpu-taint-and-admission-plugins)."""
_GUARDED: Final = "the cluster's guard refuses pods that tolerate spot nodes"
KEEP_OFF: Final = "kubeflow-aks/keep-off-spot"
"""Label of a namespace (docs/how-to/keep-stateful-work-off-spot.md)."""
_POLICY: Final = "kubeflow-aks-keep-profiles-off-spot"
KEPT_OFF: Final = {"Deny": _POLICY, "Warn": f"{_POLICY}-warn"}
"""Bindings of the policy that the label is for, by what they do; the first has the policy's name."""
_CLAIM: Final = "PersistentVolumeClaim/"
_NOT_ALLOWED: Final = f"the annotation {WHITELIST} does not allow"


def guarded(name: str) -> Iterator[Finding]:
    """What is wrong with a namespace of the platform."""
    if PLATFORM_NAMESPACES.fullmatch(name):
        advice = "work for spot belongs into a profile's namespace"
        yield wrong(f"namespace {name}", f"{_GUARDED} there", advice)


def read(reader: Reader, name: str) -> tuple[Object, list[Finding]]:
    """A namespace's annotations, which those of the platform need not have, and what can't be seen of it.

    Raises:
        PlacementError: there is no such namespace.
    """
    if PLATFORM_NAMESPACES.fullmatch(name):
        return {}, []
    try:
        space = reader.namespace(name)
    except ForbiddenError as error:
        return {}, [unknown(f"namespace {name}", str(error))]
    if space is None:
        raise refusal("namespace", name, "expected a namespace of the cluster", "does not exist")
    return map_at(space, "metadata", "annotations"), _kept_off(
        reader, name, map_at(space, "metadata", "labels").get(KEEP_OFF)
    )


def _kept_off(reader: Reader, name: str, value: str | None) -> list[Finding]:
    """What becomes of the namespace's label, by the policy and its binding; what is in the policy is not looked at."""
    if value is None:
        return []
    action, verb = ("Warn", "warn of") if value == "warn" else ("Deny", "refuse")
    what, binding = f"label {KEEP_OFF}={value} of {name}", KEPT_OFF[action]

    def look() -> Iterator[Finding]:
        if action in reader.admission(_POLICY, binding):
            work = "stateful work and model servers that tolerate spot"
            yield right(what, f"the cluster has the policy and the binding that {verb} {work}")
        else:
            text = f"it does nothing: no policy {_POLICY} has {action} in its binding {binding}"
            yield Finding("note", what, text, "an administrator sets kubeflow.guards: true")

    return looked(what, look)


def look(
    reader: Reader,
    name: str,
    noted: Object,
    works: Sequence[Work],
    placement: Placement | None,
) -> list[Finding]:
    """Whether a namespace lets the pods in.

    Args:
        reader: of the cluster.
        name: the namespace.
        noted: its annotations.
        works: that are to run in it.
        placement: of those that are placed, or None.
    """
    findings: list[Finding] = []
    if placement is not None:
        findings += looked(f"tolerations in {name}", lambda: _whitelist(name, noted, placement))
        findings += looked(f"PodDefaults of {name}", lambda: _pod_defaults(reader, name, works, placement))
    return [
        *findings,
        *looked(f"claims of {name}", lambda: _claims(reader, name, works)),
        *looked(f"limits of {name}", lambda: quotas.limits(reader, name, works)),
        *looked(f"quota of {name}", lambda: quotas.quotas(reader, name, works)),
    ]


def admitted(spec: Object, name: str, noted: Object) -> dict[str, Any]:
    """A pod's spec with what the plugins add: the namespace's tolerations and node selector.

    Args:
        spec: the pod's.
        name: of its namespace; empty: not known.
        noted: the namespace's annotations.

    Raises:
        PlacementError: the guard or the plugins refuse the pod: it tolerates spot nodes in a namespace of the platform,
            its node selector contradicts the namespace's, its tolerations are not on the namespace's whitelist, or an
            annotation is malformed.
    """
    if PLATFORM_NAMESPACES.fullmatch(name) and fit.tolerates(maps_at(spec, "tolerations"), fit.SPOT_TAINT):
        raise PlacementError(f"the pod is refused: {_GUARDED}, and {name} is the platform's")
    made = copied(spec)
    made["tolerations"] = [*(made.get("tolerations") or ()), *_tolerations(noted, DEFAULT_TOLERATIONS)]
    if refused := _refused(noted, made["tolerations"]):
        raise PlacementError(f"the pod is refused: {_NOT_ALLOWED} {', '.join(refused)}")
    pairs = (part.partition("=") for part in str(noted.get(SELECTOR) or "").split(",") if part)
    theirs = {key.strip(): value.strip() for key, _, value in pairs}
    selector = made.get("nodeSelector") or {}
    against = [key for key in theirs if selector.get(key, theirs[key]) != theirs[key]]
    if against:
        raise PlacementError(
            f"the pod is refused: its nodeSelector contradicts the namespace's annotation {SELECTOR} in "
            f"{', '.join(against)}"
        )
    made["nodeSelector"] = {**selector, **theirs}
    return made


def _whitelist(name: str, noted: Object, placement: Placement) -> Iterator[Finding]:
    what = f"tolerations in {name}"
    if refused := _refused(noted, placement.tolerations):
        yield wrong(
            what,
            f"placed pods are refused: {_NOT_ALLOWED} {', '.join(refused)}",
            "an administrator adds them to it, or work goes to another namespace",
        )
    else:
        yield right(what, "placed pods are let in")


def _refused(noted: Object, tolerations: Iterable[Object]) -> list[str]:
    """Keys of the tolerations that the namespace's whitelist does not have; none where there is no whitelist."""
    allowed = _tolerations(noted, WHITELIST)
    return [
        toleration.get("key") or "every taint"
        for toleration in tolerations
        if allowed and not any(covers(wide, toleration) for wide in allowed)
    ]


def _pod_defaults(
    reader: Reader, name: str, works: Sequence[Work], placement: Placement
) -> Iterator[Finding]:
    """The webhook refuses a pod whose toleration differs from a PodDefault's with the same key.

    Source: docs/facts/placement.md#whole-namespaces.
    """
    for defaults in reader.pod_defaults(name):
        selected = map_at(defaults, "spec", "selector", "matchLabels").items()
        theirs = map_at(defaults, "spec").get("tolerations")
        if not is_maps(theirs) or not any(
            selected <= pods.labels.items() for work in works for pods in work.pods
        ):
            continue
        ours = {mine["key"]: mine for mine in placement.tolerations}
        other = [t["key"] for t in theirs if t.get("key") in ours and dict(t) != ours[t["key"]]]
        if other:
            yield wrong(
                f"PodDefaults of {name}",
                f"placed pods are refused: {defaults['metadata']['name']} has other tolerations for {', '.join(other)}",
                f"leave out the labels by which pods ask for it: {', '.join(key for key, _ in selected)}",
            )


def _claims(reader: Reader, name: str, works: Sequence[Work]) -> Iterator[Finding]:
    """Whether the claims that pods mount are there, or made by the same files."""
    mounted = dict.fromkeys(claim for work in works for claim in work.claims)
    if not mounted:
        return
    what, made = f"claims of {name}", {work.name.removeprefix(_CLAIM) for work in works}
    there = {claim["metadata"]["name"]: map_at(claim, "spec") for claim in reader.claims(name)}
    mounts = [mount for work in works for pods in work.pods for mount in pods.mounts]
    shared = [
        mount
        for mount in mounts
        if volumes.are_several(other for other in mounts if other.claim == mount.claim)
    ]
    doubts = list(volumes.doubts(shared, {claim: spec for claim, spec in there.items() if claim not in made}))
    yield from (Finding("note", what, doubt) for doubt in doubts)
    later = [claim for claim in mounted if gpu_limits.at_run_time(claim)]
    missing = [claim for claim in mounted if claim not in {*there, *made, *later}]
    if missing:
        text = f"{', '.join(missing)} is mounted, and neither there nor in the files: its pods wait for it"
        yield wrong(what, text, "create it, or mount another one")
    if later:
        yield unknown(what, f"{', '.join(later)} is known at run time only")
    elif not missing and not doubts:
        yield right(what, f"{', '.join(mounted)} is there, or in the files")


def _tolerations(noted: Object, annotation: str) -> list[Object]:
    try:
        tolerations = json.loads(noted.get(annotation) or "[]")
    except (TypeError, ValueError):
        tolerations = None
    if not is_maps(tolerations):
        raise PlacementError(
            f"annotation {annotation} is no list of tolerations, so that every pod is refused; "
            "an administrator corrects it"
        )
    return tolerations
