"""The guard that keeps the platform and notebooks off spot, on its own; its CEL is checked for its parts only."""

import pytest

from components.kubeflow.prerequisites import KubeflowPrerequisites
from tests.components import sample_arguments
from tests.components.conftest import Cloud
from tests.components.sample_arguments import SPOT_KEY


@pytest.fixture(scope="module", autouse=True)
def prerequisites(cloud: Cloud) -> KubeflowPrerequisites:
    """The prerequisites that tests read unless they make some of their own."""
    return KubeflowPrerequisites("kf", sample_arguments.PREREQUISITES, cloud.opts)


def expressions(named: list[dict[str, str]]) -> dict[str, str]:
    """The CEL of a policy's conditions or variables, by name."""
    return {part["name"]: part["expression"] for part in named}


def test_the_guard_reviews_pods_and_fails_closed(cloud: Cloud) -> None:
    body = cloud.inputs("kf-guard")
    [rule] = body["spec"]["matchConstraints"]["resourceRules"]
    assert (rule["resources"], rule["operations"]) == (["pods"], ["CREATE", "UPDATE"])
    assert body["spec"]["failurePolicy"] == "Fail"


@pytest.mark.parametrize("guarded", ["'kubeflow'", "'controller-'", "'knative-'", "'notebook-name'"])
def test_the_guard_is_about_the_platform_and_notebooks(cloud: Cloud, guarded: str) -> None:
    assert guarded in expressions(cloud.inputs("kf-guard")["spec"]["matchConditions"])["guarded"]


def test_the_guard_lets_daemons_through(cloud: Cloud) -> None:
    assert "'DaemonSet'" in expressions(cloud.inputs("kf-guard")["spec"]["matchConditions"])["not-a-daemon"]


def test_the_guard_names_the_spot_taint_in_its_condition_and_its_message(cloud: Cloud) -> None:
    body = cloud.inputs("kf-guard")
    assert f"'{SPOT_KEY}'" in expressions(body["spec"]["variables"])["tolerates"]
    assert SPOT_KEY in body["spec"]["validations"][0]["message"]


def test_the_guard_is_bound_and_denies(cloud: Cloud) -> None:
    policy, binding = cloud.inputs("kf-guard"), cloud.inputs("kf-guard-binding")
    assert binding["spec"] == {"policyName": policy["metadata"]["name"], "validationActions": ["Deny"]}
