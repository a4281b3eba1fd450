"""Claims that a pipeline makes for one node at a time, its workspace, and the deadline of its runs: a line for each."""

# No `from __future__ import annotations`: kfp reads annotations as they are.

from typing import Any

import pytest
from compiling import Compiled, pipeline, work
from kfp import dsl, kubernetes
from kfp.dsl import pipeline_config

from ckf_spot import Pools
from ckf_spot.pipelines import compiled

CPU = Pools.sample()["cpu"]
MOVES = "claim 'createpvc' is for one node at a time: after an eviction the next pod of {} waits until the lost node"
SEVERAL = "claim 'createpvc' is for one node at a time: the pods of {} on a second node wait for it (Multi-Attach); ta"


def claim(mode: str = "ReadWriteOnce", storage: str = "managed-csi") -> Any:
    return kubernetes.CreatePVC(
        access_modes=[mode], size="1Gi", pvc_name_suffix="-a", storage_class_name=storage
    )


def mounting(made: Any) -> Any:
    """A task that mounts a claim."""
    name = made if isinstance(made, str) else made.outputs["name"]
    return kubernetes.mount_pvc(work(), pvc_name=name, mount_path="/data")


@pipeline
def alone() -> None:
    mounting(claim())


@pipeline
def in_turn() -> None:
    made = claim()
    mounting(made).after(mounting(made))


@pipeline
def side_by_side() -> None:
    made = claim()
    mounting(made)
    mounting(made)


@pipeline
def looped() -> None:
    made = claim()
    with dsl.ParallelFor([1, 2]):
        mounting(made)


@pipeline
def one_for_each() -> None:
    with dsl.ParallelFor([1, 2]):
        mounting(claim())


@pipeline
def shared() -> None:
    made = claim("ReadWriteMany", "checkpoints")
    mounting(made)
    mounting(made)


@pipeline
def elsewhere() -> None:
    claim()
    mounting("checkpoints")


def both_ways(made: Any, **options: Any) -> list[str]:
    """The lines about claims and runs, which placing in Python and placing the compiled file report alike."""
    file = Compiled.from_pipeline(made)
    _, report = compiled.place([file.pipeline, file.platform], CPU, **options)
    assert CPU.place_pipeline(made, **options).doubts == report.doubts
    return list(report.doubts)


@pytest.mark.parametrize(
    ("made", "line"),
    [
        (alone, MOVES.format("work")),
        (in_turn, MOVES.format("work, work-2")),
        (side_by_side, SEVERAL.format("work, work-2")),
        (looped, SEVERAL.format("for-loop-2/work")),
        (one_for_each, MOVES.replace("createpvc", "for-loop-2/createpvc").format("for-loop-2/work")),
        (shared, None),
        (elsewhere, None),
    ],
)
def test_a_claim_for_one_node_is_a_line(made: Any, line: str | None) -> None:
    lines = both_ways(made)
    assert [reported[: len(line or "")] for reported in lines] == ([line] if line else [])


def with_config(**config: Any) -> Any:
    @pipeline(name="configured", pipeline_config=pipeline_config.PipelineConfig(**config))
    def configured() -> None:
        work()
        work()

    return configured


def workspace(**patch: Any) -> Any:
    patched = pipeline_config.KubernetesWorkspaceConfig(pvcSpecPatch=patch)
    return pipeline_config.WorkspaceConfig(size="1Gi", kubernetes=patched)


@pytest.mark.parametrize(
    ("config", "line"),
    [
        ({"workspace": workspace(accessModes=["ReadWriteOnce"])}, "claim 'workspace' is for one node at a time: the p"),
        ({"workspace": workspace(accessModes=["ReadWriteMany"], storageClassName="checkpoints")}, None),
        ({"workspace": workspace()}, "the run's workspace was not judged, since its access mode is the server's: with"),
        ({"active_deadline_seconds": 600}, "active_deadline_seconds ends the run after 10m, in which it also waits"),
    ],
)  # fmt: skip
def test_what_a_run_is_given_as_a_whole_is_looked_at(config: Any, line: str | None) -> None:
    lines = both_ways(with_config(**config))
    assert [reported[: len(line or "")] for reported in lines] == ([line] if line else [])
    assert both_ways(with_config(**config), require="on-demand") == []
