"""The hand-off of the demo stack against its real API server."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.handoff.fake_programs import Fakes
from tests.local.demo_stack import DemoStack


@pytest.fixture
def machine(demo: DemoStack, handed: Path, tmp_path: Path) -> Fakes:
    """A machine with a real `kubectl`, and stand-ins of the rest."""
    fakes = Fakes.installed(handed, tmp_path / "machine")
    program = fakes.root / "bin" / "kubectl"
    program.unlink()
    program.symlink_to(demo.kubectl.tools["kubectl"])
    return fakes


@pytest.fixture
def kubeflow(demo: DemoStack) -> Generator[None]:
    """A namespace that Juju did not make; no other test here needs its absence, so its end is not waited for."""
    demo.kubectl.run("create", "namespace", "kubeflow")
    yield
    demo.kubectl.run("delete", "namespace", "kubeflow", "--wait=false")


def kubectl(demo: DemoStack, handed: Path, *words: str) -> str:
    command = [str(demo.kubectl.tools["kubectl"]), "--kubeconfig", str(handed / "kubeconfig"), *words]
    environment = {**os.environ, "KUBECACHEDIR": str(handed.parent / "kubectl-cache")}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout


def test_the_kubeconfig_is_juju_s_service_account_and_may_do_everything(
    demo: DemoStack, handed: Path
) -> None:
    user = json.loads(kubectl(demo, handed, "auth", "whoami", "--output", "json"))["status"]["userInfo"]
    assert user["username"] == "system:serviceaccount:kubeflow-aks:juju"
    assert kubectl(demo, handed, "auth", "can-i", "*", "*", "--all-namespaces").strip() == "yes"


def test_the_storage_class_in_jujus_configuration_exists(demo: DemoStack, handed: Path) -> None:
    names = dict(line.split("=", 1) for line in (handed / "names.sh").read_text().splitlines() if "=" in line)
    storage_class = json.loads(
        kubectl(demo, handed, "get", "storageclass", names["STORAGE_CLASS"], "--output", "json")
    )
    assert storage_class["provisioner"] == "disk.csi.azure.com"


def test_the_script_reaches_the_cluster(machine: Fakes) -> None:
    done = machine.run("bootstrap.sh", "--controller-only", KUBECACHEDIR=str(machine.root / "cache"))
    assert (done.returncode, done.stderr) == (0, "")
    assert machine.has("controllers/aks-demo-controller")


@pytest.mark.usefixtures("kubeflow")
def test_the_script_finds_a_namespace_that_juju_did_not_make(machine: Fakes) -> None:
    done = machine.run("bootstrap.sh", "--yes", KUBECACHEDIR=str(machine.root / "cache"))
    assert done.returncode == 1
    assert done.stderr.startswith("error: the namespace kubeflow exists, and Juju has no such model")


def test_the_script_finds_that_a_controller_is_of_another_cluster(machine: Fakes) -> None:
    machine.put("controllers/aks-demo-controller", "living")
    done = machine.run("bootstrap.sh", "--yes", KUBECACHEDIR=str(machine.root / "cache"))
    assert done.returncode == 1
    assert "juju unregister aks-demo-controller" in done.stderr


def test_a_token_that_is_gone_is_reported(machine: Fakes) -> None:
    file = machine.folder / "kubeconfig"
    file.write_text(file.read_text().replace("token: ", "token: x"))
    done = machine.run("bootstrap.sh", "--yes", KUBECACHEDIR=str(machine.root / "cache"))
    assert done.returncode == 3
    assert done.stderr.startswith("error: the cluster does not accept Juju's token\n")
