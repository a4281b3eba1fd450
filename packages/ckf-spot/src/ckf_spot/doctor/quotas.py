"""Looks at what a namespace's ResourceQuotas and LimitRanges leave for pods."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Final

from ckf_spot import judgements
from ckf_spot.doctor.findings import Finding, right, unknown, wrong
from ckf_spot.doctor.reader import Reader
from ckf_spot.doctor.work import Pods, Work
from ckf_spot.fields import Object, map_at
from ckf_spot.pods.fit import stated
from ckf_spot.quantities import quantity

_COMPUTE: Final = ("cpu", "memory")
"""What every container must state where a quota limits it ("Kubernetes resource quotas"; repeated by
packages/kubeflow-aks/tests/local/demo/doctor/test_doctor_on_local_aks.py)."""


def limits(reader: Reader, name: str, works: Sequence[Work]) -> Iterator[Finding]:
    """Whether a container asks for more than a LimitRange lets it."""
    for limit_range in reader.limits(name):
        title = f"limits of {name}: {limit_range['metadata']['name']}"
        for limit in map_at(limit_range, "spec").get("limits") or ():
            if limit.get("type") == "Container":
                yield from _too_large(title, limit, _pods(works))
        yield from _unjudged(title, "LimitRange", limit_range)


def _pods(works: Sequence[Work]) -> list[Pods]:
    return [pods for work in works for pods in work.pods]


def _unjudged(title: str, kind: str, document: Object) -> Iterator[Finding]:
    for text in judgements.lines(judgements.unjudged({**document, "kind": kind})):
        yield Finding("unknown", title, text)


def _too_large(title: str, limit: Object, pods: Sequence[Pods]) -> Iterator[Finding]:
    for resource, most in map_at(limit, "max").items():
        for container in (container for some in pods for container in some.containers):
            needed = stated(container, "limits", resource) or stated(container, "requests", resource)
            try:
                larger = needed is not None and quantity(needed) > quantity(most)
            except ValueError:
                continue  # a trial's parameter
            if larger:
                yield wrong(
                    title,
                    f"pods are refused: {container.get('name')} asks for {resource}: {needed}, {most} is the most",
                    f"ask for at most {most}",
                )


def quotas(reader: Reader, name: str, works: Sequence[Work]) -> Iterator[Finding]:
    """Whether there is enough left for all pods at once."""
    what, pods = f"quota of {name}", _pods(works)
    uncounted = [work.name for work in works if work.elsewhere]
    filled = _filled_in(reader.limits(name))
    listed = reader.quotas(name)
    if not listed:
        yield right(what, "there is none")
    for quota in listed:
        title = f"{what}: {quota['metadata']['name']}"
        spec = map_at(quota, "spec")
        if unjudged := list(_unjudged(title, "ResourceQuota", quota)):
            yield from unjudged
            continue
        hard, used = map_at(quota, "status", "hard") or map_at(spec, "hard"), map_at(quota, "status", "used")
        left = _left(hard, used)
        if objects := [limited for limited in hard if _meant(limited) is None]:
            yield unknown(title, f"only what containers ask for is compared, not {', '.join(objects)}")
        if not left:
            continue
        if not pods:
            yield unknown(title, f"no pod template states what is needed; {left}")
        elif problems := list(_problems(title, hard, used, pods, filled)):
            yield from problems
        elif uncounted:
            yield unknown(
                title, f"how many pods {', '.join(uncounted)} has at a time is not in the file; {left}"
            )
        else:
            yield right(title, left)


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
        silent = {work.path: work.without(part, resource) for work in pods}
        if resource in _COMPUTE and meant not in filled and any(silent.values()):
            names = ", ".join(dict.fromkeys(name for some in silent.values() for name in some))
            yield wrong(
                title,
                f"pods are refused: {names} names no {part}.{resource}",
                f"add resources.{part}.{resource}, which this quota limits",
            )
        try:
            needed = _needed(pods, part, resource, filled.get(meant, 0))
        except ValueError as error:
            yield unknown(f"{title}: {limited}", str(error))
            continue
        free = quantity(most) - quantity(used.get(limited, "0"))
        if needed > free:
            yield wrong(
                title,
                f"{limited}: {_plain(needed)} needed at once, {_plain(free)} of {most} free",
                "some pods will have to wait for others; ask for less, or an administrator raises it",
            )


def _needed(pods: Sequence[Pods], part: str, resource: str, default: object) -> Decimal:
    if resource == "pods":
        return Decimal(sum(work.count for work in pods))
    return sum((work.amount(part, resource, default) for work in pods), Decimal(0))


def _meant(limited: str) -> tuple[str, str] | None:
    """What a quota's name stands for: part and resource; None: not stated in a pod template."""
    if limited in {*_COMPUTE, "pods"}:
        return "requests", limited
    part, dot, resource = limited.partition(".")
    return (part, resource) if dot and part in {"requests", "limits"} and "storage" not in resource else None


def _filled_in(ranges: Sequence[Object]) -> dict[tuple[str, str], str]:
    """What a LimitRange gives containers that do not say, by part and resource."""
    defaults: dict[tuple[str, str], str] = {}
    for limit_range in ranges:
        for limit in map_at(limit_range, "spec").get("limits") or ():
            if limit.get("type") == "Container":
                most, least = map_at(limit, "default"), map_at(limit, "defaultRequest")
                defaults |= {("limits", name): amount for name, amount in most.items()}
                defaults |= {("requests", name): amount for name, amount in {**most, **least}.items()}
    return defaults


def _left(hard: Mapping[str, str], used: Mapping[str, str]) -> str:
    limited = [name for name in hard if _meant(name)]
    return ", ".join(
        f"{name}: {_plain(quantity(hard[name]) - quantity(used.get(name, '0')))} of {hard[name]} free"
        for name in limited
    )


def _plain(amount: Decimal) -> str:
    """A quantity for people: bytes in Gi."""
    gibibytes = amount / 2**30
    return f"{gibibytes.quantize(Decimal('0.1'))}Gi" if gibibytes >= 1 else f"{amount.normalize():f}"
