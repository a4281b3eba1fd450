"""The pulumi-kubernetes stand-in as the engine sees it: a ResourceProvider over gRPC on 127.0.0.1."""

from __future__ import annotations

import json
from concurrent import futures
from dataclasses import dataclass, replace
from typing import Final

import grpc
from google.protobuf import empty_pb2
from pulumi.runtime.proto import plugin_pb2, provider_pb2, provider_pb2_grpc
from typing_extensions import override

from local_aks.kube import errors
from local_aks.kube.errors import ProviderError
from local_aks.kubernetes_provider.checking import completed
from local_aks.kubernetes_provider.configuration import Configuration, difference, refusals
from local_aks.kubernetes_provider.diff import diff
from local_aks.kubernetes_provider.operations import Operations
from local_aks.kubernetes_provider.outputs import Checkpoint, with_secrets_of
from local_aks.kubernetes_provider.protocol import (
    check_failures,
    decode,
    name_source,
    property_diff,
    refusing,
    step_of,
    type_of,
)
from local_aks.kubernetes_provider.sessions import Session, Sessions
from local_aks.kubernetes_provider.waiting import Waiter
from local_aks.protocol import wire

_DIFF_NONE: Final = provider_pb2.DiffResponse.DIFF_NONE
_DIFF_SOME: Final = provider_pb2.DiffResponse.DIFF_SOME
VERSION: Final = "4.34.2"
_THREADS: Final = 64
_MESSAGE_BYTES: Final = 400 << 20
_CONFIG_PREFIX: Final = "kubernetes:config:"


@dataclass(frozen=True)
class Server:
    """A running stand-in.

    Attributes:
        port: on 127.0.0.1; for `PULUMI_DEBUG_PROVIDERS=kubernetes:<port>`.
    """

    port: int
    _server: grpc.Server

    def stop(self, grace_seconds: float = 1.0) -> None:
        """Take no more calls, let running ones end, and return when the port is free."""
        self._server.stop(grace_seconds).wait()


def serve(port: int = 0, waiter: Waiter | None = None) -> Server:
    """Start the stand-in.

    Args:
        port: port on 127.0.0.1; 0 takes a free one.
        waiter: how to wait for objects; by default as the real provider does.

    Raises:
        OSError: the port is taken.
    """
    options = [("grpc.max_receive_message_length", _MESSAGE_BYTES), ("grpc.so_reuseport", 0)]
    server = grpc.server(futures.ThreadPoolExecutor(_THREADS, "kubernetes-standin"), options=options)
    provider_pb2_grpc.add_ResourceProviderServicer_to_server(KubernetesProvider(waiter or Waiter()), server)
    try:
        bound = server.add_insecure_port(f"127.0.0.1:{port}")
    except RuntimeError as error:
        raise OSError(f"port {port} on 127.0.0.1 is taken") from error
    server.start()
    return Server(bound, server)


