"""What Juju needs to reach a cluster: its cloud, its credential, and a kubeconfig that runs no program."""

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlsplit

import yaml

from aks_facts import CharmedKubeflowRelease, charmed_kubeflow_releases
from kubeflow_aks.deployed.errors import StackError
from kubeflow_aks.deployed.outputs import Outputs

_NAME: Final = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?")
_TOKEN: Final = re.compile(r"[\w.~+/=-]+", re.ASCII)
"""A bearer token's letters (RFC 6750, "b64token")."""


@dataclass(frozen=True)
class Handover:
    """Validated connection data for Juju.

    Attributes:
        cloud: what Juju calls the cluster, and the credential for it.
        ca_certificate: its authority's certificate, PEM.
        token: of the service account that Juju signs in with.
        storage_class: for Juju and the charms.
        ingress: name of the dashboard's host.
        release: of Charmed Kubeflow, with the Juju it is deployed with.
    """

    stack: str
    cloud: str
    endpoint: str
    ca_certificate: str
    token: str = field(repr=False)
    storage_class: str
    location: str
    ingress: str
    release: CharmedKubeflowRelease

    @property
    def controller(self) -> str:
        """Name of Juju's controller; its namespace is `controller-<name>`."""
        return f"{self.cloud}-controller"


def handover(outputs: Outputs) -> Handover:
    """What a stack's outputs hand over.

    Raises:
        StackError: an output is not there, or is not what Juju could use; the message has no secret.
    """
    endpoint, authority = outputs.text("jujuEndpoint"), outputs.text("jujuCaCertificate")
    token = outputs.text("jujuToken")
    storage, location = outputs.text("storageClass"), outputs.basis("location")
    if not _is_https(endpoint):
        raise _form(outputs, "jujuEndpoint", "an https address")
    if "-----BEGIN CERTIFICATE-----" not in authority:
        raise _form(outputs, "jujuCaCertificate", "a certificate in PEM")
    if not _TOKEN.fullmatch(token):
        raise _form(outputs, "jujuToken", "a token")
    if not _NAME.fullmatch(storage):
        raise _form(outputs, "storageClass", "a storage class's name")
    if not isinstance(location, str) or not _NAME.fullmatch(location):
        raise _form(outputs, "clusterBasis: location", "a region")
    if not _NAME.fullmatch(ingress := outputs.text("ingressFqdn")):
        raise _form(outputs, "ingressFqdn", "a host's name")
    return Handover(
        outputs.stack,
        f"aks-{outputs.stack}",
        endpoint,
        authority,
        token,
        storage,
        location,
        ingress,
        _release(outputs),
    )


def clouds(handover: Handover) -> dict[str, Any]:
    """The content of `clouds.yaml` ("Juju: Kubernetes clouds").

    The storage class is named for both uses because Juju looks for one by itself otherwise; the operators' can't be
    changed later.
    """
    return {
        "clouds": {
            handover.cloud: {
                "type": "kubernetes",
                "auth-types": ["oauth2"],
                "endpoint": handover.endpoint,
                "ca-certificates": [handover.ca_certificate],
                "host-cloud-region": f"azure/{handover.location}",
                "regions": {handover.location: {}},
                "config": {
                    "operator-storage": handover.storage_class,
                    "workload-storage": handover.storage_class,
                },
            }
        }
    }


def credentials(handover: Handover) -> dict[str, Any]:
    """The content of `credentials.yaml`, a secret.

    The credential is called like the cloud, as `juju add-k8s` calls the one that it makes, so that both ways into Juju
    end with the same name.
    """
    return {
        "credentials": {handover.cloud: {handover.cloud: {"auth-type": "oauth2", "Token": handover.token}}}
    }


def kubeconfig(handover: Handover) -> dict[str, Any]:
    """A kubeconfig of Juju's service account, a secret: with a token, because Juju's snap can run no plug-in.

    Its context is not called like the cloud: Juju takes every context for a built-in cloud of that name, which it then
    refuses to add (`juju add-k8s`) and to update (`juju update-k8s -f`); tests/local/handoff.
    """
    authority = base64.b64encode(handover.ca_certificate.encode()).decode()
    context = f"juju@{handover.cloud}"
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [
            {
                "name": handover.cloud,
                "cluster": {"server": handover.endpoint, "certificate-authority-data": authority},
            }
        ],
        "users": [{"name": "juju", "user": {"token": handover.token}}],
        "contexts": [{"name": context, "context": {"cluster": handover.cloud, "user": "juju"}}],
        "current-context": context,
    }


def _release(outputs: Outputs) -> CharmedKubeflowRelease:
    releases, release = charmed_kubeflow_releases(), outputs.basis("kubeflow", "release")
    if not isinstance(release, str) or release not in releases:
        raise _form(outputs, "clusterBasis: kubeflow.release", f"one of {', '.join(releases)}")
    return releases[release]


def _is_https(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return text.isprintable() and " " not in text and parts.scheme == "https" and bool(parts.hostname)
    except ValueError:
        return False


def _form(outputs: Outputs, name: str, expected: str) -> StackError:
    return StackError(f"{outputs.stack}: output {name} has an unexpected value; expected {expected}")


def as_yaml(content: Mapping[str, Any]) -> str:
    """The text of a file that Juju, or a charm, reads; keys keep their order."""
    return yaml.safe_dump(content, sort_keys=False, width=10_000)
