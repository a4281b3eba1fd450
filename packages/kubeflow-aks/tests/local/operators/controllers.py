"""The controllers of Katib, KubeRay and Kueue as processes beside a local AKS, which listen on 127.0.0.1 alone.

Their webhooks are at work: the API server calls them where they listen, with the certificate that it serves itself.
"""

from __future__ import annotations

import base64
import socket
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final

import yaml

from kubeflow_aks.clients.kubernetes.api import ApiServer
from kubeflow_aks.local_aks.control_plane.controllers import prerequisites
from kubeflow_aks.local_aks.control_plane.controllers.controller import KubeflowController

_WEBHOOKS: Final = ("webhooks.yaml", "manifests.yaml")
"""Names of the files that have webhooks."""
_LOCALHOST: Final = "127.0.0.1"


@dataclass(frozen=True)
class Operator(KubeflowController):
    """A controller whose tool has the name of its process."""

    ready: ClassVar[str]
    """What its log holds once it works."""

    def _launch(self, *options: str | Path, **environment: str) -> ApiServer:
        """Installs its custom resources and starts it."""
        api = ApiServer.of(self.run.kubeconfig)
        prerequisites.namespace(api)
        definitions = [file for file in self._files() if file.name not in _WEBHOOKS]
        prerequisites.custom_resources(api, definitions)
        command = [self.tools[self.process], "--kubeconfig", self.run.kubeconfig, *options]
        self.controller.start(
            command, lambda: self.controller.count_in_log(self.ready) > 0, environment=environment
        )
        return api

    def _files(self) -> tuple[Path, ...]:
        return self.tools.manifests(self.process)

    def _call(self, api: ApiServer, port: int, resources: Collection[str]) -> None:
        """Has the API server call the operator's webhooks for these resources."""
        authority = base64.b64encode((self._keys() / "ca.crt").read_bytes()).decode()
        [file] = (file for file in self._files() if file.name in _WEBHOOKS)
        for configuration in yaml.safe_load_all(file.read_text(encoding="utf-8")):
            hooks = [
                hook
                for hook in configuration["webhooks"]
                if set(hook["rules"][0]["resources"]) <= set(resources)
            ]
            for hook in hooks:
                path = hook["clientConfig"].pop("service")["path"]
                hook["clientConfig"] |= {"url": f"https://{_LOCALHOST}:{port}{path}", "caBundle": authority}
            configuration["webhooks"] = hooks
            configuration["metadata"]["name"] = f"{self.process}-{configuration['kind'].lower()}"
            api.apply(configuration, prerequisites.MANAGER, force=True)

    def _keys(self) -> Path:
        """The folder of the API server's certificates."""
        [keys] = self.run.root.rglob("pki")
        return keys

    def _certificates(self) -> Path:
        """A folder with what the API server serves, by the names that webhooks read."""
        folder = self.run.root / f"{self.process}-certificates"
        folder.mkdir(mode=0o700, exist_ok=True)
        for name, ours in (("tls.crt", "admin.crt"), ("tls.key", "admin.key")):
            (folder / name).unlink(missing_ok=True)
            (folder / name).symlink_to(self._keys() / ours)
        return folder

    def _configured(self, configuration: dict[str, Any]) -> Path:
        """A file of the run directory with this configuration."""
        file = self.run.root / f"{self.process}.yaml"
        file.write_text(yaml.safe_dump(configuration), encoding="utf-8")
        return file


class Katib(Operator):
    """Katib 0.19: its controllers and webhooks, and Goptuna as what suggests.

    No container runs that could report a metric. A trial's is the value of its first parameter.
    """

    process = "katib-controller"
    ready = '"Starting workers"'

    def start(self) -> None:
        """Starts it with the configuration that the charm has, but for one algorithm alone.

        Raises:
            ControllerError: it does not start.
        """
        port = free_port()
        images = "docker.io/kubeflowkatib"
        configuration: dict[str, Any] = {
            "apiVersion": "config.kubeflow.org/v1beta1",
            "kind": "KatibConfig",
            "init": {
                "controller": {
                    "metricsAddr": "0",
                    "healthzAddr": "0",
                    "webhookPort": port,
                    "trialResources": ["Job.v1.batch"],
                }
            },
            "runtime": {
                "suggestions": [{"algorithmName": "random", "image": f"{images}/suggestion-goptuna:v0.19.0"}],
                "metricsCollectors": [
                    {"kind": "StdOut", "image": f"{images}/file-metrics-collector:v0.19.0"}
                ],
            },
        }
        file = self._configured(configuration)
        api = self._launch("--katib-config", file, "--certificates", self._certificates())
        api.apply(
            {
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "metadata": {"name": "katib-config", "namespace": prerequisites.NAMESPACE},
                "data": {"katib-config.yaml": file.read_text(encoding="utf-8")},
            },
            prerequisites.MANAGER,
            force=True,
        )
        self._call(api, port, ("experiments", "pods"))


class KubeRay(Operator):
    """KubeRay 1.5, whose HTTP requests to the dashboards of Ray's heads go to a proxy."""

    process = "ray-operator"
    ready = '"Starting workers"'

    def start(self, dashboards: str) -> None:
        """Starts it; its requests to the API server, which is on this machine, don't go through the proxy.

        Args:
            dashboards: address of the proxy.

        Raises:
            ControllerError: it does not start.
        """
        closed = ("--metrics-addr", "0", "--health-probe-bind-address", "0")
        self._launch("--enable-leader-election=false", *closed, HTTP_PROXY=dashboards)


class Kueue(Operator):
    """Kueue 0.17: its controllers, scheduler and webhooks, for Jobs."""

    process = "kueue"
    ready = '"Starting workers"'

    def start(self, **settings: Any) -> None:
        """Starts it with its default configuration, but for what serves.

        Args:
            settings: more of its configuration.

        Raises:
            ControllerError: it does not start.
        """
        port = free_port()
        configuration: dict[str, Any] = {
            "apiVersion": "config.kueue.x-k8s.io/v1beta2",
            "kind": "Configuration",
            "health": {"healthProbeBindAddress": "0"},
            "metrics": {"bindAddress": "0"},
            "webhook": {"host": _LOCALHOST, "port": port, "certDir": str(self._certificates())},
            "internalCertManagement": {"enable": False},
            "leaderElection": {"leaderElect": False},
            "integrations": {"frameworks": ["batch/job"]},
            "featureGates": {"MultiKueue": False, "TopologyAwareScheduling": False},
            **settings,
        }
        api = self._launch("--config", self._configured(configuration))
        self._call(api, port, ("clusterqueues", "jobs", "resourceflavors", "workloads", "workloads/status"))


def free_port() -> int:
    """A port of 127.0.0.1 on which nothing listens."""
    with socket.socket() as holder:
        holder.bind((_LOCALHOST, 0))
        return holder.getsockname()[1]
