"""The key in the ConfigMap of Argo's charm: its value, and only where it is switched on."""

# pyright: reportUntypedFunctionDecorator=false, reportUnknownMemberType=false

from typing import Any

import pulumi
import pytest
import yaml

from components.kubeflow.prerequisites import KubeflowPrerequisites
from tests.components import given
from tests.components.conftest import Cloud

PATCH = "on-argo-retries"


@pytest.fixture(scope="module", autouse=True)
def prerequisites(cloud: Cloud) -> KubeflowPrerequisites:
    """The prerequisites with the setting, and beside them others without."""
    cloud.build(lambda: KubeflowPrerequisites("off", given.PREREQUISITES, cloud.opts))
    return cloud.build(
        lambda: KubeflowPrerequisites("on", {**given.PREREQUISITES, "argo_retries": True}, cloud.opts)
    )


@pulumi.runtime.test
def test_a_step_without_retries_gets_none_and_whoever_has_some_retries_whatever_happened(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        defaults = yaml.safe_load(body["data"]["workflowDefaults"])
        retry = {"limit": "0", "retryPolicy": "Always"}
        assert defaults == {"spec": {"templateDefaults": {"retryStrategy": retry}}}

    return cloud.request(PATCH).apply(check)


@pulumi.runtime.test
def test_nothing_but_that_key_of_the_charms_config_map_is_requested(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        where = (body["metadata"]["namespace"], body["metadata"]["name"])
        assert where == ("kubeflow", "argo-workflow-controller-configmap")
        assert list(body["data"]) == ["workflowDefaults"]

    return cloud.request(PATCH).apply(check)


@pulumi.runtime.test
def test_the_field_has_a_manager_of_our_own_and_is_never_taken_by_force(cloud: Cloud) -> Any:
    def check(body: dict[str, Any]) -> None:
        assert body["metadata"]["annotations"] == {"pulumi.com/patchFieldManager": "kubeflow-aks"}

    return cloud.request(PATCH).apply(check)


def test_nothing_is_requested_of_the_charm_without_the_setting(cloud: Cloud) -> None:
    assert not [name for name in cloud.names("off") if "argo" in name]
