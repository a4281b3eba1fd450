"""Checks that a pod's template has the shape on which everything else relies."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from ckf_spot.errors import Mistake
from ckf_spot.fields import Object, at, is_count, is_map, is_maps, is_texts, map_at, problems
from ckf_spot.placement import PREFERRED, REQUIRED

Shape = Mapping[tuple[str, ...], tuple[Callable[[Any], bool], str]]
"""What a value must be, and how to say so, by path."""


def _terms(value: object) -> bool:
    return is_maps(value) and all(_expressions(term.get("matchExpressions") or []) for term in value)


def _expressions(value: object) -> bool:
    return is_maps(value) and all(
        isinstance(expression.get("key"), str) and isinstance(expression.get("values") or [], list)
        for expression in value
    )


def _pod_terms(value: object) -> bool:
    return is_maps(value) and all(
        _expressions(map_at(term, "labelSelector").get("matchExpressions") or []) for term in value
    )


_POD_TERMS: Final = "a list of maps with topologyKey and labelSelector"
_A_MAP: Final = (is_map, "a map")
_MAPS: Final = (is_maps, "a list of maps")
_TEXTS: Final = (is_texts, "a map of texts")
_NODE_AFFINITY: Final = ("affinity", "nodeAffinity")
_METADATA_SHAPE: Final[Shape] = {("metadata",): _A_MAP, ("metadata", "annotations"): _TEXTS}
_SPEC_SHAPE: Final[Shape] = {
    ("terminationGracePeriodSeconds",): (is_count, "a whole number of seconds"),
    ("nodeSelector",): _TEXTS,
    ("tolerations",): _MAPS,
    ("topologySpreadConstraints",): _MAPS,
    ("affinity",): _A_MAP,
    _NODE_AFFINITY: _A_MAP,
    (*_NODE_AFFINITY, REQUIRED): _A_MAP,
    (*_NODE_AFFINITY, REQUIRED, "nodeSelectorTerms"): (_terms, "a list of maps with matchExpressions"),
    (*_NODE_AFFINITY, PREFERRED): _MAPS,
    ("affinity", "podAffinity"): _A_MAP,
    ("affinity", "podAffinity", REQUIRED): (_pod_terms, _POD_TERMS),
    ("affinity", "podAntiAffinity"): _A_MAP,
    ("affinity", "podAntiAffinity", REQUIRED): (_pod_terms, _POD_TERMS),
}
_CONTAINER_SHAPE: Final[Shape] = {("resources",): _A_MAP, ("resources", "limits"): _A_MAP}


def template_problems(template: object, where: str) -> list[Mistake]:
    """What is wrong with a pod's template before anything is put on it."""
    mistakes = list(problems(template, where, ("metadata", "spec"), ("spec",), closed=True))
    if mistakes or not is_map(template):
        return mistakes
    init = at(template, "spec", "initContainers")
    return [
        *override_problems(template, where),
        *_container_problems(at(template, "spec", "containers"), f"{where}.spec.containers"),
        *(_container_problems(init, f"{where}.spec.initContainers") if init else ()),
    ]


def override_problems(template: Object, where: str) -> list[Mistake]:
    """What is wrong with a part of a pod's template, which need not have containers."""
    mistakes = list(_shape_problems(template, _METADATA_SHAPE, where))
    if template.get("spec") is not None:
        mistakes += _spec_problems(template["spec"], f"{where}.spec")
    return mistakes


def _spec_problems(spec: object, where: str) -> Iterator[Mistake]:
    if is_map(spec):
        yield from _shape_problems(spec, _SPEC_SHAPE, where)
    else:
        yield Mistake(where, spec, "expected a map")


def _shape_problems(value: Object, shape: Shape, where: str) -> Iterator[Mistake]:
    for path, (fits, allowed) in shape.items():
        part = at(value, *path)
        if part is not None and not fits(part):
            yield Mistake(f"{where}.{'.'.join(path)}", part, f"expected {allowed}")


def _container_problems(containers: object, where: str) -> Iterator[Mistake]:
    if not is_maps(containers) or not containers:
        yield Mistake(where, containers, "expected a list of containers")
        return
    for number, container in enumerate(containers):
        if not isinstance(container.get("name"), str):
            yield Mistake(f"{where}[{number}].name", container.get("name"), "expected a text")
        yield from _shape_problems(container, _CONTAINER_SHAPE, f"{where}[{number}]")
