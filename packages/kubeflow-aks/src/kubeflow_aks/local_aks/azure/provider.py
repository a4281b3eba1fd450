"""The azure-native provider on Pulumi's provider protocol, with `ResourceManager` in the place of Azure.

It answers as pulumi-azure-native 3.29 does (`provider.go`): what Check, Diff and previews know, which errors are
sent again, what a failed operation leaves in the state. All provider instances of the engine share one server.
"""

import base64
import hmac
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from typing import Final, TypeVar

import grpc
from google.protobuf import empty_pb2
from grpc import ServicerContext
from pulumi.runtime.proto import provider_pb2 as proto
from typing_extensions import override

from kubeflow_aks.local_aks.azure import check, diff, power, sdk_schema
from kubeflow_aks.local_aks.azure.arm import TENANT, ArmError, Json
from kubeflow_aks.local_aks.azure.resource_manager import ResourceManager
from kubeflow_aks.local_aks.azure.state import MANAGED_CLUSTER
from kubeflow_aks.local_aks.azure.timing import OperationCancelledError, Timing
from kubeflow_aks.local_aks.azure.types import RESOURCE_GROUP, TYPES, ArmType
from kubeflow_aks.local_aks.protocol import wire
from kubeflow_aks.local_aks.protocol.diff import diff_response
from kubeflow_aks.local_aks.protocol.failures import fail, fail_partially
from kubeflow_aks.local_aks.protocol.provider import Provider
from kubeflow_aks.local_aks.protocol.sessions import Sessions

_SUBSCRIPTION: Final = "00000000-0000-0000-0000-000000000000"
_LOCATION: Final = "westeurope"
"""Region of a resource group that others are taken to have made."""
_CLIENT: Final = "00000000-0000-0000-0000-00000000c11e"
_NOT_CONFIGURED: Final = (
    "azure-native:clientSecret is not the token of this local AKS: it answers its own engine only, "
    "which `./kubeflow-aks local` runs"
)
_STABLE: Final = ("name", "location")
"""Outputs a preview of an update shows as known."""
_CREDENTIALS: Final = {
    "azure-native:containerservice:listManagedClusterUserCredentials": "clusterUser",
    "azure-native:containerservice:listManagedClusterAdminCredentials": "clusterAdmin",
}
_CLIENT_CONFIG: Final = "azure-native:authorization:getClientConfig"
_GET_GROUP: Final = "azure-native:resources:getResourceGroup"
FUNCTIONS: Final = frozenset({*_CREDENTIALS, _CLIENT_CONFIG, _GET_GROUP})
"""Every function that is answered, by its token."""
_DELAYS: Final = (20.0, 60.0, 120.0)
"""Seconds before each further attempt; azcore's jitter is left out."""
_STATUSES: Final = frozenset({408, 429, 500, 502, 503, 504})
_IN_PROGRESS: Final = (409, "AnotherOperationInProgress")
"""Answers of ARM after which azure-native sends a request again (`initPipelineOpts` in `client_azcore.go`). A 409
`OperationNotAllowed` of AKS is not among them: it fails the resource, as with the real provider."""
_CREDENTIALS_ARGUMENTS: Final = frozenset({"resourceGroupName", "resourceName", "serverFqdn", "format"})

T = TypeVar("T")


@dataclass(frozen=True)
class Configuration:
    """What one provider instance was configured with."""

    location: str
    """Region of resources that name none; empty for that of their group."""
    subscription: str


