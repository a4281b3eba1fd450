"""Names of the stack's storage classes."""

from collections.abc import Iterator

from components.arguments.mistakes import Mistake
from components.kubeflow.storage_classes import class_name_mistakes
from program.settings import Settings


def storage_problems(settings: Settings) -> Iterator[Mistake]:
    """Names that no other class has."""
    checkpoints = settings.data.checkpoints
    yield from class_name_mistakes(
        settings.kubeflow.storage_class.name,
        checkpoints.name if checkpoints.enabled else None,
        keys=("kubeflow.storageClass.name", "data.checkpoints.name"),
    )
