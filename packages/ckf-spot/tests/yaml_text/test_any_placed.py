"""Work in any style of writing is placed without touching anything else: taken back, it is the same to the letter."""

from __future__ import annotations

import random
from typing import Any

from authors import Author
from hypothesis import given, settings
from hypothesis import strategies as st
from values import LOOK_ALIKE

from ckf_spot import Pools
from ckf_spot.kinds import manifests
from ckf_spot.kinds.kind import PlacingRequest
from ckf_spot.kinds.manifests import File
from ckf_spot.yaml_text import Stream, load

POOLS = Pools.sample()
_TEXTS = st.sampled_from(LOOK_ALIKE)
_CONTAINERS = st.lists(
    st.fixed_dictionaries(
        {"name": st.just("pytorch"), "image": st.sampled_from(["a", "b:1"])},
        optional={
            "command": st.lists(_TEXTS, min_size=1, max_size=3),
            "env": st.just([{"name": "A", "value": "no"}]),
        },
    ),
    min_size=1,
    max_size=2,
)
_TEMPLATES = st.fixed_dictionaries(
    {"spec": st.fixed_dictionaries({"restartPolicy": st.just("Never"), "containers": _CONTAINERS})},
    optional={"metadata": st.fixed_dictionaries({"annotations": st.dictionaries(_TEXTS, _TEXTS, min_size=1)})},
)  # fmt: skip
_JOBS = st.fixed_dictionaries({"template": _TEMPLATES}, optional={"parallelism": st.integers(1, 9)})
_ROLES = st.fixed_dictionaries({"template": _TEMPLATES})
_STEP = {"name": st.just("main"), "script": st.fixed_dictionaries({"image": st.just("a"), "source": _TEXTS})}
_STEPS = st.lists(st.fixed_dictionaries(_STEP), min_size=1, max_size=1)
_EXECUTORS = st.fixed_dictionaries({"cores": st.integers(1, 4)})


def _object(version: str, kind: str, **spec: Any) -> st.SearchStrategy[dict[str, Any]]:
    metadata = st.fixed_dictionaries(
        {"name": st.just("w")}, optional={"labels": st.dictionaries(_TEXTS, _TEXTS)}
    )
    parts = {"apiVersion": st.just(version), "kind": st.just(kind), "metadata": metadata}
    return st.fixed_dictionaries({**parts, "spec": st.fixed_dictionaries(spec)})


_WORK = st.one_of(
    _object("batch/v1", "Job", template=_TEMPLATES),
    _object("batch/v1", "CronJob", schedule=st.just("@daily"), jobTemplate=st.fixed_dictionaries({"spec": _JOBS})),
    _object("kubeflow.org/v1", "PyTorchJob", pytorchReplicaSpecs=st.fixed_dictionaries({"Worker": _ROLES})),
    _object("argoproj.io/v1alpha1", "Workflow", entrypoint=st.just("main"), templates=_STEPS),
    _object("sparkoperator.k8s.io/v1beta2", "SparkApplication", driver=_EXECUTORS, executor=_EXECUTORS),
)  # fmt: skip
_BESIDE = st.fixed_dictionaries(
    {
        "apiVersion": st.just("v1"),
        "kind": st.just("ConfigMap"),
        "data": st.dictionaries(_TEXTS, _TEXTS, max_size=3),
    }
)


@st.composite
def _streams(draw: st.DrawFn) -> list[Any]:
    """Work, and what may stand before and behind it."""
    before, after = draw(st.lists(_BESIDE, max_size=1)), draw(st.lists(_BESIDE | _WORK, max_size=1))
    return [*before, draw(_WORK), *after]


def _placed(stream: Stream) -> list[Any]:
    files = manifests.place([File("f", stream.documents)], POOLS["cpu"], PlacingRequest()).files
    return list(files[0].documents)


@settings(max_examples=150, derandomize=True)
@given(_streams(), st.randoms(use_true_random=False))
def test_taking_the_placement_back_gives_the_text_to_the_letter(
    documents: list[Any], chance: random.Random
) -> None:
    author = Author(chance, only_blocks=True, is_simple=True)
    text = author.stream(documents)
    stream = load(text, "f")
    placed = _placed(stream)

    written = stream.changed(placed)

    again = load(written, "f")
    assert again.documents == placed != documents
    lines = iter(written.splitlines())
    assert [line for line in text.splitlines() if line not in lines] == []
    assert again.changed(documents) == text


@settings(max_examples=150, derandomize=True)
@given(_streams(), st.randoms(use_true_random=False))
def test_what_is_beside_the_work_stays_whatever_its_style(
    documents: list[Any], chance: random.Random
) -> None:
    """Anchors and `{ }` as well, in which a placement rewrites the line it is put on."""
    stream = load(Author(chance).stream(documents), "f")
    placed = _placed(stream)
    assert load(stream.changed(placed), "f").documents == placed
