"""Physical names, and the stack names they can be made of."""

import pytest

from planning.names import name_problems, names
from tests.planning.given import refused


def test_names_carry_project_and_stack() -> None:
    assert names("kubeflow-aks", "dev", "ml", None).base == "kubeflow-aks-dev"


def test_two_owners_have_two_dns_labels() -> None:
    labels = {names("kubeflow-aks", "dev", owner, None).dns_label for owner in ("ml", "vision")}
    assert len(labels) == 2


def test_a_dns_label_stays_the_same() -> None:
    assert names("kubeflow-aks", "dev", "ml", None).dns_label == "kubeflow-aks-dev-5d58d419"


def test_a_dns_label_that_is_asked_for_is_taken() -> None:
    assert names("kubeflow-aks", "dev", "ml", "dashboard").dns_label == "dashboard"


@pytest.mark.parametrize("stack", ["a", "dev", "team-2-dev", "a" * 20])
def test_a_stack_name_is_lower_case_letters_digits_and_inner_hyphens(stack: str) -> None:
    assert refused(name_problems(stack)) == []


@pytest.mark.parametrize("stack", ["", "Dev", "2dev", "dev-", "dev_1", "organisation/dev", "a" * 21])
def test_any_other_stack_name_is_refused(stack: str) -> None:
    assert refused(name_problems(stack)) == ["stack"]
