"""What headroom needs of its pool. Pure: planning calls the same rules without the SDKs."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ..arguments.mistakes import Mistake
from ..pools.conventions import TIME_SLICES_LABEL

MAX_IMAGES: Final = 10
"""Our choice: a node pulls them one after the other, and has to keep them."""
_IMAGE: Final = re.compile(
    r"[a-z0-9][-._a-z0-9]*(:[0-9]+)?(/[-._a-z0-9]+)*(:[-._A-Za-z0-9]+)?(@sha256:[0-9a-f]{64})?"
)
"""Form of a reference: a registry's host, a path, a tag, a digest."""


def headroom_mistakes(
    key: str, nodes: int, images: Sequence[str], *, spot: bool, most: int, time_slices: int | str | None
) -> Iterator[Mistake]:
    """The pool has room for the nodes beside its work, a placeholder can hold a whole node, and images have names.

    Args:
        key: path of the headroom.
        nodes: of it.
        images: of it.
        spot: whether the pool is spot.
        most: nodes of the pool, of all its sizes.
        time_slices: pods that share a GPU in turn, if any.
    """
    if not spot:
        yield Mistake(
            f"{key}.nodes", nodes, "no value unless priority is Spot; minCount keeps nodes on demand"
        )
    elif nodes >= most:
        yield Mistake(
            f"{key}.nodes",
            nodes,
            f"less than {most}, the most nodes of the pool, because work needs some as well",
        )
    if time_slices:
        yield Mistake(
            f"{key}.nodes", nodes, "no value beside gpuTimeSlices, because no pod may ask for several slices"
        )
    if len(images) > MAX_IMAGES:
        yield Mistake(f"{key}.images", list(images), f"at most {MAX_IMAGES} images")
    for index, image in enumerate(images):
        if not _IMAGE.fullmatch(image):
            yield Mistake(
                f"{key}.images[{index}]", image, "the name of an image, like team.azurecr.io/train:1.4"
            )


def return_mistakes(key: str, nodes: int, *, returns: bool) -> Iterator[Mistake]:
    """No work returns to spot: a placeholder would take the room that was tried for it, which sends the work back."""
    if returns:
        yield Mistake(
            f"{key}.nodes", nodes, "no value with returnToSpot, whose room on spot a placeholder would take"
        )


def contract_headroom_mistakes(
    pools: Sequence[Mapping[str, Any]], specs: Sequence[Mapping[str, Any]], *, returns: bool
) -> Iterator[Mistake]:
    """Each headroom is one that its pool can have, and the only one of it.

    Args:
        pools: the pool contract.
        specs: arguments `headroom`.
        returns: whether work returns to spot.
    """
    by_name: dict[str, list[Mapping[str, Any]]] = {}
    for pool in pools:
        by_name.setdefault(pool.get("pool") or pool["name"], []).append(pool)
    spot = [name for name, sizes in by_name.items() if sizes[0]["priority"] == "Spot"]
    for index, spec in enumerate(specs):
        key, name = f"headroom[{index}]", spec["pool"]
        sizes = by_name.get(name, ())
        if name not in spot or name in [other["pool"] for other in specs[:index]]:
            yield Mistake(
                f"{key}.pool",
                name,
                f"the name of a spot pool, each once: {', '.join(spot) or 'there is none'}",
            )
            continue
        yield from headroom_mistakes(
            key,
            spec["nodes"],
            spec.get("images", ()),
            spot=True,
            most=sum(pool["maxCount"] for pool in sizes),
            time_slices=next((it for pool in sizes if (it := pool["labels"].get(TIME_SLICES_LABEL))), None),
        )
        yield from return_mistakes(key, spec["nodes"], returns=returns)
        if not all(pool["gpus"] or pool.get("allocatable") for pool in sizes):
            yield Mistake(f"{key}.pool", name, "a pool whose allocatable CPU the contract has, or its GPUs")
