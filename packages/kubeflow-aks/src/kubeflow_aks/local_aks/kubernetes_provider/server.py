"""The pulumi-kubernetes stand-in as the engine sees it: a ResourceProvider over gRPC on 127.0.0.1."""

from collections.abc import Container
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Final

from google.protobuf import empty_pb2
from grpc import ServicerContext
from pulumi.runtime.proto import plugin_pb2
from pulumi.runtime.proto import provider_pb2 as proto
from typing_extensions import override

from kubeflow_aks.clients.kubernetes import kubeconfig
from kubeflow_aks.clients.kubernetes.objects import at, items
from kubeflow_aks.local_aks.kubernetes_provider import errors, manifests, versions
from kubeflow_aks.local_aks.kubernetes_provider.checking import completed
from kubeflow_aks.local_aks.kubernetes_provider.configuration import Configuration, difference, refusals
from kubeflow_aks.local_aks.kubernetes_provider.diff import diff
from kubeflow_aks.local_aks.kubernetes_provider.engine_log import EngineLog
from kubeflow_aks.local_aks.kubernetes_provider.errors import ProviderError
from kubeflow_aks.local_aks.kubernetes_provider.operations import Operations
from kubeflow_aks.local_aks.kubernetes_provider.outputs import Checkpoint, with_secrets_of, without_nulls
from kubeflow_aks.local_aks.kubernetes_provider.requests import (
    decode,
    name_source,
    operation_of,
    refusing,
    type_of,
)
from kubeflow_aks.local_aks.kubernetes_provider.schemas import Schemas
from kubeflow_aks.local_aks.kubernetes_provider.session import DECODE, Connect, Session, api_server
from kubeflow_aks.local_aks.kubernetes_provider.waiting import Waiter
from kubeflow_aks.local_aks.protocol import server, wire
from kubeflow_aks.local_aks.protocol.diff import diff_response
from kubeflow_aks.local_aks.protocol.provider import Provider
from kubeflow_aks.local_aks.protocol.server import Server
from kubeflow_aks.local_aks.protocol.sessions import Sessions

_DIFF_NONE: Final = proto.DiffResponse.DIFF_NONE
_DIFF_SOME: Final = proto.DiffResponse.DIFF_SOME
PACKAGE: Final = "kubernetes"
_CONFIG_PREFIX: Final = "kubernetes:config:"


def serve(
    port: int = 0,
    waiter: Waiter | None = None,
    *,
    servers: Container[str],
    connect: Connect = api_server,
) -> Server:
    """Start the stand-in.

    Args:
        port: port on 127.0.0.1; 0 takes a free one.
        waiter: how to wait for objects; by default as the real provider does.
        servers: URLs of the API servers that a Provider may name, as a kubeconfig has them.
        connect: opens the one that is named.

    Raises:
        OSError: the port is taken.
    """
    return server.serve(KubernetesProvider(waiter or Waiter(), servers, connect), port)


def servers_of(config: Path) -> Container[str]:
    """The API servers of a kubeconfig file, as `serve` takes them."""
    clusters = items(kubeconfig.load(str(config)).get("clusters"))
    return frozenset(str(at(entry, "cluster", "server")).rstrip("/") for entry in clusters)


