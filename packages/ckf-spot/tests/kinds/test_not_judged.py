"""Fields that nobody judges are named where they are set, once for each cause."""

import warnings
from typing import Any

import pytest
from samples import EXAMPLES, Json, example, job, place

from ckf_spot import EvictionWarning, Pools, yaml_text
from ckf_spot.commands.place import PlacingRequest
from ckf_spot.kinds import manifests
from ckf_spot.kinds.manifests import File


def unjudged(document: Json, pools: Pools, **request: Any) -> list[str]:
    group = pools["gpu" if document["kind"] in {"PyTorchJob", "TrainJob"} else "cpu"]
    file = File("work.yaml", [document])
    return list(manifests.place([file], group, PlacingRequest(**request)).unjudged)


def test_a_field_that_is_set_gets_a_line(pools: Pools) -> None:
    document = job()
    document["spec"] |= {"suspend": True, "ttlSecondsAfterFinished": 60}
    line = "work.yaml: Job/j: spec.suspend is not judged: no pod is made before somebody resumes it"
    assert unjudged(document, pools) == [line]
    with pytest.warns(EvictionWarning, match=r"^Job/j: spec\.suspend is not judged"):
        place(document, pools["cpu"])


def test_a_cause_in_several_pods_gets_one_line(pools: Pools) -> None:
    document = example("tfjob")
    for replica in document["spec"]["tfReplicaSpecs"].values():
        replica["template"]["spec"]["priority"] = 7
    [line] = unjudged(document, pools)
    assert "template.spec.priority and 2 more is not judged" in line


@pytest.mark.parametrize("name", [name for name in EXAMPLES if name not in {"executor", "inference"}])
def test_nothing_is_named_in_an_example(pools: Pools, name: str) -> None:
    request = {"trainer_api": "2.2"} if name == "trainjob" else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EvictionWarning)
        document = yaml_text.load(EXAMPLES[name].read_text(encoding="utf-8"), name).documents[0]
        assert unjudged(document, pools, **request) == []
