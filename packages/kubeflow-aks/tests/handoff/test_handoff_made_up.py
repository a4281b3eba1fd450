"""Outputs that nobody here wrote: whatever is wrong with them is one line, and no secret is in it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, cast

from hypothesis import given, settings
from hypothesis import strategies as st

from kubeflow_aks.deployed.errors import StackError
from kubeflow_aks.deployed.outputs import parse
from kubeflow_aks.handoff.files import files
from tests.handoff.made_up_outputs import TOKEN, values

LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20)
ODD = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3)
)


def paths(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in the outputs."""
    items: Iterable[tuple[Any, Any]] = ()
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value).items()
    elif isinstance(value, list):
        items = enumerate(cast("list[Any]", value))
    return [at, *(path for key, inner in items for path in paths(inner, (*at, key)))]


WORN = ("clusterBasis", "poolContract", "ingressAnnotations", "ingressFqdn", "storageClass", "jujuEndpoint")


@settings(max_examples=300)
@given(data=st.data())
def test_odd_outputs_end_in_files_or_in_one_line(data: st.DataObject) -> None:
    outputs = values()
    places = [
        path for path in paths(outputs) if path and path[0] in (*WORN, "jujuCaCertificate", "jujuToken")
    ]
    for path in data.draw(st.lists(st.sampled_from(places), min_size=1, max_size=3)):
        holder: Any = outputs
        try:
            for step in path[:-1]:
                holder = holder[step]
            if data.draw(st.booleans()):
                holder[path[-1]] = data.draw(ODD)
            else:
                del holder[path[-1]]
        except (KeyError, IndexError, TypeError):
            continue  # an earlier change took the place away
    try:
        made = files(parse("dev", json.dumps(outputs), "outputs.json"))
    except StackError as error:
        shown = str(error)
    else:
        shown = ""
        assert {"clouds.yaml", "credentials.yaml", "kubeconfig", "bootstrap.sh"} <= set(made)
    assert "\n" not in shown
    assert TOKEN not in shown
