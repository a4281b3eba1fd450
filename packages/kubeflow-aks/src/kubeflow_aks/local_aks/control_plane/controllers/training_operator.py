"""Kubeflow's training operator, the release that Charmed Kubeflow 1.10 and 1.11 run.

In a cluster it serves a webhook that checks jobs, and keeps certificates for it in a Secret. Beside the cluster nobody
calls that webhook, for no rule sends anything there; but the operator starts no controller before its certificates are
where they belong (docs/facts/engine.md#training-operator). So it finds an empty Secret and an empty webhook
configuration to fill in.

Its server would listen on every network interface; no flag gives it an address. It reads its certificate first
(controller-runtime, `pkg/webhook/server.go`), from a folder of the run directory: a named pipe stands there into which
nobody writes, so the server never gets as far as listening, while the controllers work. The operator also waits for a
file in `/tmp/k8s-webhook-server`, wherever its own folder is (`pkg/cert/cert.go`): it is there, empty, while the
operator starts. Everybody may write in `/tmp`: folders that another user made are not used, and no link is followed.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from kubeflow_aks.clients.kubernetes.api import ApiServer
from kubeflow_aks.local_aks.control_plane.controllers import prerequisites
from kubeflow_aks.local_aks.control_plane.controllers.controller import (
    API_RATE,
    ControllerError,
    KubeflowController,
)

PROCESS: Final = "training-operator"
"""Name of the process in a run directory."""
TOOL: Final = "training-operator.v1"
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
        prerequisites.custom_resources(api, self.tools.manifests(TOOL))
        prerequisites.namespace(api)
        for expected in (_CERTIFICATES, _WEBHOOKS):
            api.apply(expected, prerequisites.MANAGER, force=True)
        certificate = self.run.root / "tmp" / _SERVING / _AWAITED.name
        certificate.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        certificate.unlink(missing_ok=True)
        os.mkfifo(certificate, 0o600)
        command = [
            self.tools[TOOL],
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
        _make_awaited()  # each time: another local AKS may just have removed it
        return self.controller.count_in_log('job-controller", "worker count"') >= len(
            self.tools.manifests(TOOL)
        )


def _make_awaited() -> None:
    """Makes the empty file that an operator waits for, unless something of that name is there."""
    try:
        for folder in (_AWAITED.parent.parent, _AWAITED.parent):
            with suppress(FileExistsError):
                folder.mkdir(mode=0o700)
            status = folder.lstat()
            if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
                raise ControllerError(
                    f"{folder} is not a folder of this user's; the training operator needs it: have it removed"
                )
        with suppress(FileExistsError):
            os.close(os.open(_AWAITED, os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600))
    except FileNotFoundError:
        return  # another local AKS removes it at the same moment; the next look makes it again
    except OSError as error:
        raise ControllerError(f"{_AWAITED}: {error.strerror}; the training operator needs it") from None


def tidy() -> None:
    """Removes the empty file that an operator waits for, and its two folders if nothing else is in them."""
    with suppress(OSError):
        status = _AWAITED.lstat()
        if stat.S_ISREG(status.st_mode) and status.st_size == 0 and status.st_uid == os.getuid():
            _AWAITED.unlink(missing_ok=True)
        _AWAITED.parent.rmdir()
        _AWAITED.parent.parent.rmdir()
