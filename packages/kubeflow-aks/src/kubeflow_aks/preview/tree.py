"""The resource tree, as `pulumi preview` draws it."""

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from kubeflow_aks.recorder.document import PlanDocument, PlannedResource
from kubeflow_aks.text.columns import GAP, cut_start

_CREATE = " +  "


class _Row(NamedTuple):
    branch: str
    type: str
    name: str
    mark: str


def resource_tree(document: PlanDocument, width: int) -> list[str]:
    """One line per resource: type, name, and `protect` where a destroy is refused; in the order of creation."""
    rows = list(_rows(document))
    marks = max(len(row.mark) for row in rows)
    kinds = max(len(row.branch + row.type) for row in rows)
    names = max(len(row.name) for row in rows)
    room = width - len(_CREATE) - marks - 2 * GAP
    names = min(names, max(room - kinds, room // 3))
    kinds = min(kinds, room - names)
    lines = [f"{'':{len(_CREATE)}}{'Type':{kinds + GAP}}Name"]
    for row in rows:
        kind = row.branch + cut_start(row.type, kinds - len(row.branch))
        line = f"{_CREATE}{kind:{kinds + GAP}}{cut_start(row.name, names):{names + GAP}}{row.mark}"
        lines.append(line.rstrip())
    return lines


def title(document: PlanDocument) -> str:
    """The names of project and stack; the stack's alone where the program registers nothing."""
    projects = [resource["urn"].split("::")[1] for resource in document["resources"][:1]]
    return "-".join((*projects, document["stack"]))


def _rows(document: PlanDocument) -> Iterator[_Row]:
    children: defaultdict[str, list[PlannedResource]] = defaultdict(list)
    urns = {resource["urn"] for resource in document["resources"]}
    for resource in _in_order(document["resources"]):
        children[resource["parent"] if resource["parent"] in urns else ""].append(resource)

    def below(parent: str, indent: str) -> Iterator[_Row]:
        for resource in children[parent]:
            last = resource is children[parent][-1]
            mark = "protect" if resource["options"].get("protect") else ""
            yield _Row(indent + ("└─ " if last else "├─ "), resource["type"], resource["name"], mark)
            yield from below(resource["urn"], indent + ("   " if last else "│  "))

    yield _Row("", "pulumi:pulumi:Stack", title(document), "")
    yield from below("", "")


def _in_order(resources: list[PlannedResource]) -> list[PlannedResource]:
    """Resources by the number of others that must exist first; a component with its last child; else by URN."""
    needs = {item["urn"]: [*item["dependsOn"], item["parent"]] for item in resources}
    ranks: dict[str, int] = {}

    def rank(urn: str) -> int:
        if urn not in ranks:
            ranks[urn] = 1 + max((rank(other) for other in needs[urn] if other in needs), default=0)
        return ranks[urn]

    done = {item["urn"]: rank(item["urn"]) for item in resources}
    for item in resources:
        done[item["parent"]] = max(done.get(item["parent"], 0), rank(item["urn"]))
    return sorted(resources, key=lambda item: (done[item["urn"]], item["urn"]))
