"""The pods of an object, whatever its kind: where their templates are, how many there will be, what they ask for."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from ckf_spot import judgements
from ckf_spot.errors import ABSENT, Mistake
from ckf_spot.fields import Object, is_maps, map_at, maps_at
from ckf_spot.judgements import REFUSED, Field
from ckf_spot.kinds import argo, copies, kind, placing, table
from ckf_spot.kinds.kind import PlacingRequest, dotted
from ckf_spot.pipelines import compiled
from ckf_spot.pods import shape
from ckf_spot.pods.fit import requested, stated
from ckf_spot.pods.volumes import Mount

_CLAIM: Final = "persistentVolumeClaim.claimName"
_START: Final = "start"
_REQUEST: Final = PlacingRequest(pod_template=True)
"""With it a Pod is a kind like the others."""


@dataclass(frozen=True)
class Pods:
    """Pods of one template.

    Attributes:
        path: of their spec in the object.
        part: path of the part of the object that is about them alone.
        count: how many run at a time.
        template: theirs.
        problems: why the template is malformed; empty where everything that is read of it is well-formed.
        mounts: the claims of volumes that they mount; not of a kind that is not known.
    """

    path: str
    part: str
    count: int
    template: Any
    problems: tuple[Mistake, ...]
    mounts: tuple[Mount, ...] = ()

    @property
    def spec(self) -> Object:
        """Theirs."""
        return map_at(self.template, "spec")

    @property
    def labels(self) -> Object:
        """Theirs."""
        return map_at(self.template, "metadata", "labels")

    @property
    def containers(self) -> list[Object]:
        """All of them, those that run before the others too."""
        return [*maps_at(self.spec, "initContainers"), *maps_at(self.spec, "containers")]

    def amount(self, part: str, resource: str, default: object = 0) -> Decimal:
        """What all of them ask for together.

        Args:
            part: `requests` or `limits`.
            resource: such as `cpu` (cores) or `memory` (bytes).
            default: what a container gets that does not say.

        Raises:
            ValueError: a quantity is none, as one that a trial's parameter fills in.
        """
        return self.count * requested(self.spec, resource, part, default)

    def without(self, part: str, resource: str) -> list[str]:
        """Names of the containers that do not say how much they ask for."""
        return [
            str(container.get("name"))
            for container in self.containers
            if stated(container, part, resource) is None
        ]

    def has(self, field: Field) -> bool:
        """Whether a field of the object is about these pods alone."""
        return field.path.startswith(self.part) and field.path[len(self.part) :][:1] in {"", ".", "["}


@dataclass(frozen=True)
class Work:
    """An object and its pods.

    Attributes:
        name: kind and name.
        namespace: that it names; empty: none.
        pods: those whose template is in it.
        fields: those of it that can keep its pods from something, and that nobody judges or `ckf-spot place` refuses.
        claims: names of the volume claims that its pods mount.
        elsewhere: whether it makes pods whose template is not in it, or nobody knows how many at a time.
    """

    name: str
    namespace: str
    pods: tuple[Pods, ...]
    fields: tuple[Field, ...]
    claims: tuple[str, ...]
    elsewhere: bool

    def starting(self, pods: Pods, judgement: str) -> dict[str, str]:
        """The fields of a judgement that can keep some of its pods from starting, with the reasons."""
        others = [other for other in self.pods if other is not pods]
        return {
            field.path.removeprefix(f"{pods.path}."): field.row.reason
            for field in self.fields
            if field.row.judgement == judgement
            and _START in field.row.keeps_from
            and not any(other.has(field) for other in others)
        }

    @property
    def others(self) -> list[Field]:
        """The fields that nobody judges, without those that keep one of its pods from starting."""
        return [
            field
            for field in self.fields
            if field.unjudged and not (self.pods and _START in field.row.keeps_from)
        ]


def work(document: Object) -> Work:
    """An object as work: of a kind that can be placed by what that kind says, of another wherever containers are."""
    name, namespace = str(document.get("kind")), map_at(document, "metadata").get("namespace")
    placed = table.kinds(_REQUEST).get(name)
    pods = tuple(_of_kind(document, placed) if placed else _searched(document, "", 1, {}))
    if name in judgements.table():
        fields = list(judgements.fields(name, document))
    else:
        fields = [field for some in pods for field in judgements.fields("PodSpec", some.spec, some.path)]
    return Work(
        name=name_of(document),
        namespace=namespace if isinstance(namespace, str) else "",
        pods=pods,
        fields=tuple(field for field in fields if field.unjudged or field.row.judgement == REFUSED),
        claims=tuple(str(field.value) for field in fields if field.row.field == _CLAIM),
        elsewhere=not pods or name in argo.KINDS if placed else compiled.is_compiled(document),
    )


def name_of(document: Object) -> str:
    """Kind and name."""
    if compiled.is_bare(document):
        return f"pipeline/{map_at(document, 'pipelineInfo').get('name')}"
    metadata = map_at(document, "metadata")
    return f"{document.get('kind')}/{metadata.get('name') or metadata.get('generateName') or '-'}"


def _of_kind(document: Object, placed: kind.Kind) -> Iterator[Pods]:
    for part in placing.parts_of(dict(document), placed):
        for pods, path in part.pods(_REQUEST):
            template, where = pods.template(part.document), dotted(path)
            problems = shape.template_problems(template, where)
            yield Pods(
                path=pods.located(Mistake(f"{where}.spec", ABSENT, ""), where).path,
                part=where,
                count=copies.count(document, path),
                template=template,
                problems=tuple(pods.located(mistake, where) for mistake in problems),
                mounts=tuple(placing.mounts_of(document, part, pods)),
            )


def _searched(value: Any, path: str, count: int, around: Object) -> Iterator[Pods]:
    """The pods of a kind that is not known here: wherever there is a list of containers."""
    if isinstance(value, Mapping):
        if value.get("containers") and is_maps(value["containers"]):
            here, template = path.removeprefix("."), {"spec": value, "metadata": map_at(around, "metadata")}
            problems = shape.template_problems(template, here.removesuffix(".spec"))
            yield Pods(here, here, count, template, tuple(problems))
            return
        count *= copies.copies(value)
        for key, part in value.items():
            yield from _searched(part, f"{path}.{key}", count, value)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _searched(item, f"{path}[{number}]", count, {})
