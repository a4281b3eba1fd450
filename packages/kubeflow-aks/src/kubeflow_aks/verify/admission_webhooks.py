"""Webhooks that requests depend on, as their configurations describe them ("Dynamic Admission Control")."""

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
        resources: that it admits or converts; plural names, sorted.
        converts: whether it converts objects, and admits none.
    """

    name: str
    configuration: str
    namespace: str
    service: str
    resources: tuple[str, ...]
    converts: bool = False

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
                resource
                for rule in items(at(hook, "rules"))
                for resource in items(at(rule, "resources"))
                if isinstance(resource, str)
            }
            yield Webhook(
                text(hook, "name"),
                name_of(configuration),
                text(service, "namespace"),
                text(service, "name"),
                tuple(sorted(resources)),
            )


def conversion_webhooks(definitions: Iterable[Object]) -> Iterator[Webhook]:
    """The webhooks without which objects of a custom kind can't be read: those of kinds with several versions.

    Source: kubernetes.io, "Versions in CustomResourceDefinitions", "Webhook conversion".
    """
    for definition in definitions:
        service = at(definition, "spec", "conversion", "webhook", "clientConfig", "service")
        served = [version for version in items(at(definition, "spec", "versions")) if at(version, "served")]
        is_needed = text(definition, "spec", "conversion", "strategy") == "Webhook" and len(served) > 1
        if is_needed and text(service, "name"):
            resource, _, _ = name_of(definition).partition(".")
            yield Webhook(
                f"of the conversion of {name_of(definition)}",
                name_of(definition),
                text(service, "namespace"),
                text(service, "name"),
                (resource,),
                converts=True,
            )
