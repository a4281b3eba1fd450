"""Looks at what a namespace lets in: its quotas, and its annotations for AKS's admission plugins."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from ckf_spot.agent_pool import PLATFORM_NAMESPACES
from ckf_spot.doctor.findings import Finding, looked, right, unknown, wrong
from ckf_spot.doctor.reader import Reader
from ckf_spot.doctor.work import Pods, said
from ckf_spot.errors import PlacementError
from ckf_spot.fields import copied, is_maps, of
from ckf_spot.generated.namespace import DEFAULT_TOLERATIONS
from ckf_spot.placement import Placement
from ckf_spot.pods.template import covers
from ckf_spot.where.cluster import ForbiddenError

WHITELIST: Final = "scheduler.alpha.kubernetes.io/tolerationsWhitelist"
SELECTOR: Final = "scheduler.alpha.kubernetes.io/node-selector"
"""Annotations that PodTolerationRestriction and PodNodeSelector read
(docs/facts/aks.md#gpu-taint-and-admission-plugins)."""
_COMPUTE: Final = ("cpu", "memory")
"""What every container must state where a quota limits it (Kubernetes, "Resource Quotas")."""


def read(reader: Reader, name: str) -> tuple[Mapping[str, Any], list[Finding]]:
    """A namespace's annotations, and what is wrong with choosing it.

    Raises:
        PlacementError: there is no such namespace.
    """
    what = f"namespace {name}"
    if PLATFORM_NAMESPACES.fullmatch(name):
        advice = "work for spot belongs into a profile's namespace"
        return {}, [wrong(what, "the cluster's guard refuses pods that tolerate spot nodes there", advice)]
    try:
        found = reader.namespace(name)
    except ForbiddenError as error:
        return {}, [unknown(what, str(error))]
    if found is None:
        raise PlacementError(f"namespace: {name!r} does not exist; expected a namespace of the cluster")
    return of(found, "metadata", "annotations"), []


def look(
    reader: Reader,
    name: str,
    noted: Mapping[str, Any],
    pods: Sequence[Pods],
    placement: Placement | None,
) -> list[Finding]:
    """Whether a namespace lets the pods in.

    Args:
        reader: of the cluster.
        name: the namespace.
        noted: its annotations.
        pods: that are to run in it.
        placement: of those that are placed, or None.
    """
    found: list[Finding] = []
    if placement is not None:
        found += looked(f"tolerations in {name}", lambda: _whitelist(name, noted, placement))
        found += looked(f"PodDefaults of {name}", lambda: _pod_defaults(reader, name, pods, placement))
    return [
        *found,
        *looked(f"limits of {name}", lambda: _limits(reader, name, pods)),
        *looked(f"quota of {name}", lambda: _quotas(reader, name, pods)),
    ]


def admitted(spec: Mapping[str, Any], noted: Mapping[str, Any]) -> dict[str, Any]:
    """A pod's spec with what the plugins add: the namespace's tolerations and node selector.

    Raises:
        PlacementError: an annotation is malformed, so that the API server refuses every pod.
    """
    made = copied(spec)
    made["tolerations"] = [*(made.get("tolerations") or ()), *_tolerations(noted, DEFAULT_TOLERATIONS)]
    pairs = (each.partition("=") for each in str(noted.get(SELECTOR) or "").split(",") if each)
    theirs = {key.strip(): value.strip() for key, _, value in pairs}
    made["nodeSelector"] = {**theirs, **(made.get("nodeSelector") or {})}
    return made


def _whitelist(name: str, noted: Mapping[str, Any], placement: Placement) -> Iterator[Finding]:
    allowed = _tolerations(noted, WHITELIST)
    refused = [
        each["key"] for each in placement.tolerations if not any(covers(wide, each) for wide in allowed)
    ]
    what = f"tolerations in {name}"
    if allowed and refused:
        yield wrong(
            what,
            f"placed pods are refused: the annotation {WHITELIST} does not allow {', '.join(refused)}",
            "an administrator adds them to it, or work goes to another namespace",
        )
    else:
        yield right(what, "placed pods are let in")


def _pod_defaults(reader: Reader, name: str, pods: Sequence[Pods], placement: Placement) -> Iterator[Finding]:
    """The webhook refuses a pod whose toleration differs from a PodDefault's with the same key.

    Source: docs/facts/placement.md#whole-namespaces.
    """
    for each in reader.pod_defaults(name):
        selected = of(each, "spec", "selector", "matchLabels").items()
        theirs = of(each, "spec").get("tolerations")
        if not is_maps(theirs) or not any(selected <= work.labels.items() for work in pods):
            continue
        ours = {mine["key"]: mine for mine in placement.tolerations}
        other = [t["key"] for t in theirs if t.get("key") in ours and dict(t) != ours[t["key"]]]
        if other:
            yield wrong(
                f"PodDefaults of {name}",
                f"placed pods are refused: {each['metadata']['name']} has other tolerations for {', '.join(other)}",
                f"leave out the labels by which pods ask for it: {', '.join(key for key, _ in selected)}",
            )


def _limits(reader: Reader, name: str, pods: Sequence[Pods]) -> Iterator[Finding]:
    """Whether a container asks for more than a LimitRange lets it."""
    for each in reader.limits(name):
        for limit in of(each, "spec").get("limits") or ():
            if limit.get("type") == "Container":
                yield from _too_large(f"limits of {name}: {each['metadata']['name']}", limit, pods)


def _too_large(title: str, limit: Mapping[str, Any], pods: Sequence[Pods]) -> Iterator[Finding]:
    for resource, most in of(limit, "max").items():
        for container in (each for work in pods for each in work.containers):
            asked = said(container, "limits", resource) or said(container, "requests", resource)
            try:
                larger = asked is not None and _quantity(asked) > _quantity(most)
            except ValueError:
                continue  # a trial's parameter
            if larger:
                yield wrong(
                    title,
                    f"pods are refused: {container.get('name')} asks for {resource}: {asked}, {most} is the most",
                    f"ask for at most {most}",
                )


def _tolerations(noted: Mapping[str, Any], annotation: str) -> list[Mapping[str, Any]]:
    try:
        found = json.loads(noted.get(annotation) or "[]")
    except (TypeError, ValueError):
        found = None
    if not is_maps(found):
        raise PlacementError(
            f"annotation {annotation} is no list of tolerations, so that every pod is refused; "
            "an administrator corrects it"
        )
    return found


def _quotas(reader: Reader, name: str, pods: Sequence[Pods]) -> Iterator[Finding]:
    """Whether there is enough left for all pods at once."""
    what = f"quota of {name}"
    filled = _filled_in(reader.limits(name))
    quotas = reader.quotas(name)
    if not quotas:
        yield right(what, "there is none")
    for quota in quotas:
        title = f"{what}: {quota['metadata']['name']}"
        spec = of(quota, "spec")
        if spec.get("scopes") or spec.get("scopeSelector"):
            yield unknown(title, "it is for some pods only (scopes)")
            continue
        hard, used = of(quota, "status", "hard") or of(spec, "hard"), of(quota, "status", "used")
        left = _left(hard, used)
        if not left:
            yield right(title, "nothing that pods ask for is limited")
        elif not pods:
            yield unknown(title, f"no pod's template tells what is needed; {left}")
        else:
            yield from list(_problems(title, hard, used, pods, filled)) or [right(title, left)]


def _problems(
    title: str,
    hard: Mapping[str, str],
    used: Mapping[str, str],
    pods: Sequence[Pods],
    filled: Mapping[tuple[str, str], str],
) -> Iterator[Finding]:
    for limited, most in hard.items():
        meant = _meant(limited)
        if meant is None:
            continue
        part, resource = meant
        silent = {each.path: each.without(part, resource) for each in pods}
        if resource in _COMPUTE and meant not in filled and any(silent.values()):
            names = ", ".join(dict.fromkeys(name for some in silent.values() for name in some))
            yield wrong(
                title,
                f"pods are refused: {names} names no {part}.{resource}",
                f"add resources.{part}.{resource}, which this quota limits",
            )
        try:
            asked = _asked(pods, part, resource, filled.get(meant, 0))
        except ValueError as error:
            yield unknown(f"{title}: {limited}", str(error))
            continue
        free = _quantity(most) - _quantity(used.get(limited, "0"))
        if asked > free:
            yield wrong(
                title,
                f"{limited}: {_plain(asked)} needed at once, {_plain(free)} of {most} free",
                "some pods will have to wait for others; ask for less, or an administrator raises it",
            )


def _asked(pods: Sequence[Pods], part: str, resource: str, default: object) -> Decimal:
    if resource == "pods":
        return Decimal(sum(each.count for each in pods))
    return sum((each.amount(part, resource, default) for each in pods), Decimal(0))


def _meant(limited: str) -> tuple[str, str] | None:
    """What a quota's name stands for: part and resource; None: nothing that a pod's template tells."""
    if limited in {*_COMPUTE, "pods"}:
        return "requests", limited
    part, dot, resource = limited.partition(".")
    return (part, resource) if dot and part in {"requests", "limits"} and "storage" not in resource else None


def _filled_in(ranges: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str], str]:
    """By part and resource: what a LimitRange gives containers that do not say."""
    found: dict[tuple[str, str], str] = {}
    for each in ranges:
        for limit in of(each, "spec").get("limits") or ():
            if limit.get("type") == "Container":
                most, least = of(limit, "default"), of(limit, "defaultRequest")
                found |= {("limits", name): amount for name, amount in most.items()}
                found |= {("requests", name): amount for name, amount in {**most, **least}.items()}
    return found


def _left(hard: Mapping[str, str], used: Mapping[str, str]) -> str:
    known = [name for name in hard if _meant(name)]
    return ", ".join(
        f"{name}: {_plain(_quantity(hard[name]) - _quantity(used.get(name, '0')))} of {hard[name]} free"
        for name in known
    )


def _quantity(text: object) -> Decimal:
    from kubernetes.utils import parse_quantity  # noqa: PLC0415 - an extra, there where a quota was read

    return Decimal(parse_quantity(text))


def _plain(amount: Decimal) -> str:
    """A quantity for people: bytes in Gi."""
    gibibytes = amount / 2**30
    return f"{gibibytes.quantize(Decimal('0.1'))}Gi" if gibibytes >= 1 else f"{amount.normalize():f}"
