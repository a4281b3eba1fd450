"""Trains with the placement as an option of the Kubeflow SDK that is installed; prints what it is refused with."""

from kubeflow.trainer import CustomTrainer, TrainerClient

from ckf_spot import PlacementError, Pools, TrainOption


def function() -> None:
    """What a data scientist trains with."""


client = TrainerClient()
trainer = CustomTrainer(func=function, num_nodes=2, resources_per_node={"gpu": 1})
options = [TrainOption(Pools.sample()["gpu"])]
try:
    client.train(runtime=client.get_runtime("torch-distributed"), trainer=trainer, options=options)
except (PlacementError, TypeError) as error:
    print(error)
