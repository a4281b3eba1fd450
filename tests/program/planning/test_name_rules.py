"""Names of project and stack that Azure's resources can be made of."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from program.planning.names import dns_label, names
from program.planning.rules.names import derived_names, name_problems
from tests.program.planning.small_stack import settings

LABELLED: dict[str, Any] = {"kubeflow": {"dnsLabel": "dashboard"}}
ATTACHED: dict[str, Any] = {
    "registry": {
        "attach": "/subscriptions/0a1b2c3d-0000-0000-0000-000000000000/resourceGroups/g/providers/"
        "Microsoft.ContainerRegistry/registries/shared"
    }
}


def refusals(project: str, stack: str = "dev", **keys: Any) -> list[str]:
    return [problem.key for problem in name_problems(project, stack, settings(**keys))]


@pytest.mark.parametrize("stack", ["a", "dev", "team-2-dev", "a" * 20])
def test_a_stack_name_is_lower_case_letters_digits_and_inner_hyphens(stack: str) -> None:
    assert refusals("kubeflow-aks", stack) == []


@pytest.mark.parametrize("stack", ["", "Dev", "2dev", "dev-", "-dev", "dev_1", "organisation/dev", "a" * 21])
def test_any_other_stack_name_is_refused(stack: str) -> None:
    assert refusals("kubeflow-aks", stack) == ["stack"]


@pytest.mark.parametrize("project", ["k", "kubeflow-aks", "ml2", "a" * 38])
def test_a_project_name_is_alike(project: str) -> None:
    assert refusals(project) == []


@pytest.mark.parametrize(
    "project", ["Kubeflow_AKS", "my.project", "Kubeflow", "2ml", "ml-", "-ml", "ml é", ""]
)
def test_any_other_project_name_is_refused(project: str) -> None:
    assert refusals(project) == ["project"]


def test_capitals_and_a_digit_first_go_where_no_dns_label_is_made_of_them() -> None:
    assert [refusals(name, **LABELLED) for name in ("KubeflowAKS", "2ml", "my.project")] == [
        [],
        [],
        ["project"],
    ]


def test_a_name_that_azure_reserves_is_refused() -> None:
    names = ("login-ml", "ml-windows", "microsoftml", "ml-login", "winml", "azure-ml")
    assert [refusals(name) for name in names] == [["project"], ["project"], ["project"], [], [], []]
    assert refusals("ml", "windows") == ["project"]


@pytest.mark.parametrize("label", ["login-ml", "loginml", "ml-windows", "microsoftml", "azure", "office365"])
def test_a_dns_label_that_azure_reserves_is_refused(label: str) -> None:
    assert refusals("kubeflow-aks", kubeflow={"dnsLabel": label}) == ["kubeflow.dnsLabel"]


@pytest.mark.parametrize("label", ["ml-login", "azure-ml", "my-office", "dashboard"])
def test_a_dns_label_that_only_resembles_one_is_taken(label: str) -> None:
    assert refusals("kubeflow-aks", kubeflow={"dnsLabel": label}) == []


def test_the_registry_takes_the_shortest_names_and_then_the_dns_prefix() -> None:
    assert refusals("a" * 39) == []
    assert refusals("a" * 40) == ["project"]
    assert refusals("a" * 50, **ATTACHED) == []
    assert refusals("a" * 51, **ATTACHED) == ["project"]


def test_a_name_that_is_too_long_says_by_how_much_and_for_what() -> None:
    [problem] = name_problems("a" * 34, "b" * 20, settings())
    assert problem.expected == (
        f"with stack {'b' * 20!r} names that are 12 characters shorter together, because that of the container "
        "registry has 62 and Azure takes 50"
    )


@given(st.integers(1, 60), st.integers(1, 20))
def test_the_table_measures_the_names_that_are_made(project: int, stack: int) -> None:
    made = names("p" * project, "s" * stack, settings()).base
    lengths = {named.what: named.length for named in derived_names("p" * project, "s" * stack, settings())}
    assert lengths["cluster"] == len(made)
    assert lengths["dashboard's DNS label"] == len(dns_label(made, "any id"))
