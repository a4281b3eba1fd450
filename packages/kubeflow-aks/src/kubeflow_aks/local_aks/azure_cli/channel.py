"""Requests to the running simulated Azure, over the engine's own guarded gRPC channel.

gRPC and Pulumi's messages take over half a second to import, so only commands that need the channel import this.
"""

import re
from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any, Final

import grpc
from pulumi.runtime.proto import provider_pb2 as proto
from pulumi.runtime.proto import provider_pb2_grpc

from kubeflow_aks.local_aks.azure.arm import ArmError, Json
from kubeflow_aks.local_aks.azure.power import FUNCTIONS
from kubeflow_aks.local_aks.azure.state import AGENT_POOL
from kubeflow_aks.local_aks.azure_cli.client import ServiceUnavailableError
from kubeflow_aks.local_aks.protocol import wire

_ANSWER_SECONDS: Final = 10.0
"""Far longer than a request takes that Azure answers at once; a process that a signal has stopped never answers."""
_OPTIONS: Final = (("grpc.min_reconnect_backoff_ms", int(_ANSWER_SECONDS * 1000)),)
"""How long gRPC waits for a connection; 20 s by default."""
_ARM_ERROR: Final = re.compile(r'Status=(\d+) Code="(\w+)" Message="(.*)"', re.DOTALL)


class Channel:
    """A connection to the Azure of a local AKS.

    Every method raises `ArmError` if Azure refuses and `ServiceUnavailableError` if the service does not answer.
    """

    def __init__(self, port: int, token: str) -> None:
        """Connect to a port of 127.0.0.1 and sign in with `RunDirectory.azure_token`."""
        self._channel: Any = grpc.insecure_channel(f"127.0.0.1:{port}", options=_OPTIONS)
        self._stub: Any = provider_pb2_grpc.ResourceProviderStub(self._channel)
        sign_in = wire.encode({"clientSecret": token})
        self._ask("Configure", proto.ConfigureRequest(args=sign_in))

    def close(self) -> None:
        """End the connection; operations that Azure has accepted go on."""
        self._channel.close()

    def get(self, arm_id: str, type_token: str = AGENT_POOL) -> tuple[Json, Json]:
        """Body of a resource, and the part of it that a PUT may send; both empty if the resource does not exist."""
        answer = self._ask("Read", proto.ReadRequest(urn=_urn(type_token), id=arm_id))
        return wire.decode(answer.properties), wire.decode(answer.inputs)

    def put(self, arm_id: str, body: Mapping[str, Any], type_token: str = AGENT_POOL) -> Future[Any]:
        """Begin to PUT a resource; `result` waits for its end."""
        news = wire.encode(body)
        return self._begin("Update", proto.UpdateRequest(urn=_urn(type_token), id=arm_id, news=news))

    def power(self, arm_id: str, *, run: bool) -> Future[Any]:
        """Begin to start or to stop a cluster; `result` waits for its end."""
        [token] = [token for token, runs in FUNCTIONS.items() if runs is run]
        return self._begin("Invoke", proto.InvokeRequest(tok=token, args=wire.encode({"id": arm_id})))

    def delete(self, arm_id: str) -> Future[Any]:
        """Begin to DELETE an agent pool; `result` waits for its end."""
        return self._begin("Delete", proto.DeleteRequest(urn=_urn(AGENT_POOL), id=arm_id))

    def result(self, operation: Future[Any]) -> Any:
        """Wait for the end of an operation."""
        try:
            return operation.result()
        except grpc.RpcError as error:
            raise _error(error) from None

    def _begin(self, method: str, request: Any) -> Future[Any]:
        return getattr(self._stub, method).future(request)

    def _ask(self, method: str, request: Any) -> Any:
        """The answer to a request that Azure answers at once."""
        return self.result(getattr(self._stub, method).future(request, timeout=_ANSWER_SECONDS))


def _urn(type_token: str) -> str:
    return f"urn:pulumi:az::az::{type_token}::az"


def _error(error: Any) -> Exception:
    """The Azure error in a failed gRPC call, or `ServiceUnavailableError` if it has none."""
    if match := _ARM_ERROR.search(error.details()):
        return ArmError(int(match[1]), match[2], match[3])
    if error.code() is grpc.StatusCode.DEADLINE_EXCEEDED:
        return ServiceUnavailableError(f"the local AKS has not answered for {_ANSWER_SECONDS:.0f} s")
    return ServiceUnavailableError(f"the local AKS does not answer: {error.details()}")
