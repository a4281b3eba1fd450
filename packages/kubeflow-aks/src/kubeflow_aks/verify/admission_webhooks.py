"""Admission webhooks, as their configurations describe them ("Dynamic Admission Control")."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from kubeflow_aks.clients.kubernetes.objects import Object, at, items, name_of
from kubeflow_aks.verify.snapshot import text

_AKS: Final = "aks-"
"""Configurations of AKS's own webhooks, which run in its control plane (docs/facts/aks.md#node-conditions)."""
FAILED_WEBHOOK: Final = "failed calling webhook"
"""In the API server's refusal where a webhook does not answer
(staging/src/k8s.io/apiserver/pkg/util/webhook/error.go)."""
_WITH_PODS: Final = {"pods", "*", "*/*", "pods/*"}


@dataclass(frozen=True)
class Webhook:
    """A webhook whose failure refuses requests, served inside the cluster.

    Attributes:
        name: of the webhook.
        configuration: that it is from.
        namespace: of its service.
        service: its name.
        resources: that it admits; plural names, sorted.
    """

    name: str
    configuration: str
    namespace: str
    service: str
    resources: tuple[str, ...]

    @property
    def admits_pods(self) -> bool:
        """Whether pods are among its resources."""
        return not _WITH_PODS.isdisjoint(self.resources)


def required_webhooks(configurations: Iterable[Object]) -> Iterator[Webhook]:
    """The webhooks without which requests are refused, except AKS's own."""
    for configuration in configurations:
        if name_of(configuration).startswith(_AKS):
            continue
        for hook in items(configuration.get("webhooks")):
            service = at(hook, "clientConfig", "service")
            if text(hook, "failurePolicy") == "Ignore" or not text(service, "name"):
                continue
            resources = {
                each
                for rule in items(at(hook, "rules"))
                for each in items(at(rule, "resources"))
                if isinstance(each, str)
            }
            yield Webhook(
                text(hook, "name"),
                name_of(configuration),
                text(service, "namespace"),
                text(service, "name"),
                tuple(sorted(resources)),
            )
