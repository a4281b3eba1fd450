"""Compiles a pipeline with a placed task, with the SDK that is installed; prints the file, or what is refused."""

import tempfile
from pathlib import Path

from kfp import compiler, dsl, kubernetes

from ckf_spot import PlacementError, Pools


@dsl.container_component
def train() -> dsl.ContainerSpec:
    """What a data scientist trains with."""
    return dsl.ContainerSpec(image="python:3.11-slim", command=["true"])


def training() -> None:
    """One task, with settings that the placement is combined with."""
    task = train()
    kubernetes.add_toleration(task, key="team", operator="Exists")
    kubernetes.add_node_selector(task, "kubernetes.io/arch", "amd64")
    Pools.sample()["gpu"].place(task, require="spot")


try:
    pipeline = dsl.pipeline(name="training")(training)
except PlacementError as error:
    print(error)
else:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "pipeline.yaml")
        compiler.Compiler().compile(pipeline, str(path))
        print(path.read_text(encoding="utf-8"))