class KubernetesProvider(Provider):
    """Answers the engine; the arguments are those of `serve`."""

    def __init__(self, waiter: Waiter, servers: Container[str], connect: Connect = api_server) -> None:
        super().__init__(PACKAGE, version("pulumi-kubernetes"))
        self._waiter, self._servers, self._connect = waiter, servers, connect
        self._sessions, self._logs = Sessions[Session](), Sessions[EngineLog]()
        self._schemas = Schemas()

    @override
    def Attach(self, request: plugin_pb2.PluginAttach, context: ServicerContext) -> empty_pb2.Empty:
        """Remember the engine behind a connection, for warnings."""
        self._logs.configure(context, EngineLog(request.address))
        return empty_pb2.Empty()

    @override
    def Cancel(self, request: empty_pb2.Empty, context: ServicerContext) -> empty_pb2.Empty:
        """End the waiting of this connection's operations; the process serves on."""
        session = self._sessions.find(context)
        if session is not None:
            session.cancelled.set()
        return empty_pb2.Empty()

    @override
    def Invoke(self, request: proto.InvokeRequest, context: ServicerContext) -> proto.InvokeResponse:
        """The objects of a YAML text; no other function is known."""
        with refusing(context):
            if request.tok != DECODE:
                raise ProviderError(f'unknown Invoke type "{request.tok}"')
            objects = manifests.decoded(decode(request.args), self._sessions.of(context))
            answer = proto.InvokeResponse()
            getattr(answer, "return").CopyFrom(wire.encode({"result": objects}))
            return answer

    @override
    def Construct(self, request: proto.ConstructRequest, context: ServicerContext) -> proto.ConstructResponse:
        """Register the objects of a ConfigGroup (v2) with the engine; no other component is known."""
        with refusing(context):
            session = self._sessions.of(context)
            return manifests.construct(request, session, self._log(context), self._version)

    @override
    def CheckConfig(self, request: proto.CheckRequest, context: ServicerContext) -> proto.CheckResponse:
        """Refuse what the stand-in cannot do."""
        failures = [
            proto.CheckFailure(property=key, reason=reason)
            for key, reason in refusals(decode(request.news)).items()
        ]
        return proto.CheckResponse(inputs=request.news, failures=failures)

    @override
    def DiffConfig(self, request: proto.DiffRequest, context: ServicerContext) -> proto.DiffResponse:
        """Whether a change of configuration means another cluster."""
        with refusing(context):
            changed, replaces = difference(decode(request.olds), decode(request.news))
            return proto.DiffResponse(
                changes=_DIFF_SOME if changed else _DIFF_NONE, diffs=changed, replaces=replaces
            )

    @override
    def Configure(self, request: proto.ConfigureRequest, context: ServicerContext) -> proto.ConfigureResponse:
        """Connect to the cluster; one that does not answer is no error before something needs it."""
        inputs = decode(request.args) or {
            key.removeprefix(_CONFIG_PREFIX): value for key, value in request.variables.items()
        }
        session = Session.open(Configuration.of(inputs), self._servers, self._connect)
        self._sessions.configure(context, session)
        return proto.ConfigureResponse(
            acceptSecrets=True, supportsPreview=True, supports_autonaming_configuration=True
        )

    @override
    def Check(self, request: proto.CheckRequest, context: ServicerContext) -> proto.CheckResponse:
        """Complete the inputs."""
        with refusing(context):
            session = self._sessions.of(context)
            if session.api is None and session.configuration.skip_update_unreachable:
                return proto.CheckResponse(inputs=request.olds)
            token = type_of(request)
            if session.api is not None and (text := versions.warning(token.kind, session.api)):
                self._log(context).warning(request.urn, text)
            inputs = completed(
                without_nulls(self._schemas.normalized(decode(request.news, nulls=True), session.api)),
                decode(request.olds),
                naming=name_source(request),
                patch=token.patch,
                namespace=session.namespace,
                namespaced=session.namespaced(token.kind),
            )
            return proto.CheckResponse(inputs=wire.encode(with_secrets_of(inputs, request.news)))

    @override
    def Diff(self, request: proto.DiffRequest, context: ServicerContext) -> proto.DiffResponse:
        """What a change of inputs does."""
        with refusing(context):
            session = self._sessions.of(context)
            token, old = type_of(request), Checkpoint.read(decode(request.olds))
            change = diff(
                old.inputs,
                old.live,
                decode(request.news),
                namespaced=session.namespaced(token.kind),
                patch=token.patch,
                rules=session.configuration.rules,
                ignore=request.ignoreChanges,
            )
            return diff_response(change.changes, replaces=change.replaces, delete_first=change.delete_first)

    @override
    def Create(self, request: proto.CreateRequest, context: ServicerContext) -> proto.CreateResponse:
        """Create the object and wait until it is ready."""
        with refusing(context):
            session = self._sessions.of(context)
            created = None
            if not (request.preview and session.api is None):
                operation = operation_of(request, request.properties, preview=request.preview)
                created = self._operations(session).create(operation, decode(request.properties))
            if created is None:
                return proto.CreateResponse(properties=request.properties)
            id_, outputs = created
            return proto.CreateResponse(id=id_, properties=wire.encode(outputs))

    @override
    def Update(self, request: proto.UpdateRequest, context: ServicerContext) -> proto.UpdateResponse:
        """Update the object and wait until it is ready."""
        with refusing(context):
            session = self._sessions.of(context)
            outputs = None
            if not (request.preview and session.api is None):
                operation = operation_of(request, request.news, preview=request.preview)
                old = Checkpoint.read(decode(request.olds))
                operations = self._operations(session)
                outputs = operations.update(operation, old, decode(request.news), request.ignoreChanges)
            return proto.UpdateResponse(properties=wire.encode(outputs) if outputs else request.news)

    @override
    def Read(self, request: proto.ReadRequest, context: ServicerContext) -> proto.ReadResponse:
        """The live object; an empty answer when it is gone."""
        with refusing(context):
            session = self._sessions.of(context)
            if session.api is None:
                return _unreadable(session, request)
            resource = self._operations(session).read(
                operation_of(request, request.inputs),
                request.id,
                type_of(request).kind,
                Checkpoint.read(decode(request.properties)),
                decode(request.inputs),
            )
            if resource is None:
                return proto.ReadResponse()
            return proto.ReadResponse(
                id=resource.id, properties=wire.encode(resource.outputs), inputs=wire.encode(resource.inputs)
            )

    @override
    def Delete(self, request: proto.DeleteRequest, context: ServicerContext) -> empty_pb2.Empty:
        """Delete the object and wait until it is gone."""
        with refusing(context):
            session = self._sessions.of(context)
            if session.api is not None:
                operation = operation_of(request, request.properties)
                old = Checkpoint.read(decode(request.properties))
                self._operations(session).delete(operation, request.id, old)
            elif not session.configuration.delete_unreachable:
                raise ProviderError(f"{errors.UNREACHABLE_DELETE}: {session.unreachable}")
            return empty_pb2.Empty()

    def _operations(self, session: Session) -> Operations:
        return session.operations(replace(self._waiter, cancelled=session.cancelled))

    def _log(self, context: ServicerContext) -> EngineLog:
        return self._logs.find(context) or EngineLog("")


def _unreadable(session: Session, request: proto.ReadRequest) -> proto.ReadResponse:
    """The error of a read from a cluster that does not answer."""
    if session.configuration.delete_unreachable:
        return proto.ReadResponse()
    if session.configuration.skip_update_unreachable:
        return proto.ReadResponse(id=request.id, properties=request.properties, inputs=request.inputs)
    raise ProviderError(f"{errors.UNREACHABLE_READ}: {session.unreachable}")
