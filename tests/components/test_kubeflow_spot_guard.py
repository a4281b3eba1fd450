"""The guard that keeps the platform and notebooks off spot, on its own; its CEL is checked for its parts only."""

# pyright: reportUntypedFunctionDecorator=false, reportUnknownMemberType=false

from typing import Any

import pulumi
import pytest

from components.kubeflow.prerequisites import KubeflowPrerequisites
from tests.components import given
from tests.components.conftest import Cloud
from tests.components.given import SPOT_KEY


@pytest.fixture(scope="module", autouse=True)
def prerequisites(cloud: Cloud) -> KubeflowPrerequisites:
    """The prerequisites that tests read unless they make some of their own."""
    return cloud.build(lambda: KubeflowPrerequisites("kf", given.PREREQUISITES, cloud.opts))


def expressions(named: list[dict[str, str]]) -> dict[str, str]:
    """The CEL of a policy's conditions or variables, by name."""
    return {part["name"]: part["expression"] for part in named}


@pulumi.runtime.test
def test_the_guard_reviews_pods_and_fails_closed(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        [rule] = body["spec"]["matchConstraints"]["resourceRules"]
        assert (rule["resources"], rule["operations"]) == (["pods"], ["CREATE", "UPDATE"])
        assert body["spec"]["failurePolicy"] == "Fail"

    return cloud.request("kf-guard").apply(check)


@pytest.mark.parametrize("guarded", ["'kubeflow'", "'controller-'", "'knative-'", "'notebook-name'"])
@pulumi.runtime.test
def test_the_guard_is_about_the_platform_and_notebooks(cloud: Cloud, guarded: str) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert guarded in expressions(body["spec"]["matchConditions"])["guarded"]

    return cloud.request("kf-guard").apply(check)


@pulumi.runtime.test
def test_the_guard_lets_daemons_through(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert "'DaemonSet'" in expressions(body["spec"]["matchConditions"])["not-a-daemon"]

    return cloud.request("kf-guard").apply(check)


@pulumi.runtime.test
def test_the_guard_names_the_spot_taint_in_its_condition_and_its_message(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert f"'{SPOT_KEY}'" in expressions(body["spec"]["variables"])["tolerates"]
        assert SPOT_KEY in body["spec"]["validations"][0]["message"]

    return cloud.request("kf-guard").apply(check)


@pulumi.runtime.test
def test_the_guard_is_bound_and_denies(cloud: Cloud) -> Any:
    def check(bodies: list[dict[str, Any]]) -> None:
        policy, binding = bodies
        assert binding["spec"] == {"policyName": policy["metadata"]["name"], "validationActions": ["Deny"]}

    return pulumi.Output.all(cloud.request("kf-guard"), cloud.request("kf-guard-binding")).apply(check)
