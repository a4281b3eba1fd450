"""The picture of the pools as mermaid, which Git hosts draw in a README."""

from collections.abc import Iterator

from kubeflow_aks.preview.lanes import kind_of, lanes
from kubeflow_aks.preview.pools import full_name, node_range
from kubeflow_aks.preview.tree import title
from kubeflow_aks.recorder.document import PlanDocument, Pool

_STYLES = (
    "classDef work fill:#ffffff,stroke:#6b7280,color:#111827",
    "classDef system fill:#e5e7eb,stroke:#6b7280,color:#111827",
    "classDef Regular fill:#dbeafe,stroke:#1d4ed8,color:#111827",
    "classDef Spot fill:#ffedd5,stroke:#c2410c,color:#111827,stroke-dasharray:6 3",
)


def mermaid(document: PlanDocument) -> str:
    """A flowchart: work on the left, pools on the right, a dashed arrow from each spot pool to what replaces it."""
    return "\n".join(["flowchart LR", *(f"  {line}" for line in _lines(document)), ""])


def _lines(document: PlanDocument) -> Iterator[str]:
    rows = lanes(document)
    for number, lane in enumerate(rows):
        yield f'work{number}["{lane.work}<br/>{lane.how}"]:::work'
    yield f'subgraph aks["AKS cluster {title(document)}"]'
    for pool in document["pools"]:
        yield f"  {_box(pool)}"
    yield "end"
    for number, lane in enumerate(rows):
        for pool, instead in lane.rows:
            yield f"work{number} --> {_id(pool)}"
            if instead:
                yield f'{_id(pool)} -. "sold out" .-> {_id(instead)}'
    yield from _STYLES


def _box(pool: Pool) -> str:
    kind = "spot" if pool["priority"] == "Spot" else "on demand"
    facts = f"{pool['vmSize']}<br/>{kind}, {node_range(pool)} nodes"
    return f'{_id(pool)}["{full_name(pool)}<br/>{facts}"]:::{kind_of(pool)}'


def _id(pool: Pool) -> str:
    return f"pool_{pool['name']}"  # a pool may be called `end`, a keyword of mermaid
