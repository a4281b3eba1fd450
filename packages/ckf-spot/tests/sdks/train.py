"""Trains with the placement as an option of the Kubeflow SDK that is installed; prints what it is refused with."""

from contextlib import suppress
from typing import Any

from kubeflow.trainer import CustomTrainer, TrainerClient

from ckf_spot import PlacementError, Pools, TrainOption

sdk_options: Any = None  # SDK 0.1 has none
with suppress(ImportError):
    from kubeflow.trainer import options as sdk_options


def function() -> None:
    """What a data scientist trains with."""


client = TrainerClient()
trainer = CustomTrainer(func=function, num_nodes=2, resources_per_node={"gpu": 1})
options: list[Any] = [TrainOption(Pools.sample()["gpu"])]
runtime = client.get_runtime("torch-distributed")
try:
    client.train(runtime=runtime, trainer=trainer, options=options)
    if hasattr(sdk_options, "PodTemplateOverrides"):  # of SDK 0.2 and 0.3
        pod = sdk_options.PodSpecOverride(node_selector={"a": "b"})
        override = sdk_options.PodTemplateOverride(target_jobs=["node"], spec=pod)
        options.append(sdk_options.PodTemplateOverrides(override))
        client.train(runtime=runtime, trainer=trainer, options=options)
except (PlacementError, TypeError) as error:
    print(error)
