"""Kubernetes manifests: ConfigGroup of the SDK's `yaml`, which sends them decoded, and of `yaml.v2`, built here.

Source: invoke_decode_yaml.go and yaml/v2 of pulumi-kubernetes. Files and addresses are refused: the stand-in would read
them with the rights of whoever started it.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from textwrap import shorten
from typing import Any, Final, cast

import grpc
import yaml
from google.protobuf import struct_pb2
from pulumi.runtime.proto import provider_pb2 as proto
from pulumi.runtime.proto import resource_pb2, resource_pb2_grpc

from kubeflow_aks.clients.kubernetes.objects import (
    SKIP_AWAIT,
    Kind,
    Object,
    annotation,
    at,
    clone,
    drop,
    fields,
    items,
    name_of,
    namespace_of,
    put,
)
from kubeflow_aks.local_aks.kubernetes_provider import built_in
from kubeflow_aks.local_aks.kubernetes_provider.engine_log import EngineLog
from kubeflow_aks.local_aks.kubernetes_provider.errors import ProviderError
from kubeflow_aks.local_aks.kubernetes_provider.session import Session
from kubeflow_aks.local_aks.protocol import wire

_GROUP: Final = "kubernetes:yaml/v2:ConfigGroup"
_DEPENDS_ON: Final = "config.kubernetes.io/depends-on"
_HERE: Final = "127.0.0.1:"
_AT_ONCE: Final = 16
_FIRST: Final = ("Namespace", "CustomResourceDefinition")
_SHOWN: Final = 100


class _Loader(yaml.SafeLoader):
    """Reads dates as text, as Kubernetes does."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def decoded(arguments: Object, session: Session) -> list[Object]:
    """The objects of a YAML `text`; `defaultNamespace` is for those that name none.

    Raises:
        ProviderError: there is no text, or it is not YAML.
    """
    text = arguments.get("text")
    if not isinstance(text, str):
        raise ProviderError("missing required field 'text' of type string")
    objects = [obj for obj in _parsed(text) if obj.get("kind") and obj.get("apiVersion")]
    return [_in_namespace(obj, str(arguments.get("defaultNamespace") or ""), session) for obj in objects]


def construct(
    request: proto.ConstructRequest, session: Session, log: EngineLog, version: str
) -> proto.ConstructResponse:
    """Register a ConfigGroup and its objects with the requesting engine.

    Raises:
        ProviderError: another component, an input that is not allowed, or an object that cannot be one.
    """
    if request.type != _GROUP:
        raise ProviderError(f'"{request.type}" is not allowed; expected {_GROUP} with yaml or objs')
    if session.api is None:
        raise ProviderError(f"configured Kubernetes cluster is unreachable: {session.unreachable}")
    if not request.monitorEndpoint.startswith(_HERE):
        raise ProviderError("the engine is not on this machine")
    inputs = wire.decode(request.inputs)
    if inputs.get("files"):
        raise ProviderError("files: a file or an address is not allowed; expected yaml or objs")
    with grpc.insecure_channel(request.monitorEndpoint) as channel:
        group = _Group(request, resource_pb2_grpc.ResourceMonitorStub(channel), version)
        if wire.has_unknown(inputs):
            log.warning(group.urn, "Required input properties have unknown values. Preview is incomplete.")
            return group.answer(wire.UNKNOWN)
        objects = _completed([*_parsed(inputs.get("yaml") or ""), *items(inputs.get("objs"))], session)
        if inputs.get("skipAwait"):
            for obj in objects:
                put(obj, "true", "metadata", "annotations", SKIP_AWAIT)
        return group.answer(group.register(objects, inputs.get("resourcePrefix", request.name)))


