"""The pod that acts on notices of evictions: where it runs, what it may do, and whom it may call."""

import re
from typing import cast

import pytest

from components.kubeflow.prerequisites import KubeflowPrerequisites, KubeflowPrerequisitesArgs
from components.kubeflow.script_pod import PROBE_COMMAND, REPORT
from tests.components import sample_arguments
from tests.components.conftest import Cloud


@pytest.fixture(scope="module", autouse=True)
def prerequisites(cloud: Cloud) -> KubeflowPrerequisites:
    """The handler in a cluster with an engine for network policies, and without any other daemon."""
    others = {"network_policies": True, "device_plugin": False, "inotify": {"enabled": False}}
    args = cast(KubeflowPrerequisitesArgs, {**sample_arguments.PREREQUISITES, **others})
    return KubeflowPrerequisites("kf", args, cloud.opts)


def test_it_runs_beside_kubeflow_and_never_on_a_spot_node(cloud: Cloud) -> None:
    pod = cloud.inputs("kf-eviction-handler")["spec"]["template"]["spec"]
    assert pod["nodeSelector"] == {"kubernetes.io/os": "linux", "kubeflow-aks/workload": "platform"}
    assert "tolerations" not in pod


def test_the_strictest_pod_security_standard_admits_it(cloud: Cloud) -> None:
    namespace, deployment = map(cloud.inputs, ("kf-namespace", "kf-eviction-handler"))
    assert namespace["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "restricted"
    [container] = deployment["spec"]["template"]["spec"]["containers"]
    rights = container["securityContext"]
    assert rights["allowPrivilegeEscalation"] is False
    assert rights["capabilities"] == {"drop": ["ALL"]}
    assert rights["readOnlyRootFilesystem"] is True
    assert rights["runAsNonRoot"] is True
    assert rights["runAsUser"] > 0
    assert rights["seccompProfile"] == {"type": "RuntimeDefault"}


def test_its_rights_are_those_of_its_requests(cloud: Cloud) -> None:
    rights = {
        resource: set(rule["verbs"])
        for rule in cloud.inputs("kf-eviction-handler-role")["rules"]
        for resource in rule["resources"]
    }
    assert rights == {
        "nodes": {"list", "watch", "patch"},
        "pods": {"list", "delete"},
        "pods/eviction": {"create"},
        "pods/status": {"patch"},
    }


def test_it_reaches_the_api_servers_port_and_only_managed_prometheus_reaches_its_metrics(
    cloud: Cloud,
) -> None:
    template = cloud.inputs("kf-eviction-handler")["spec"]["template"]
    [port] = template["spec"]["containers"][0]["ports"]
    scraper = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "kube-system"}}}
    assert cloud.inputs("kf-eviction-handler-traffic")["spec"] == {
        "podSelector": {"matchLabels": {"app.kubernetes.io/name": "eviction-handler"}},
        "policyTypes": ["Egress", "Ingress"],
        "egress": [{"ports": [{"port": 443, "protocol": "TCP"}]}],
        "ingress": [{"from": [scraper], "ports": [{"port": port["containerPort"], "protocol": "TCP"}]}],
    }
    scraped = template["metadata"]["annotations"]
    assert int(scraped["prometheus.io/port"]) == port["containerPort"]
    assert (scraped["prometheus.io/scrape"], scraped["prometheus.io/path"]) == ("true", "/metrics")


def test_it_is_ready_while_its_report_has_no_problem(cloud: Cloud) -> None:
    [container] = cloud.inputs("kf-eviction-handler")["spec"]["template"]["spec"]["containers"]
    assert container["readinessProbe"]["exec"] == {"command": list(PROBE_COMMAND)}
    assert {"name": "REPORT", "value": REPORT} in container["env"]
    assert container.get("terminationMessagePath", "/dev/termination-log") == REPORT


def test_its_command_is_the_mounted_script_and_another_script_restarts_it(cloud: Cloud) -> None:
    script, deployment = map(cloud.inputs, ("kf-eviction-handler-script", "kf-eviction-handler"))
    template = deployment["spec"]["template"]
    [container] = template["spec"]["containers"]
    [mount], [volume] = container["volumeMounts"], template["spec"]["volumes"]
    assert volume["configMap"] == {"name": script["metadata"]["name"]}
    folder, package = mount["mountPath"].rsplit("/", 1)
    assert container["workingDir"] == folder
    assert container["command"][-2:] == ["-m", f"{package}.eviction_script"]
    assert set(script["data"]) == {"eviction_script.py", "script_client.py", "script_metrics.py"}
    assert "kubeflow-aks/script" in template["metadata"]["annotations"]
    assert re.fullmatch(r"mcr\.microsoft\.com/[^@]+@sha256:[0-9a-f]{64}", container["image"])