class KubernetesProvider(provider_pb2_grpc.ResourceProviderServicer):
    """Answers the engine; Handshake stays unimplemented, so that the answer to Configure counts."""

    def __init__(self, waiter: Waiter) -> None:
        self._waiter = waiter
        self._sessions = Sessions()

    @override
    def Attach(self, request: plugin_pb2.PluginAttach, context: grpc.ServicerContext) -> empty_pb2.Empty:
        """Nothing to do: the stand-in never calls the engine."""
        return empty_pb2.Empty()

    @override
    def GetPluginInfo(self, request: empty_pb2.Empty, context: grpc.ServicerContext) -> plugin_pb2.PluginInfo:
        """The version whose behaviour the stand-in has."""
        return plugin_pb2.PluginInfo(version=VERSION)

    @override
    def GetSchema(
        self, request: provider_pb2.GetSchemaRequest, context: grpc.ServicerContext
    ) -> provider_pb2.GetSchemaResponse:
        """No schema: a Python program brings its SDK."""
        return provider_pb2.GetSchemaResponse(schema=json.dumps({"name": "kubernetes", "version": VERSION}))

    @override
    def GetMapping(
        self, request: provider_pb2.GetMappingRequest, context: grpc.ServicerContext
    ) -> provider_pb2.GetMappingResponse:
        """No mapping from other tools."""
        return provider_pb2.GetMappingResponse()

    @override
    def Cancel(self, request: empty_pb2.Empty, context: grpc.ServicerContext) -> empty_pb2.Empty:
        """End the waiting of this connection's operations; the process serves on."""
        self._sessions.cancel(context.peer())
        return empty_pb2.Empty()

    @override
    def Invoke(
        self, request: provider_pb2.InvokeRequest, context: grpc.ServicerContext
    ) -> provider_pb2.InvokeResponse:
        """No function is known."""
        with refusing(context):
            raise ProviderError(f'unknown Invoke type "{request.tok}"')

    @override
    def CheckConfig(
        self, request: provider_pb2.CheckRequest, context: grpc.ServicerContext
    ) -> provider_pb2.CheckResponse:
        """Refuse what the stand-in cannot do."""
        failures = refusals(decode(request.news))
        return provider_pb2.CheckResponse(inputs=request.news, failures=check_failures(failures))

    @override
    def DiffConfig(
        self, request: provider_pb2.DiffRequest, context: grpc.ServicerContext
    ) -> provider_pb2.DiffResponse:
        """Whether a change of configuration means another cluster."""
        with refusing(context):
            found = difference(decode(request.olds), decode(request.news))
            return provider_pb2.DiffResponse(
                changes=_DIFF_SOME if found.changed else _DIFF_NONE,
                diffs=found.changed,
                replaces=found.replaces,
            )

    @override
    def Configure(
        self, request: provider_pb2.ConfigureRequest, context: grpc.ServicerContext
    ) -> provider_pb2.ConfigureResponse:
        """Connect to the cluster; one that does not answer is no error before something needs it."""
        inputs = decode(request.args) or {
            key.removeprefix(_CONFIG_PREFIX): value for key, value in request.variables.items()
        }
        self._sessions.configure(context.peer(), Session.open(Configuration.of(inputs)))
        return provider_pb2.ConfigureResponse(
            acceptSecrets=True, supportsPreview=True, supports_autonaming_configuration=True
        )

    @override
    def Check(
        self, request: provider_pb2.CheckRequest, context: grpc.ServicerContext
    ) -> provider_pb2.CheckResponse:
        """Complete the inputs."""
        with refusing(context):
            session = self._sessions.of(context.peer())
            if session.api is None and session.configuration.skip_update_unreachable:
                return provider_pb2.CheckResponse(inputs=request.olds)
            token = type_of(request)
            inputs = completed(
                decode(request.news),
                decode(request.olds),
                naming=name_source(request),
                patch=token.patch,
                namespace=session.namespace,
                namespaced=session.namespaced(token.kind),
            )
            return provider_pb2.CheckResponse(inputs=wire.encode(with_secrets_of(inputs, request.news)))

    @override
    def Diff(
        self, request: provider_pb2.DiffRequest, context: grpc.ServicerContext
    ) -> provider_pb2.DiffResponse:
        """What a change of inputs does."""
        with refusing(context):
            session = self._sessions.of(context.peer())
            token, old = type_of(request), Checkpoint.read(decode(request.olds))
            found = diff(
                old.inputs,
                old.live,
                decode(request.news),
                namespaced=session.namespaced(token.kind),
                patch=token.patch,
                rules=session.configuration.rules,
                ignore=request.ignoreChanges,
            )
            return provider_pb2.DiffResponse(
                changes=_DIFF_SOME if found.changes else _DIFF_NONE,
                replaces=found.replaces,
                deleteBeforeReplace=found.delete_first,
                detailedDiff={path: property_diff(change) for path, change in found.changes.items()},
                hasDetailedDiff=True,
            )

    @override
    def Create(
        self, request: provider_pb2.CreateRequest, context: grpc.ServicerContext
    ) -> provider_pb2.CreateResponse:
        """Create the object and wait until it is ready."""
        with refusing(context):
            session = self._sessions.of(context.peer())
            created = None
            if not (request.preview and session.api is None):
                step = step_of(request, request.properties, preview=request.preview)
                created = self._operations(session).create(step, decode(request.properties))
            if created is None:
                return provider_pb2.CreateResponse(properties=request.properties)
            id_, outputs = created
            return provider_pb2.CreateResponse(id=id_, properties=wire.encode(outputs))

    @override
    def Update(
        self, request: provider_pb2.UpdateRequest, context: grpc.ServicerContext
    ) -> provider_pb2.UpdateResponse:
        """Update the object and wait until it is ready."""
        with refusing(context):
            session = self._sessions.of(context.peer())
            outputs = None
            if not (request.preview and session.api is None):
                step = step_of(request, request.news, preview=request.preview)
                old = Checkpoint.read(decode(request.olds))
                operations = self._operations(session)
                outputs = operations.update(step, old, decode(request.news), request.ignoreChanges)
            return provider_pb2.UpdateResponse(properties=wire.encode(outputs) if outputs else request.news)

    @override
    def Read(
        self, request: provider_pb2.ReadRequest, context: grpc.ServicerContext
    ) -> provider_pb2.ReadResponse:
        """The live object; an empty answer when it is gone."""
        with refusing(context):
            session = self._sessions.of(context.peer())
            if session.api is None:
                return _unreadable(session, request)
            found = self._operations(session).read(
                step_of(request, request.inputs),
                request.id,
                type_of(request).kind,
                Checkpoint.read(decode(request.properties)),
                decode(request.inputs),
            )
            if found is None:
                return provider_pb2.ReadResponse()
            return provider_pb2.ReadResponse(
                id=found.id, properties=wire.encode(found.outputs), inputs=wire.encode(found.inputs)
            )

    @override
    def Delete(self, request: provider_pb2.DeleteRequest, context: grpc.ServicerContext) -> empty_pb2.Empty:
        """Delete the object and wait until it is gone."""
        with refusing(context):
            session = self._sessions.of(context.peer())
            if session.api is not None:
                step = step_of(request, request.properties)
                old = Checkpoint.read(decode(request.properties))
                self._operations(session).delete(step, request.id, old)
            elif not session.configuration.delete_unreachable:
                raise ProviderError(f"{errors.UNREACHABLE_DELETE}: {session.unreachable}")
            return empty_pb2.Empty()

    def _operations(self, session: Session) -> Operations:
        return session.operations(replace(self._waiter, cancelled=session.cancelled))


def _unreadable(session: Session, request: provider_pb2.ReadRequest) -> provider_pb2.ReadResponse:
    """What a read says of a cluster that does not answer."""
    if session.configuration.delete_unreachable:
        return provider_pb2.ReadResponse()
    if session.configuration.skip_update_unreachable:
        return provider_pb2.ReadResponse(id=request.id, properties=request.properties, inputs=request.inputs)
    raise ProviderError(f"{errors.UNREACHABLE_READ}: {session.unreachable}")
