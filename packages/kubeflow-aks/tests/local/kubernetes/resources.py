"""One resource of a program as the engine drives it, and the objects that tests make."""

from __future__ import annotations

from typing import Any

from kubeflow_aks.clients.kubernetes.api import ApiServer
from kubeflow_aks.clients.kubernetes.objects import Object, clone, put
from tests.local_aks.kubernetes_provider.engine import Engine, Json


class Resource:
    """One resource of a program, as the engine drives it."""

    def __init__(self, engine: Engine, type_: str, inputs: Object) -> None:
        self._engine, self.inputs = engine, inputs
        self._address = {"urn": f"urn:pulumi:t::p::kubernetes:{type_}::r", "type": f"kubernetes:{type_}"}
        self.state: Json = {}
        self.id = ""

    @classmethod
    def checked(cls, engine: Engine, type_: str, news: Object) -> Resource:
        """One with its inputs as the provider completes them."""
        resource = cls(engine, type_, {})
        resource.inputs = resource._check(news)
        return resource

    def check_and_diff(self, news: Object) -> Json:
        """Compare its state with a program's inputs."""
        return self.diff(self._check(news))

    def create(self, **rest: object) -> None:
        """Create it."""
        answer = self._call("Create", properties=self.inputs, **rest)
        self.id, self.state = answer["id"], answer["properties"]

    def diff(self, new: Object | None = None, **rest: object) -> Json:
        """Compare its state with new inputs, or with its own."""
        return self._call("Diff", olds=self.state, news=new or self.inputs, **rest)

    def update(self, new: Object, **rest: object) -> None:
        """Update it."""
        answer = self._call("Update", olds=self.state, news=new, **rest)
        if not rest.get("preview"):
            self.inputs, self.state = new, answer["properties"]

    def refresh(self) -> bool:
        """Take over its live state; whether it is still there."""
        answer = self._call("Read", properties=self.state, inputs=self.inputs)
        self.state = answer.get("properties", {})
        return "id" in answer

    def move(self, namespace: str) -> None:
        """Make the state say that it is in another namespace."""
        self.id = f"{namespace}/{self.id.rpartition('/')[2]}"
        for part in (self.inputs, self.state, self.state["__inputs"]):
            put(part, namespace, "metadata", "namespace")

    def delete(self, **rest: object) -> None:
        """Delete it."""
        self._call("Delete", properties=self.state, **rest)

    def _check(self, news: Object) -> Object:
        request = {**self._address, "name": "r", "olds": self.state.get("__inputs", {}), "news": news}
        return self._engine.call("Check", request)["inputs"]

    def _call(self, method: str, **request: object) -> Json:
        with_id = {} if method == "Create" else {"id": self.id}
        return self._engine.call(method, {**self._address, **with_id, **request})


def manifest(api_version: str, kind: str, namespace: str, name: str = "x", **rest: Any) -> Object:
    return {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": {"name": name, "namespace": namespace},
        **rest,
    }


def config_map(namespace: str, **data: str) -> Object:
    return manifest("v1", "ConfigMap", namespace, data=data)


def changed(obj: Object, value: object, *path: str) -> Object:
    new = clone(obj)
    put(new, value, *path)
    return new


def workload_manifest(kind: str, namespace: str, replicas: int, **spec: object) -> Object:
    container: Object = {
        "name": "c",
        "image": "x",
        "tty": False,
        "ports": [],
        "resources": {"requests": {"cpu": "0.1"}},
    }
    labels = {"app": "x"}
    template: Object = {
        "metadata": {"labels": labels},
        "spec": {"hostNetwork": False, "containers": [container]},
    }
    body: Object = {
        "replicas": replicas,
        "selector": {"matchLabels": labels},
        "template": template,
        "minReadySeconds": 0,
    }
    return manifest("apps/v1", kind, namespace, spec=body | spec)


def by_hand(api: ApiServer, obj: Object, manager: str, path: str, value: object) -> None:
    """Change a field as `kubectl edit` does: owned by `Update`, taken from whoever had it."""
    api.patch(obj, manager, [{"op": "replace", "path": path, "value": value}])
