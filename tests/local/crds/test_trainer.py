"""Placed TrainJobs against the real custom resources of each release of Kubeflow Trainer."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from ckf_spot.kinds.trainer import APIS

from ckf_spot import Pools
from kubeflow_aks.local_aks.lifecycle.instance import PROJECT_ROOT
from tests.local.custom_resources import CustomResources
from tests.local.kubectl import eventually

EXAMPLE = PROJECT_ROOT / "ckf_spot/examples/training/trainjob.yaml"


def placed(api: Any) -> dict[str, Any]:
    document = yaml.safe_load(EXAMPLE.read_text(encoding="utf-8"))
    document["metadata"]["namespace"] = "default"
    group: Any = Pools.sample()["gpu"]
    return group.place(document, trainer_api=api)


def taken(crds: CustomResources, document: dict[str, Any]) -> bool:
    """Whether it is taken already: a moment after an installation the release before may still be in force."""
    try:
        return bool(crds.accept(document))
    except AssertionError:
        return False


@pytest.mark.parametrize("api", APIS)
def test_a_placed_trainjob_is_one_of_its_release_and_of_no_other_form(
    api: str, crds: CustomResources
) -> None:
    crds.install(f"trainer-{api}")
    ours = placed(api)
    assert eventually(lambda: taken(crds, ours))
    other = [placed(each) for each in APIS if placed(each)["spec"].keys() != ours["spec"].keys()]
    assert len(other) >= 2
    for each in other:
        with pytest.raises(AssertionError, match="unknown field"):
            crds.accept(each)
