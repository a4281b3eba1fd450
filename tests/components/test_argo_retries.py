"""The key in the ConfigMap of Argo's charm: its value, and only where it is switched on."""

import pytest
import yaml

from components.kubeflow.prerequisites import KubeflowPrerequisites
from tests.components import sample_arguments
from tests.components.conftest import Cloud

PATCH = "on-argo-retries"


@pytest.fixture(scope="module", autouse=True)
def prerequisites(cloud: Cloud) -> KubeflowPrerequisites:
    """The prerequisites with the setting, and beside them others without."""
    KubeflowPrerequisites("off", sample_arguments.PREREQUISITES, cloud.opts)
    return KubeflowPrerequisites("on", {**sample_arguments.PREREQUISITES, "argo_retries": True}, cloud.opts)


def test_a_step_without_retries_gets_none_and_whoever_has_some_retries_whatever_happened(
    cloud: Cloud,
) -> None:
    defaults = yaml.safe_load(cloud.inputs(PATCH)["data"]["workflowDefaults"])
    retry = {"limit": "0", "retryPolicy": "Always"}
    assert defaults == {"spec": {"templateDefaults": {"retryStrategy": retry}}}


def test_nothing_but_that_key_of_the_charms_config_map_is_requested(cloud: Cloud) -> None:
    body = cloud.inputs(PATCH)
    where = (body["metadata"]["namespace"], body["metadata"]["name"])
    assert where == ("kubeflow", "argo-workflow-controller-configmap")
    assert list(body["data"]) == ["workflowDefaults"]


def test_the_field_has_a_manager_of_our_own_and_is_never_taken_by_force(cloud: Cloud) -> None:
    assert cloud.inputs(PATCH)["metadata"]["annotations"] == {"pulumi.com/patchFieldManager": "kubeflow-aks"}


def test_whoever_may_not_read_the_charms_config_map_finds_it_in_the_pool_contract(cloud: Cloud) -> None:
    assert cloud.inputs("on-agent-pools")["data"]["argoRetries"] == "true"
    assert list(cloud.inputs("off-agent-pools")["data"]) == ["pools.json"], "others may have set it"


def test_nothing_is_requested_of_the_charm_without_the_setting(cloud: Cloud) -> None:
    assert not [name for name in cloud.names("off") if "argo" in name]
