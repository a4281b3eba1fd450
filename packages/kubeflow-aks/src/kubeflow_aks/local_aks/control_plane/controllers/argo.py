"""The workflow controller of Argo that Charmed Kubeflow runs, set up as its charm does.

It watches every namespace and takes its settings from the ConfigMap of the charm (docs/facts/engine.md#argo). Two
things differ, because it runs beside the cluster and not in it: it elects no leader, and it serves neither metrics nor
its health, which it would do on every network interface of the machine.
"""

from __future__ import annotations

import socket
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, Final

from kubeflow_aks.clients.kubernetes.api import ApiServer
from kubeflow_aks.local_aks.control_plane.controllers import prerequisites
from kubeflow_aks.local_aks.control_plane.controllers.controller import API_RATE, KubeflowController

CONFIG_MAP: Final = "argo-workflow-controller-configmap"
CHARM: Final = "lightkube"
"""Field manager of the charm (canonical/argo-operators)."""

PROCESS: Final = "workflow-controller"
"""Name of the process in a run directory."""
_HEALTH_PORT: Final = 6060
"""Where the controller serves its health; it has no option for another (argo-workflows v3.7.3, main.go)."""
_EXECUTOR_IMAGE: Final = "argoexec"
_REQUEUE: Final = "500ms"
"""How long a workflow waits for its turn again; 10 s by default, for clusters with many."""

_CONFIGURATION: Final = {
    "artifactRepository": """\
s3:
  bucket: mlpipeline
  endpoint: minio.kubeflow:9000
  insecure: true
  keyFormat: "artifacts/{{workflow.name}}/{{pod.name}}"
  accessKeySecret: {name: mlpipeline-minio-artifact, key: accesskey}
  secretKeySecret: {name: mlpipeline-minio-artifact, key: secretkey}
""",
    "executor": "imagePullPolicy: Always\n",
    "metricsConfig": "enabled: false\n",
}


class Argo(KubeflowController):
    """The workflow controller of one local AKS. Its tools are found with the extra `argo`."""

    process = PROCESS

    def start(self) -> None:
        """Installs custom resources, namespace and the charm's ConfigMap, and starts the controller.

        Raises:
            ControllerError: it does not start.
        """
        api = ApiServer.of(self.run.kubeconfig)
        prerequisites.custom_resources(api, self.tools.manifests(PROCESS))
        prerequisites.namespace(api)
        api.apply(config_map(), CHARM, force=True)
        command = [
            self.tools[PROCESS],
            *("--kubeconfig", self.run.kubeconfig, "--namespace", prerequisites.NAMESPACE),
            *("--configmap", CONFIG_MAP, "--executor-image", _EXECUTOR_IMAGE),
            *("--qps", str(API_RATE), "--burst", str(2 * API_RATE)),
        ]
        with _health_port_held() as held:
            self.controller.start(
                command,
                lambda: self.controller.count_in_log("Performing periodic GC") > 0,
                environment={"LEADER_ELECTION_DISABLE": "true", "DEFAULT_REQUEUE_TIME": _REQUEUE},
                inherited_files=held,
            )

    def configurations(self) -> int:
        """How often it has read its ConfigMap; it does so again when that changes, and ends when that goes."""
        return self.controller.count_in_log("Configuration updated")


def config_map() -> dict[str, Any]:
    """The ConfigMap as the charm writes it, but without metrics."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": CONFIG_MAP, "namespace": prerequisites.NAMESPACE},
        "data": _CONFIGURATION,
    }


@contextmanager
def _health_port_held() -> Generator[list[int]]:
    """Keeps the controller from its health port, which it would open on every network interface.

    Yields the descriptor of a socket that holds the port for as long as a process has it open.
    """
    with socket.socket() as holder:
        try:
            holder.bind(("127.0.0.1", _HEALTH_PORT))
        except OSError:  # another program holds it already
            yield []
            return
        yield [holder.fileno()]
