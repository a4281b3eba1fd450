"""Names of storage classes."""

import pytest

from components.kubeflow.storage_classes import AKS_CLASSES
from program.planning.rules.storage_classes import storage_problems
from tests.program.planning.given import refused, settings


def found(name: str) -> list[str]:
    return refused(storage_problems(settings(kubeflow={"storageClass": {"name": name}})))


@pytest.mark.parametrize("name", sorted(AKS_CLASSES))
def test_the_name_of_a_class_of_aks_is_refused(name: str) -> None:
    assert found(name) == ["kubeflow.storageClass.name"]


@pytest.mark.parametrize("name", ["ckf-zrs", "managed-zrs", "default2", "azurefile-nfs"])
def test_any_other_name_is_taken(name: str) -> None:
    assert found(name) == []