class AzureNativeProvider(Provider):
    """The provider's calls.

    Args:
        azure: the Azure it manages.
        timing: the waiting that `Cancel` ends.
        token: what a connection must be configured with (`clientSecret`) before it is answered; otherwise any user of
            the machine could take the kubeconfig.
        kubeconfig: text of the kubeconfig that every cluster returns.
    """

    def __init__(
        self, azure: ResourceManager, timing: Timing, *, token: str, kubeconfig: Callable[[], str]
    ) -> None:
        super().__init__("azure-native", version("pulumi-azure-native"))
        self._azure = azure
        self._timing = timing
        self._token = token
        self._kubeconfig = kubeconfig
        self._sessions = Sessions[Configuration]()

    @override
    def DiffConfig(self, request: proto.DiffRequest, context: ServicerContext) -> proto.DiffResponse:
        """No change of configuration matters."""
        return proto.DiffResponse()

    @override
    def Configure(self, request: proto.ConfigureRequest, context: ServicerContext) -> proto.ConfigureResponse:
        """Remember the location and the subscription of a provider instance that sends the token."""
        settings = {k.rsplit(":", 1)[-1]: v for k, v in request.variables.items()} | wire.decode(request.args)
        if not hmac.compare_digest(str(settings.get("clientSecret", "")).encode(), self._token.encode()):
            fail(context, _NOT_CONFIGURED, grpc.StatusCode.UNAUTHENTICATED)
        configuration = Configuration(
            location=str(settings.get("location") or ""),
            subscription=str(settings.get("subscriptionId") or _SUBSCRIPTION),
        )
        self._sessions.configure(context, configuration)
        return proto.ConfigureResponse(supportsPreview=True, supports_autonaming_configuration=True)

    @override
    def Cancel(self, request: empty_pb2.Empty, context: ServicerContext) -> empty_pb2.Empty:
        """Stop waiting for operations under way; the server stays for the next engine."""
        if self._sessions.find(context):
            self._timing.cancel()
        return empty_pb2.Empty()

    @override
    def Check(self, request: proto.CheckRequest, context: ServicerContext) -> proto.CheckResponse:
        """Complete inputs and report what is wrong with them."""
        configuration, arm_type = self._sessions.of(context), _arm_type(request.urn, context)
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
            lambda news: self._default_location(news, configuration),
        )
        failures = [proto.CheckFailure(reason=mistake) for mistake in mistakes]
        return proto.CheckResponse(inputs=wire.encode(inputs), failures=failures)

    @override
    def Diff(self, request: proto.DiffRequest, context: ServicerContext) -> proto.DiffResponse:
        """Compare new inputs with those of the last operation."""
        self._sessions.of(context)
        arm_type = _arm_type(request.urn, context)
        old, new = wire.decode(request.old_inputs), check.without_nulls(wire.decode(request.news))
        changes = diff.detailed(old, new, wire.decode(request.olds), arm_type.replacing)
        replaces = [path for path, change in changes.items() if change.replaces]
        return diff_response(
            changes,
            replaces=replaces,
            delete_first=bool(replaces) and not old.get(check.CREATE_BEFORE_DELETE, False),
            diffs=[path.split(".")[0] for path in changes],
        )

    @override
    def Create(self, request: proto.CreateRequest, context: ServicerContext) -> proto.CreateResponse:
        """Create a resource that does not exist yet."""
        configuration, arm_type = self._sessions.of(context), _arm_type(request.urn, context)
        inputs = check.without_nulls(wire.decode(request.properties))
        if request.preview:
            preview = sdk_schema.preview(arm_type.pulumi, inputs)
            return proto.CreateResponse(properties=wire.encode(preview))
        arm_id = arm_type.id_of(inputs, configuration.subscription)
        if self._call(context, lambda: self._azure.read(arm_type, arm_id)) is not None:
            fail(context, f"cannot create already existing resource '{arm_id}'")
        outputs = self._put(context, arm_type, arm_id, inputs)
        return proto.CreateResponse(id=outputs["id"], properties=wire.encode(outputs))

    @override
    def Read(self, request: proto.ReadRequest, context: ServicerContext) -> proto.ReadResponse:
        """Read live state, and the part of it that belongs into the inputs."""
        self._sessions.of(context)
        arm_type = _arm_type(request.urn, context)
        body = self._call(context, lambda: self._azure.read(arm_type, request.id))
        if body is None:
            return proto.ReadResponse()
        old, inputs = wire.decode(request.properties), wire.decode(request.inputs)
        projection = sdk_schema.project(arm_type.pulumi, body)
        if inputs:
            if arm_type.inline and arm_type.inline.owned and arm_type.inline.property not in inputs:
                projection.pop(arm_type.inline.property, None)
            inputs = diff.refreshed(inputs, sdk_schema.project(arm_type.pulumi, old), projection)
        else:
            inputs = arm_type.names_in(request.id) | projection
        return proto.ReadResponse(
            id=request.id, properties=wire.encode(_with_version(arm_type, body)), inputs=wire.encode(inputs)
        )

    @override
    def Update(self, request: proto.UpdateRequest, context: ServicerContext) -> proto.UpdateResponse:
        """Change a resource in place."""
        self._sessions.of(context)
        arm_type = _arm_type(request.urn, context)
        inputs = check.without_nulls(wire.decode(request.news))
        if request.preview:
            old = wire.decode(request.olds)
            stable = {name: old[name] for name in _STABLE if name in old}
            preview = sdk_schema.preview(arm_type.pulumi, inputs) | stable
            return proto.UpdateResponse(properties=wire.encode(preview))
        outputs = self._put(context, arm_type, request.id, inputs)
        return proto.UpdateResponse(properties=wire.encode(outputs))

    @override
    def Delete(self, request: proto.DeleteRequest, context: ServicerContext) -> empty_pb2.Empty:
        """Delete a resource; one that is gone already counts as deleted."""
        self._sessions.of(context)
        arm_type = _arm_type(request.urn, context)
        operation = self._call(context, lambda: self._azure.delete(arm_type, request.id))
        try:
            if operation:
                self._azure.wait(operation)
        except (ArmError, OperationCancelledError) as error:
            fail(context, str(error))
        return empty_pb2.Empty()

    @override
    def Invoke(self, request: proto.InvokeRequest, context: ServicerContext) -> proto.InvokeResponse:
        """Answer the functions the program may call."""
        subscription = self._sessions.of(context).subscription
        if request.tok == _CLIENT_CONFIG:
            return _returned(
                {"clientId": _CLIENT, "objectId": _CLIENT, "subscriptionId": subscription, "tenantId": TENANT}
            )
        if request.tok == _GET_GROUP:
            return _returned(self._group(context, wire.decode(request.args), self._sessions.of(context)))
        if request.tok in power.FUNCTIONS:
            self._power(context, wire.decode(request.args)["id"], run=power.FUNCTIONS[request.tok])
            return _returned({})
        if request.tok not in _CREDENTIALS:
            fail(context, f"Invoke type {request.tok} not found: the local Azure does not have it")
        arguments = wire.decode(request.args)
        if unknown := sorted(set(arguments) - _CREDENTIALS_ARGUMENTS):
            fail(context, f"{request.tok}: unknown argument {unknown[0]!r}")
        name = _CREDENTIALS[request.tok]
        cluster = TYPES[MANAGED_CLUSTER].id_of(arguments, subscription)
        try:
            self._azure.require_credentials(cluster, admin=name == "clusterAdmin")
        except ArmError as error:
            fail(context, f"request failed {cluster}/list{name[0].upper()}{name[1:]}Credential: {error}")
        value = base64.b64encode(self._kubeconfig().encode()).decode()
        return _returned({"kubeconfigs": [{"name": name, "value": value}]})

    def _group(self, context: ServicerContext, arguments: Json, configuration: Configuration) -> Json:
        """A resource group; one that this Azure does not know is others', and there from now on."""
        arm_type = TYPES[RESOURCE_GROUP]
        arm_id = arm_type.id_of(arguments, configuration.subscription)
        group = self._call(context, lambda: self._azure.read(arm_type, arm_id))
        return group or self._put(
            context, arm_type, arm_id, {"location": configuration.location or _LOCATION}
        )

    def _power(self, context: ServicerContext, cluster_id: str, *, run: bool) -> None:
        """Stop or start a cluster, and wait for the end."""
        try:
            self._azure.wait(self._azure.power(cluster_id, run=run))
        except (ArmError, OperationCancelledError) as error:
            fail(context, str(error))

    def _default_location(self, inputs: Json, configuration: Configuration) -> str | wire.Unknown | None:
        """The location of the configuration, else of the resource's group (`getDefaultLocation`)."""
        group = inputs.get("resourceGroupName")
        if configuration.location:
            return configuration.location
        if group is None or isinstance(group, wire.Unknown):
            return group
        group_id = TYPES[RESOURCE_GROUP].id_of({"resourceGroupName": group}, configuration.subscription)
        body = self._azure.get(group_id)
        return body["location"] if body else None

    def _put(self, context: ServicerContext, arm_type: ArmType, arm_id: str, inputs: Json) -> Json:
        """PUT a resource, wait, and read it back; the outputs of the state."""
        body = check.body(inputs)
        operation = self._call(context, lambda: self._azure.put(arm_type, arm_id, body))
        try:
            self._azure.wait(operation)
        except (ArmError, OperationCancelledError) as error:
            outputs = _with_version(arm_type, self._azure.get(arm_id) or {})
            message, resource_id = str(error), str(outputs.get("id", arm_id))
            fail_partially(
                context, message, resource_id=resource_id, outputs=outputs, inputs=inputs, reasons=[message]
            )
        return _with_version(arm_type, self._azure.get(arm_id) or {})

    def _call(self, context: ServicerContext, request: Callable[[], T]) -> T:
        """Send a request to ARM as often as azure-native would."""
        try:
            return send(request, self._timing.pause)
        except (ArmError, OperationCancelledError) as error:
            fail(context, str(error))


