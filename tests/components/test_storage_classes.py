"""Names of storage classes."""

import pytest

from components.kubeflow.storage_classes import AKS_CLASSES, class_name_mistakes


@pytest.mark.parametrize("name", sorted(AKS_CLASSES))
def test_the_name_of_a_class_of_aks_is_refused(name: str) -> None:
    assert [mistake.key for mistake in class_name_mistakes(name, keys=("name",))] == ["name"]


@pytest.mark.parametrize("name", ["ckf-zrs", "managed-zrs", "default2", "azurefile-nfs"])
def test_any_other_name_is_taken(name: str) -> None:
    assert list(class_name_mistakes(name, keys=("name",))) == []
