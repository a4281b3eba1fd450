"""Reads YAML documents and writes them placed, each in the form of its kind."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import yaml

from ckf_spot.errors import ABSENT, Mistake, PlacementError, missing, one_of, refuse
from ckf_spot.fields import Json, is_map, of
from ckf_spot.kinds import jobs, katib, trainer, training
from ckf_spot.placement import Capacity
from ckf_spot.pods import strict_schema
from ckf_spot.pool_group import PoolGroup

KINDS: Final = (jobs.KIND, *training.KINDS, trainer.KIND, katib.KIND)
"""Kinds that can be placed."""
_WITHOUT_PODS: Final = (
    "ConfigMap",
    "Namespace",
    "PersistentVolumeClaim",
    "Secret",
    "Service",
    "ServiceAccount",
)
"""Kinds that are often in the same file as a job; they stay as they are."""
_SERVING: Final = "it holds state or serves people, and an eviction would end that"
_REFUSED: Final[Mapping[str, str]] = {
    "Pod": "nothing makes a bare pod again after its eviction",
    "CronJob": "the Jobs it makes are not known yet; place the Job and put it under jobTemplate",
    **dict.fromkeys(("Deployment", "StatefulSet", "InferenceService", "Notebook"), _SERVING),
    "Workflow": "pipelines are placed in Python, by pools[…].place(task, …)",
}


@dataclass(frozen=True, kw_only=True)
class Wish:
    """How to place, whatever the kind.

    Attributes:
        prefer: see `PoolGroup.placement`.
        require: see `PoolGroup.placement`.
        also: see `place_training_job`.
        trainer_api: see `place_trainjob`; None: not known.
    """

    prefer: Capacity | None = None
    require: Capacity | None = None
    also: Sequence[str] = ()
    trainer_api: str | None = None


def load(text: str, origin: str) -> list[Json]:
    """The documents of a YAML stream; empty ones are left out.

    Args:
        text: YAML or JSON.
        origin: where it comes from, for messages.

    Raises:
        PlacementError: it is malformed, or a document is no map.
    """
    try:
        documents = [each for each in yaml.load_all(text, _Loader) if each is not None]
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        raise PlacementError(
            f"{origin}{line}: malformed YAML: {getattr(error, 'problem', None) or error}"
        ) from None
    refuse(
        [
            Mistake(f"{origin}: document {number}", each, "expected a map", "is no Kubernetes object")
            for number, each in enumerate(documents, 1)
            if not is_map(each)
        ]
    )
    return documents


def dump(documents: Sequence[Json]) -> str:
    """The documents as YAML; comments of the input are lost."""
    return yaml.dump_all(documents, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)


def place(documents: Sequence[Json], group: PoolGroup, wish: Wish, origin: str) -> list[Json]:
    """The documents, placed; those without pods stay as they are.

    Raises:
        PlacementError: with every mistake in any of them, one a line.
    """
    group.placement(
        prefer=wish.prefer, require=wish.require
    )  # an impossible wish is no mistake of each document
    placed: list[Json] = []
    found: list[Mistake] = []
    for number, document in enumerate(documents, 1):
        try:
            placed.append(_placed(document, group, wish))
        except PlacementError as error:
            found += [each.under(origin, _name(document, number)) for each in error.mistakes]
    if wish.also and not any(each.get("kind") in (*training.KINDS, katib.KIND) for each in documents):
        found.append(
            Mistake(
                f"{origin}: also",
                ABSENT,
                "leave it out",
                f"{', '.join(wish.also)}: none of the documents has roles",
            )
        )
    if not any(each.get("kind") not in _WITHOUT_PODS for each in documents):
        found.append(
            Mistake(origin, ABSENT, f"expected {', '.join(KINDS)}", "there is nothing to place in it")
        )
    refuse(found)
    return placed


def _placed(document: Json, group: PoolGroup, wish: Wish) -> Json:
    kind = document.get("kind")
    if kind in _WITHOUT_PODS:
        return document
    if not isinstance(kind, str):
        raise one_of("kind", kind, KINDS)
    if kind in _REFUSED:
        raise PlacementError(
            f"kind: {kind!r} can't be on spot: {_REFUSED[kind]}; expected {', '.join(KINDS)}"
        )
    if kind not in KINDS:
        raise one_of("kind", kind, KINDS)
    refuse(_problems(document, wish))
    if kind == jobs.KIND:
        return jobs.place_job(document, group, prefer=wish.prefer, require=wish.require)
    if kind == trainer.KIND:
        api: Any = wish.trainer_api
        return trainer.place_trainjob(document, group, api=api, prefer=wish.prefer, require=wish.require)
    place_it = katib.place_katib if kind == katib.KIND else training.place_training_job
    return place_it(document, group, prefer=wish.prefer, require=wish.require, also=wish.also)


def _problems(document: Json, wish: Wish) -> list[Mistake]:
    """Mistakes in a document's fields: what our own tables know, and Kubernetes' schema where it is at hand."""
    kind = document["kind"]
    if kind == jobs.KIND:
        found = jobs.problems(document)
    elif kind == katib.KIND:
        found = katib.problems(document)
    elif kind in training.KINDS:
        found = training.problems(document)
    else:
        if wish.trainer_api is None:
            return [
                missing("--trainer-api", f"expected {', '.join(trainer.APIS)}, the release in the cluster")
            ]
        return trainer.problems(document, wish.trainer_api)
    if strict_schema.available():
        told = {each.path for each in found}
        found += [each for each in _schema_problems(document) if each.path not in told]
    return found


def _schema_problems(document: Json, inside: str = "") -> Iterator[Mistake]:
    kind = document.get("kind")
    if not isinstance(kind, str):
        return
    if kind == jobs.KIND:
        yield from strict_schema.job_problems(document, inside.removesuffix("."))
    elif kind == katib.KIND:
        yield from _schema_problems(dict(of(document, "spec", "trialTemplate", "trialSpec")), katib.TRIAL)
    elif kind in training.KINDS:
        replicas = training.KINDS[kind].replicas
        for role in of(document, "spec", replicas):
            template = of(document, "spec", replicas, role, "template")
            yield from strict_schema.template_problems(template, f"{inside}spec.{replicas}.{role}.template")


def _name(document: Json, number: int) -> str:
    metadata = of(document, "metadata")
    name = metadata.get("name") or metadata.get("generateName")
    return f"{document.get('kind')}/{name}" if name and document.get("kind") else f"document {number}"


class _Loader(yaml.SafeLoader):
    """YAML as kubectl reads it: a key given twice is a mistake, and a date is a text."""

    yaml_implicit_resolvers = {  # noqa: RUF012 - PyYAML's own attribute
        first: [each for each in resolvers if each[0] != "tag:yaml.org,2002:timestamp"]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:  # noqa: FBT001, FBT002
        seen: set[str] = set()
        for key, _ in node.value:
            if key.value in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {key.value!r} is given twice", key.start_mark
                )
            seen.add(key.value)
        return super().construct_mapping(node, deep)


class _Dumper(yaml.SafeDumper):
    """YAML that people read: lists are indented under their key, and nothing is an alias."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - PyYAML's own signature
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: FBT001, FBT002, ARG002
        super().increase_indent(flow, False)  # noqa: FBT003
