"""What the page on the first pipeline has a team create, before a real API server."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from kubeflow_aks.project import PROJECT_ROOT
from tests.docs.pages import blocks
from tests.local.kubectl import Kubectl, eventually

PAGE = PROJECT_ROOT / "docs/how-to/run-the-first-pipeline.md"
OBJECTS: dict[str, Any] = {obj["kind"]: obj for obj in map(yaml.safe_load, blocks(PAGE, "yaml"))}


def limited(kubectl: Kubectl, **hard: str) -> None:
    """The profile's ResourceQuota as its controller makes it, with more limits; returns when it counts."""
    spec = OBJECTS["Profile"]["spec"]["resourceQuotaSpec"]
    spec = {**spec, "hard": {**spec["hard"], **hard}}
    kubectl.apply(
        {
            "apiVersion": "v1",
            "kind": "ResourceQuota",
            "metadata": {"name": "kf-resource-quota"},
            "spec": spec,
        }
    )
    eventually(lambda: kubectl.get("resourcequota", "kf-resource-quota").get("status", {}).get("used"))


def pod(name: str, **resources: Any) -> dict[str, Any]:
    """A pod that nobody runs."""
    container = {"name": "main", "image": "work", "resources": resources}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {"nodeName": "nowhere", "automountServiceAccountToken": False, "containers": [container]},
    }


def gpus(count: int) -> dict[str, Any]:
    """Requests and limits of GPUs."""
    return {"requests": {"nvidia.com/gpu": str(count)}, "limits": {"nvidia.com/gpu": str(count)}}


def test_a_profile_gets_its_gpus_and_no_more(kubectl: Kubectl) -> None:
    limited(kubectl)
    kubectl.apply(pod("without"), pod("all", **gpus(4)))
    with pytest.raises(
        AssertionError, match=r"exceeded quota: kf-resource-quota, requested: requests.nvidia.com/gpu=1"
    ):
        kubectl.apply(pod("more", **gpus(1)))


def test_a_quota_on_cpu_takes_a_default(kubectl: Kubectl) -> None:
    limited(kubectl, **{"requests.cpu": "64", "requests.memory": "256Gi"})
    with pytest.raises(
        AssertionError, match=r"must specify requests.cpu for: main; requests.memory for: main"
    ):
        kubectl.apply(pod("step"))
    defaults = {**OBJECTS["LimitRange"], "metadata": {"name": "defaults"}}
    kubectl.apply(defaults)
    kubectl.apply(pod("step"))
    [container] = kubectl.get("pod", "step")["spec"]["containers"]
    assert container["resources"]["requests"] == {"cpu": "100m", "memory": "128Mi"}


def test_the_wheel_fits_a_config_map_under_the_name_of_the_page(kubectl: Kubectl, tmp_path: Path) -> None:
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run(
        [*build, "--wheel-dir", tmp_path, PROJECT_ROOT / "packages/ckf-spot"], check=True, capture_output=True
    )
    kubectl.run("create", "configmap", "ckf-spot", f"--from-file={tmp_path}")
    [key] = kubectl.get("configmap", "ckf-spot")["binaryData"]
    default = OBJECTS["PodDefault"]["spec"]
    [variable] = default["env"]
    [mount] = default["volumeMounts"]
    assert variable["value"] == f"{mount['mountPath']}/{key}"
    merged = pod("notebook")
    merged["spec"]["volumes"] = default["volumes"]
    merged["spec"]["containers"][0] |= {"env": default["env"], "volumeMounts": default["volumeMounts"]}
    kubectl.apply(merged)
