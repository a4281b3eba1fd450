"""Signing in to a real API server with a program: a client certificate, and a token in the place of a rejected one."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from kubeflow_aks.clients.kubernetes import kubeconfig as kubeconfigs
from kubeflow_aks.clients.kubernetes.api import ApiServer
from kubeflow_aks.clients.kubernetes.connection import Connection
from kubeflow_aks.clients.kubernetes.errors import ApiError
from kubeflow_aks.clients.kubernetes.exec_plugin import ExecPlugin
from kubeflow_aks.clients.kubernetes.objects import Kind, name_of
from kubeflow_aks.tools import Tools
from tests.local.kubectl import Kubectl

VERSION = "client.authentication.k8s.io/v1"
NAMESPACE = Kind("", "v1", "Namespace")


def test_a_client_certificate_signs_in(kubeconfig: Path, tmp_path: Path) -> None:
    user = kubeconfigs.active(kubeconfigs.load(str(kubeconfig))).user
    certificate, key = (kubeconfigs.pem(user, f"client-{part}").decode() for part in ("certificate", "key"))
    api = signed_in(kubeconfig, tmp_path, {"clientCertificateData": certificate, "clientKeyData": key})
    assert "kube-system" in map(name_of, api.list(NAMESPACE, ""))


def test_a_rejected_token_is_renewed_for_requests_and_watches(
    kubeconfig: Path, tmp_path: Path, tools: Tools, namespace: str
) -> None:
    kubectl = Kubectl(tools, kubeconfig, namespace)
    kubectl.run("create", "serviceaccount", "reader")
    binding = f"--serviceaccount={namespace}:reader"
    kubectl.run("create", "rolebinding", "reader", "--clusterrole=view", binding)
    granted = json.loads(kubectl.run("create", "token", "reader", "-o", "json"))["status"]
    token = {"token": granted["token"], "expirationTimestamp": granted["expirationTimestamp"]}
    api = signed_in(kubeconfig, tmp_path, {"token": "rejected"}, token)
    assert "kube-root-ca.crt" in map(name_of, api.list(Kind("", "v1", "ConfigMap"), namespace))
    with pytest.raises(ApiError) as refused:
        api.list(Kind("", "v1", "Secret"), namespace)
    assert refused.value.forbidden
    assert (tmp_path / "runs").read_text().split() == ["run", "run"]


def signed_in(kubeconfig: Path, folder: Path, *statuses: dict[str, Any]) -> ApiServer:
    """The API server, signed in to with a program that prints one status after the other and stays at the last."""
    for number, status in enumerate(statuses, start=1):
        printed = {"apiVersion": VERSION, "kind": "ExecCredential", "status": status}
        (folder / f"{number}.json").write_text(json.dumps(printed))
    program = folder / "login"
    program.write_text(
        f"#!/bin/sh\ncd {folder}\necho run >> runs\nn=$(wc -l < runs)\n"
        f"[ $n -gt {len(statuses)} ] && n={len(statuses)}\ncat $((n)).json\n"
    )
    program.chmod(0o700)
    admin = kubeconfigs.active(kubeconfigs.load(str(kubeconfig)))
    user = {"exec": {"apiVersion": VERSION, "command": str(program), "interactiveMode": "Never"}}
    authority = kubeconfigs.pem(admin.cluster, "certificate-authority")
    cluster = {
        "server": admin.cluster["server"],
        "certificate-authority-data": base64.b64encode(authority).decode(),
    }
    target = kubeconfigs.ActiveCluster(cluster, user, "default")
    return ApiServer(Connection(target, plugin=ExecPlugin.of(target)))
