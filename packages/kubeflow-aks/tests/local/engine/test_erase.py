"""Emptying a cluster: with kinds that go while it is looked through, and with objects that nobody owns a field of."""

from __future__ import annotations

from contextlib import suppress
from functools import partial

from kubeflow_aks.clients.kubernetes.cleanup import made_by_others
from kubeflow_aks.clients.kubernetes.errors import NoSuchKindError
from kubeflow_aks.clients.kubernetes.objects import Kind, Object, name_of
from tests.local.engine.deployment import Cluster
from tests.local.kubectl import eventually

KINDS = 6


def _definition(number: int) -> Object:
    group = f"group{number}.example.org"
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"things.{group}"},
        "spec": {
            "group": group,
            "names": {"kind": "Thing", "plural": "things"},
            "scope": "Namespaced",
            "versions": [
                {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
            ],
        },
    }


def _thing(number: int) -> Object:
    name = {"name": "thing", "namespace": "things"}
    return {"apiVersion": f"group{number}.example.org/v1", "kind": "Thing", "metadata": name}


def _is_served(cluster: Cluster, number: int) -> bool:
    with suppress(NoSuchKindError):
        cluster.api.served(Kind.of(_thing(number)))
        return True
    return False


def test_a_cluster_with_kinds_of_its_own_is_emptied(cluster: Cluster) -> None:
    namespace: Object = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "things"}}
    cluster.api.apply(namespace, "tests", force=False)
    for number in range(KINDS):
        cluster.api.apply(_definition(number), "tests", force=False)
    for number in range(KINDS):
        eventually(partial(_is_served, cluster, number))
        cluster.api.apply(_thing(number), "tests", force=False)
    cluster.erase()
    assert made_by_others(cluster.api.everything()) == []


def test_a_namespace_applied_with_nothing_but_a_name_goes_too(cluster: Cluster) -> None:
    """It has no field manager, like the service account that the control plane makes in each namespace."""
    bare: Object = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "bare"}}
    cluster.api.apply(bare, "tests", force=False)
    cluster.erase()
    assert "bare" not in {name_of(obj) for obj in cluster.api.everything() if obj["kind"] == "Namespace"}
