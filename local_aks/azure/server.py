# ruff: noqa: N802, ARG002 - method names and parameters are the protocol's
"""The azure-native provider on Pulumi's provider protocol, with `ResourceManager` in the place of Azure.

It answers as pulumi-azure-native 3.29 does (`provider.go`): what Check, Diff and previews know, which errors are
sent again, what a failed operation leaves in the state. All provider instances of the engine share one server.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from concurrent import futures
from dataclasses import dataclass
from datetime import date
from importlib.metadata import version
from typing import Any, Final, NoReturn

import grpc
from google.protobuf import empty_pb2
from pulumi.runtime.proto import plugin_pb2, provider_pb2, provider_pb2_grpc

from local_aks.azure import check, diff, replies, retry, sdk_schema
from local_aks.azure.arm import ArmError, Json
from local_aks.azure.resource_manager import ResourceManager
from local_aks.azure.responses.put import TENANT
from local_aks.azure.state import MANAGED_CLUSTER, AzureState
from local_aks.azure.timing import OperationCancelledError, Timing
from local_aks.azure.types import RESOURCE_GROUP, TYPES, ArmType
from local_aks.protocol import wire

_SUBSCRIPTION: Final = "00000000-0000-0000-0000-000000000000"
_CLIENT: Final = "00000000-0000-0000-0000-00000000c11e"
_THREADS: Final = 64
_LARGEST_MESSAGE: Final = 400 * 1024 * 1024  # the engine's own limit
_STABLE: Final = ("name", "location")
"""Outputs a preview of an update shows as known."""
_CREDENTIALS: Final = {
    "azure-native:containerservice:listManagedClusterUserCredentials": "clusterUser",
    "azure-native:containerservice:listManagedClusterAdminCredentials": "clusterAdmin",
}
_CREDENTIALS_ARGUMENTS: Final = frozenset({"resourceGroupName", "resourceName", "serverFqdn", "format"})

Context = Any
"""A `grpc.ServicerContext`; grpcio publishes no types."""


@dataclass(frozen=True)
class RunningServer:
    """A server that answers until it is stopped."""

    port: int
    _server: Any

    def stop(self) -> None:
        """Stop answering; calls under way are given a second to end."""
        self._server.stop(1).wait()


def serve(
    state: AzureState,
    port: int = 0,
    *,
    kubeconfig: Callable[[], str],
    speed: float = float("inf"),
    today: Callable[[], date] = date.today,
    cluster_deleted: Callable[[], None] | None = None,
) -> RunningServer:
    """Serve the provider on 127.0.0.1, for `PULUMI_DEBUG_PROVIDERS=azure-native:<port>`.

    Args:
        state: the Azure it manages.
        port: 0 for a free one.
        kubeconfig: text of the kubeconfig that every cluster hands out; asked anew each time and never stored.
        speed: simulated seconds of Azure in one second; infinite for an Azure that takes no time.
        today: the day on which Azure decides which Kubernetes versions it supports.
        cluster_deleted: ends what is inside a cluster; a cluster counts as deleted only after it.

    Raises:
        OSError: the port is taken.
    """
    timing = Timing(speed)
    azure = ResourceManager(state, timing, today, cluster_deleted or (lambda: None))
    provider = AzureNativeProvider(azure, timing, kubeconfig)
    options = [("grpc.max_receive_message_length", _LARGEST_MESSAGE), ("grpc.so_reuseport", 0)]
    server: Any = grpc.server(futures.ThreadPoolExecutor(_THREADS), options=options)
    provider_pb2_grpc.add_ResourceProviderServicer_to_server(provider, server)
    try:
        bound = int(server.add_insecure_port(f"127.0.0.1:{port}"))
    except RuntimeError as error:
        raise OSError(f"port {port} on 127.0.0.1 is taken") from error
    server.start()
    return RunningServer(bound, server)


class AzureNativeProvider(provider_pb2_grpc.ResourceProviderServicer):
    """The provider's calls. Handshake, Parameterize, Construct and Call are unimplemented, as in the original."""

    def __init__(self, azure: ResourceManager, timing: Timing, kubeconfig: Callable[[], str]) -> None:
        self._azure = azure
        self._timing = timing
        self._kubeconfig = kubeconfig
        self._settings: dict[str, Json] = {}
        """Configuration by connection: each provider instance of the engine has one of its own."""

    def Handshake(self, request: provider_pb2.ProviderHandshakeRequest, context: Context) -> NoReturn:
        """Not implemented in azure-native; the engine falls back to Attach and Configure."""
        context.abort(grpc.StatusCode.UNIMPLEMENTED, "method Handshake not implemented")
        raise AssertionError("abort raises")

    def Attach(self, request: plugin_pb2.PluginAttach, context: Context) -> empty_pb2.Empty:
        """Accept an engine."""
        return empty_pb2.Empty()

    def GetPluginInfo(self, request: empty_pb2.Empty, context: Context) -> plugin_pb2.PluginInfo:
        """The version of the SDK this stand-in speaks for."""
        return plugin_pb2.PluginInfo(version=version("pulumi-azure-native"))

    def GetSchema(
        self, request: provider_pb2.GetSchemaRequest, context: Context
    ) -> provider_pb2.GetSchemaResponse:
        """The package's name only: a Python program needs no more."""
        return provider_pb2.GetSchemaResponse(schema='{"name": "azure-native"}')

    def GetMapping(
        self, request: provider_pb2.GetMappingRequest, context: Context
    ) -> provider_pb2.GetMappingResponse:
        """No mapping from other tools."""
        return provider_pb2.GetMappingResponse()

    def CheckConfig(self, request: provider_pb2.CheckRequest, context: Context) -> provider_pb2.CheckResponse:
        """Accept any configuration, as the original does."""
        return provider_pb2.CheckResponse(inputs=request.news)

    def DiffConfig(self, request: provider_pb2.DiffRequest, context: Context) -> provider_pb2.DiffResponse:
        """No change of configuration matters."""
        return provider_pb2.DiffResponse()

    def Configure(
        self, request: provider_pb2.ConfigureRequest, context: Context
    ) -> provider_pb2.ConfigureResponse:
        """Remember the location and the subscription of one provider instance, and nothing secret."""
        given = {k.rsplit(":", 1)[-1]: v for k, v in request.variables.items()} | wire.decode(request.args)
        kept = {k: v for k, v in given.items() if k in ("location", "subscriptionId")}
        self._settings[context.peer()] = kept
        return provider_pb2.ConfigureResponse(supportsPreview=True, supports_autonaming_configuration=True)

    def Cancel(self, request: empty_pb2.Empty, context: Context) -> empty_pb2.Empty:
        """Stop waiting for operations under way; the server stays for the next engine."""
        self._timing.cancel()
        return empty_pb2.Empty()

    def Check(self, request: provider_pb2.CheckRequest, context: Context) -> provider_pb2.CheckResponse:
        """Complete inputs and report what is wrong with them."""
        arm_type = _arm_type(request.urn, context)
        naming = check.Naming(
            logical_name=request.urn.rsplit("::", 1)[-1],
            seed=request.randomSeed,
            mode=request.autonaming.mode if request.HasField("autonaming") else None,
            proposed=request.autonaming.proposed_name,
        )
        inputs, mistakes = check.check(
            arm_type,
            wire.decode(request.news),
            wire.decode(request.olds),
            naming,
            lambda news: self._default_location(news, context),
        )
        failures = [provider_pb2.CheckFailure(reason=mistake) for mistake in mistakes]
        return provider_pb2.CheckResponse(inputs=wire.encode(inputs), failures=failures)

    def Diff(self, request: provider_pb2.DiffRequest, context: Context) -> provider_pb2.DiffResponse:
        """Compare new inputs with those of the last operation."""
        arm_type = _arm_type(request.urn, context)
        old, new = wire.decode(request.old_inputs), check.without_nulls(wire.decode(request.news))
        changes = diff.detailed(old, new, wire.decode(request.olds), arm_type.replacing)
        return replies.difference(changes, create_first=old.get(check.CREATE_BEFORE_DELETE, False))

    def Create(self, request: provider_pb2.CreateRequest, context: Context) -> provider_pb2.CreateResponse:
        """Create a resource that does not exist yet."""
        arm_type = _arm_type(request.urn, context)
        inputs = check.without_nulls(wire.decode(request.properties))
        if request.preview:
            preview = sdk_schema.preview(arm_type.pulumi, inputs)
            return provider_pb2.CreateResponse(properties=wire.encode(preview))
        arm_id = arm_type.id_of(inputs, self._setting(context, "subscriptionId", _SUBSCRIPTION))
        if self._call(context, lambda: self._azure.read(arm_type, arm_id)) is not None:
            _fail(context, f"cannot create already existing resource '{arm_id}'")
        outputs = self._put(context, arm_type, arm_id, inputs)
        return provider_pb2.CreateResponse(id=outputs["id"], properties=wire.encode(outputs))

    def Read(self, request: provider_pb2.ReadRequest, context: Context) -> provider_pb2.ReadResponse:
        """Read live state, and what of it belongs into the inputs."""
        arm_type = _arm_type(request.urn, context)
        body = self._call(context, lambda: self._azure.read(arm_type, request.id))
        if body is None:
            return provider_pb2.ReadResponse()
        old, inputs = wire.decode(request.properties), wire.decode(request.inputs)
        projection = sdk_schema.project(arm_type.pulumi, body)
        if inputs:
            if arm_type.inline and arm_type.inline.owned and arm_type.inline.property not in inputs:
                projection.pop(arm_type.inline.property, None)
            inputs = diff.refreshed(inputs, sdk_schema.project(arm_type.pulumi, old), projection)
        else:
            inputs = arm_type.names_in(request.id) | projection
        return provider_pb2.ReadResponse(
            id=request.id,
            properties=wire.encode(replies.with_version(arm_type, body)),
            inputs=wire.encode(inputs),
        )

    def Update(self, request: provider_pb2.UpdateRequest, context: Context) -> provider_pb2.UpdateResponse:
        """Change a resource in place."""
        arm_type = _arm_type(request.urn, context)
        inputs = check.without_nulls(wire.decode(request.news))
        if request.preview:
            old = wire.decode(request.olds)
            stable = {name: old[name] for name in _STABLE if name in old}
            preview = sdk_schema.preview(arm_type.pulumi, inputs) | stable
            return provider_pb2.UpdateResponse(properties=wire.encode(preview))
        outputs = self._put(context, arm_type, request.id, inputs)
        return provider_pb2.UpdateResponse(properties=wire.encode(outputs))

    def Delete(self, request: provider_pb2.DeleteRequest, context: Context) -> empty_pb2.Empty:
        """Delete a resource; one that is gone already counts as deleted."""
        arm_type = _arm_type(request.urn, context)
        operation = self._call(context, lambda: self._azure.delete(arm_type, request.id))
        try:
            if operation:
                self._azure.wait(operation)
        except (ArmError, OperationCancelledError) as error:
            _fail(context, str(error))
        return empty_pb2.Empty()

    def Invoke(self, request: provider_pb2.InvokeRequest, context: Context) -> provider_pb2.InvokeResponse:
        """Answer the functions the program may call."""
        if request.tok == "azure-native:authorization:getClientConfig":
            subscription = self._setting(context, "subscriptionId", _SUBSCRIPTION)
            return replies.returned(
                {"clientId": _CLIENT, "objectId": _CLIENT, "subscriptionId": subscription, "tenantId": TENANT}
            )
        if request.tok not in _CREDENTIALS:
            _fail(context, f"Invoke type {request.tok} not found: the local Azure does not have it")
        arguments = wire.decode(request.args)
        if unknown := sorted(set(arguments) - _CREDENTIALS_ARGUMENTS):
            _fail(context, f"{request.tok}: unknown argument {unknown[0]!r}")
        name = _CREDENTIALS[request.tok]
        cluster = TYPES[MANAGED_CLUSTER].id_of(
            arguments, self._setting(context, "subscriptionId", _SUBSCRIPTION)
        )
        try:
            self._azure.require_credentials(cluster, admin=name == "clusterAdmin")
        except ArmError as error:
            _fail(context, f"request failed {cluster}/list{name[0].upper()}{name[1:]}Credential: {error}")
        value = base64.b64encode(self._kubeconfig().encode()).decode()
        return replies.returned({"kubeconfigs": [{"name": name, "value": value}]})

    def _setting(self, context: Context, name: str, default: str) -> str:
        return str(self._settings.get(context.peer(), {}).get(name) or default)

    def _default_location(self, inputs: Json, context: Context) -> str | wire.Unknown | None:
        """The location of the configuration, else of the resource's group (`getDefaultLocation`)."""
        configured = self._setting(context, "location", "")
        group = inputs.get("resourceGroupName")
        if configured or group is None or isinstance(group, wire.Unknown):
            return configured or (group if isinstance(group, wire.Unknown) else None)
        subscription = self._setting(context, "subscriptionId", _SUBSCRIPTION)
        body = self._azure.get(TYPES[RESOURCE_GROUP].id_of({"resourceGroupName": group}, subscription))
        return body["location"] if body else None

    def _put(self, context: Context, arm_type: ArmType, arm_id: str, inputs: Json) -> Json:
        """PUT a resource, wait, and read it back; the outputs of the state."""
        body = check.body(inputs)
        operation = self._call(context, lambda: self._azure.put(arm_type, arm_id, body))
        try:
            self._azure.wait(operation)
        except (ArmError, OperationCancelledError) as error:
            outputs = replies.with_version(arm_type, self._azure.get(arm_id) or {})
            context.set_trailing_metadata(replies.partial(arm_id, outputs, inputs, str(error)))
            _fail(context, str(error))
        return replies.with_version(arm_type, self._azure.get(arm_id) or {})

    def _call(self, context: Context, request: Callable[[], retry.T]) -> retry.T:
        """Send a request to ARM as often as azure-native would."""
        try:
            return retry.send(request, self._timing.pause)
        except (ArmError, OperationCancelledError) as error:
            _fail(context, str(error))


def _fail(context: Context, message: str) -> NoReturn:
    context.abort(grpc.StatusCode.UNKNOWN, message)
    raise AssertionError("abort raises")


def _arm_type(urn: str, context: Context) -> ArmType:
    token = urn.split("::")[2].rsplit("$", maxsplit=1)[-1]
    if token not in TYPES:
        _fail(context, f"Resource type {token} not found: the local Azure does not have it")
    return TYPES[token]
