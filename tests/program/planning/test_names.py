"""Physical names."""

from program.planning.names import dns_label, names
from tests.program.planning.small_stack import settings

GROUP = "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/kubeflow-aks-dev"


def test_names_carry_project_and_stack() -> None:
    assert names("kubeflow-aks", "dev", settings()).base == "kubeflow-aks-dev"


def test_two_subscriptions_have_two_dns_labels() -> None:
    other = GROUP.replace("-000000000000/", "-000000000001/")
    assert dns_label("kubeflow-aks-dev", GROUP) != dns_label("kubeflow-aks-dev", other)


def test_a_dns_label_stays_the_same_whatever_the_case_of_the_id() -> None:
    labels = {dns_label("kubeflow-aks-dev", arm_id) for arm_id in (GROUP, GROUP.lower(), GROUP.upper())}
    assert labels == {"kubeflow-aks-dev-1aeace18"}
