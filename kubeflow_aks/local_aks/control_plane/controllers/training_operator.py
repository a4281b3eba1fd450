"""Kubeflow's training operator, the release that Charmed Kubeflow 1.10 and 1.11 run.

In a cluster it serves a webhook that checks jobs, and keeps certificates for it in a Secret. Beside the cluster nobody
calls that webhook, for no rule sends anything there; but the operator starts no controller before its certificates are
where they belong (docs/facts/engine.md#training-operator). So it finds an empty Secret and an empty webhook
configuration to fill in.

Its server would listen on every network interface; no flag gives it an address. It reads its certificate first
(controller-runtime, `pkg/webhook/server.go`), from a folder of the run directory: a named pipe stands there into which
nobody writes, so the server never gets as far as listening, while the controllers work. The operator also waits for a
file in `/tmp/k8s-webhook-server`, wherever its own folder is (`pkg/cert/cert.go`): it is there, empty, while the
operator starts.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from kubeflow_aks.clients.kubernetes.api import ApiServer
from kubeflow_aks.local_aks.control_plane.controllers import prerequisites
from kubeflow_aks.local_aks.control_plane.controllers.controller import API_RATE, KubeflowController

PROCESS: Final = "training-operator"
"""Name of the process in a run directory."""
_TOOL: Final = "training-operator.v1"
_CERTIFICATES: Final[dict[str, Any]] = {
    "apiVersion": "v1",
    "kind": "Secret",
    "metadata": {"name": "training-operator-webhook-cert", "namespace": prerequisites.NAMESPACE},
}
_WEBHOOKS: Final[dict[str, Any]] = {
    "apiVersion": "admissionregistration.k8s.io/v1",
    "kind": "ValidatingWebhookConfiguration",
    "metadata": {"name": "validator.training-operator.kubeflow.org"},
}
_SERVING: Final = Path("k8s-webhook-server", "serving-certs")
"""Folder of the certificates in the folder for temporary files (controller-runtime v0.19.1, webhook/server.go)."""
_AWAITED: Final = Path("/tmp", _SERVING, "tls.crt")  # noqa: S108 - whatever TMPDIR is


class TrainingOperator(KubeflowController):
    """The training operator of one local AKS. Its tools are found with the extra `training`."""

    process = PROCESS

    def start(self) -> None:
        """Installs custom resources and the operator's prerequisites, and starts it.

        Raises:
            ControllerError: it does not start.
        """
        api = ApiServer.of(self.run.kubeconfig)
        prerequisites.custom_resources(api, self.tools.manifests(_TOOL))
        prerequisites.namespace(api, prerequisites.NAMESPACE)
        for expected in (_CERTIFICATES, _WEBHOOKS):
            api.apply(expected, prerequisites.MANAGER, force=True)
        certificate = self.run.root / "tmp" / _SERVING / _AWAITED.name
        certificate.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        certificate.unlink(missing_ok=True)
        os.mkfifo(certificate, 0o600)
        command = [
            self.tools[_TOOL],
            *("--kubeconfig", self.run.kubeconfig),
            *("--metrics-bind-address", "0", "--health-probe-bind-address", "0"),
            *("--kube-api-qps", str(API_RATE), "--kube-api-burst", str(2 * API_RATE)),
        ]
        environment = {"TMPDIR": str(self.run.root / "tmp"), "MY_POD_NAMESPACE": prerequisites.NAMESPACE}
        try:
            self.controller.start(command, self._ready, environment=environment)
        finally:
            tidy()

    def _ready(self) -> bool:
        """Whether all kinds of job are looked after; keeps the file there that the operator waits for."""
        if not _AWAITED.exists():  # each time: another local AKS may just have removed it
            _AWAITED.parent.mkdir(parents=True, exist_ok=True)
            _AWAITED.touch()
        return self.controller.count_in_log('job-controller", "worker count"') >= len(
            self.tools.manifests(_TOOL)
        )


def tidy() -> None:
    """Removes the empty file that an operator waits for, and its two folders if nothing else is in them."""
    with suppress(OSError):
        if _AWAITED.exists() and _AWAITED.stat().st_size == 0:
            _AWAITED.unlink(missing_ok=True)
        _AWAITED.parent.rmdir()
        _AWAITED.parent.parent.rmdir()