def send(request: Callable[[], T], pause: Callable[[float], None]) -> T:
    """Send a request until ARM accepts it.

    Args:
        request: sends it once.
        pause: waits for simulated seconds.

    Raises:
        ArmError: ARM's last answer.
    """
    for delay in _DELAYS:
        try:
            return request()
        except ArmError as error:
            pause(_before_retry(error, delay))
    return request()


def _before_retry(error: ArmError, delay: float) -> float:
    """Seconds to wait, the Retry-After header first; an answer that is not worth waiting for is raised again."""
    retryable = error.status in _STATUSES or (error.status, error.code) == _IN_PROGRESS
    wait = delay if error.retry_after is None else error.retry_after
    if not retryable or wait > _DELAYS[-1]:
        raise error
    return wait


def _arm_type(urn: str, context: ServicerContext) -> ArmType:
    token = urn.split("::")[2].rsplit("$", maxsplit=1)[-1]
    if token not in TYPES:
        fail(context, f"Resource type {token} not found: the local Azure does not have it")
    return TYPES[token]


def _returned(value: Json) -> proto.InvokeResponse:
    response = proto.InvokeResponse()
    getattr(response, "return").CopyFrom(wire.encode(value))
    return response


def _with_version(arm_type: ArmType, body: Json) -> Json:
    """Outputs of a resource: its body, and the API version the provider speaks."""
    return body | {check.API_VERSION: sdk_schema.api_version(arm_type.pulumi)}