class _Group:
    """A ConfigGroup that is registered, and its engine."""

    def __init__(
        self,
        request: proto.ConstructRequest,
        monitor: Any,
        version: str,
    ) -> None:
        self._request, self._monitor, self._version = request, monitor, version
        aliases = cast(Any, request).aliases
        answer = monitor.RegisterResource(
            resource_pb2.RegisterResourceRequest(
                type=request.type,
                name=request.name,
                parent=request.parent,
                object=struct_pb2.Struct(),
                protect=request.protect,
                dependencies=request.dependencies,
                providers=request.providers,
                aliases=aliases,
                aliasSpecs=True,
                acceptSecrets=True,
                acceptResources=True,
                retainOnDelete=request.retainOnDelete,
                deletedWith=request.deletedWith,
            )
        )
        self.urn: str = answer.urn

    def register(self, objects: Sequence[Object], prefix: str) -> list[Object]:
        """Register the objects, each after its namespace and its CRD; gives references to them."""
        made: dict[int, resource_pb2.RegisterResourceResponse] = {}
        first = [index for index, obj in enumerate(objects) if obj["kind"] in _FIRST]
        rest = [index for index in range(len(objects)) if index not in first]
        with ThreadPoolExecutor(_AT_ONCE, "config-group") as pool:
            for wave in (first, rest):
                calls = {
                    index: pool.submit(
                        self._register,
                        objects[index],
                        prefix,
                        [made[i].urn for i in first if i in made and _needs(objects[index], objects[i])],
                    )
                    for index in wave
                }
                made |= {index: call.result() for index, call in calls.items()}
        return [wire.resource_reference(made[i].urn, made[i].id or wire.UNKNOWN) for i in sorted(made)]

    def answer(self, resources: object) -> proto.ConstructResponse:
        """The answer to the engine; the component is complete."""
        outputs = wire.encode({"resources": resources})
        self._monitor.RegisterResourceOutputs(
            resource_pb2.RegisterResourceOutputsRequest(urn=self.urn, outputs=outputs)
        )
        return proto.ConstructResponse(urn=self.urn, state=outputs)

    def _register(
        self, obj: Object, prefix: str, needs: Iterable[str]
    ) -> resource_pb2.RegisterResourceResponse:
        name = "/".join(part for part in (namespace_of(obj), name_of(obj)) if part)
        secret = ("data", "stringData") if Kind.of(obj) == Kind("", "v1", "Secret") else ()
        values = {key: wire.Secret(value) if key in secret else value for key, value in obj.items()}
        try:
            return self._monitor.RegisterResource(
                resource_pb2.RegisterResourceRequest(
                    type=built_in.token(Kind.of(obj)),
                    name=f"{prefix}:{name}" if prefix else name,
                    parent=self.urn,
                    custom=True,
                    object=wire.encode(values),
                    protect=self._request.protect,
                    dependencies=needs,
                    provider=self._request.providers.get("kubernetes", ""),
                    version=self._version,
                    acceptSecrets=True,
                    acceptResources=True,
                    retainOnDelete=self._request.retainOnDelete,
                )
            )
        except grpc.RpcError as error:
            raise ProviderError(str(error.details())) from error


def _parsed(text: str) -> list[Object]:
    try:
        documents: Any = [document for document in yaml.load_all(text, _Loader) if document]
        return [
            fields(document) for document in json.loads(json.dumps(documents))
        ]  # keys as text: `on` is "true" there too
    except (yaml.YAMLError, TypeError) as error:
        raise ProviderError(f"decoding YAML: {error}") from error


def _completed(objects: Iterable[Object], session: Session) -> list[Object]:
    """The objects one by one, each with a name and a namespace."""
    result = [clone(obj) for obj in _expanded(objects)]
    for obj in result:
        if not (obj.get("kind") and obj.get("apiVersion")):
            raise ProviderError(f"Kubernetes resources require a kind and apiVersion: `{_shown(obj)}`")
        if not name_of(obj):
            raise ProviderError(f"Kubernetes resources require a .metadata.name: `{_shown(obj)}`")
        if annotation(obj, _DEPENDS_ON):
            raise ProviderError(f"the local AKS does not know the annotation {_DEPENDS_ON}")
        obj["apiVersion"] = Kind.of(obj).api_version
        if at(obj, "metadata", "annotations") is None:
            drop(obj, "metadata", "annotations")
    return [_in_namespace(obj, session.namespace, session) for obj in result]


def _expanded(objects: Iterable[Object]) -> Iterator[Object]:
    for obj in objects:
        if str(obj.get("kind") or "").endswith("List") and "items" in obj:
            yield from _expanded(items(obj["items"]))
        else:
            yield obj


def _in_namespace(obj: Object, namespace: str, session: Session) -> Object:
    if namespace and not namespace_of(obj) and session.namespaced(Kind.of(obj)):
        put(obj, namespace, "metadata", "namespace")
    return obj


def _needs(obj: Object, other: Object) -> bool:
    """Whether an object lives in a namespace or is of a kind that another one makes."""
    if other["kind"] == "Namespace":
        return namespace_of(obj) == name_of(other)
    kind = Kind.of(obj)
    return (at(other, "spec", "group"), at(other, "spec", "names", "kind")) == (kind.group, kind.kind)


def _shown(obj: Object) -> str:
    return shorten(str(obj), _SHOWN, placeholder="...")
