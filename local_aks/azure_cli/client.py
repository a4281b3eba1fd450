"""The simulated Azure as a client sees it: the running service is asked, over the engine's own guarded channel."""

from __future__ import annotations

import re
from collections.abc import Mapping
from concurrent.futures import Future
from types import TracebackType
from typing import Any, Final

import grpc
from pulumi.runtime.proto import provider_pb2, provider_pb2_grpc

from local_aks.azure.arm import ArmError, Json
from local_aks.azure.provider import POWER
from local_aks.azure.state import AGENT_POOL
from local_aks.lifecycle import daemon
from local_aks.protocol import wire
from local_aks.run.directory import RunDirectory

_ARM_ERROR: Final = re.compile(r'Status=(\d+) Code="(\w+)" Message="(.*)"', re.DOTALL)


class SilentError(Exception):
    """The local AKS does not answer; the text is meant for the user."""


class Client:
    """A connection to the Azure of a local AKS.

    Every method raises `ArmError` for what Azure refuses and `SilentError` where nobody answers.
    """

    def __init__(self, run: RunDirectory) -> None:
        """Connect.

        Raises:
            SilentError: the service does not run.
        """
        try:
            endpoints = daemon.read_endpoints(run)
        except FileNotFoundError:
            raise SilentError("no local AKS is running here; `make local-up` starts one") from None
        self.bearer_token = run.bearer_token
        self.resource_manager = f"http://127.0.0.1:{endpoints.resource_manager}/"
        """Address of the simulated resource manager."""
        self._channel: Any = grpc.insecure_channel(f"127.0.0.1:{endpoints.azure_native}")
        self._stub: Any = provider_pb2_grpc.ResourceProviderStub(self._channel)
        token = wire.encode({"clientSecret": run.azure_token()})
        self._call("Configure", provider_pb2.ConfigureRequest(args=token))

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._channel.close()

    def get(self, arm_id: str, type_token: str = AGENT_POOL) -> tuple[Json, Json]:
        """Body of a resource, and what of it a PUT may bring; both empty when there is none."""
        answer = self._call("Read", provider_pb2.ReadRequest(urn=_urn(type_token), id=arm_id))
        return wire.decode(answer.properties), wire.decode(answer.inputs)

    def put(self, arm_id: str, body: Mapping[str, Any], type_token: str = AGENT_POOL) -> Future[Any]:
        """Begin to PUT a resource; `result` waits for its end."""
        news = wire.encode(body)
        return self._begin("Update", provider_pb2.UpdateRequest(urn=_urn(type_token), id=arm_id, news=news))

    def power(self, arm_id: str, *, run: bool) -> Future[Any]:
        """Begin to start or to stop a cluster; `result` waits for its end."""
        [token] = [token for token, runs in POWER.items() if runs is run]
        return self._begin("Invoke", provider_pb2.InvokeRequest(tok=token, args=wire.encode({"id": arm_id})))

    def delete(self, arm_id: str) -> Future[Any]:
        """Begin to DELETE an agent pool; `result` waits for its end."""
        return self._begin("Delete", provider_pb2.DeleteRequest(urn=_urn(AGENT_POOL), id=arm_id))

    def result(self, operation: Future[Any]) -> Any:
        """Wait for the end of an operation."""
        try:
            return operation.result()
        except grpc.RpcError as error:
            raise _told(error) from None

    def _begin(self, method: str, request: Any) -> Future[Any]:
        return getattr(self._stub, method).future(request)

    def _call(self, method: str, request: Any) -> Any:
        return self.result(self._begin(method, request))


def _urn(type_token: str) -> str:
    return f"urn:pulumi:az::az::{type_token}::az"


def _told(error: Any) -> Exception:
    """The error of Azure that a failed call tells, or else that there is no Azure."""
    if match := _ARM_ERROR.search(error.details()):
        return ArmError(int(match[1]), match[2], match[3])
    return SilentError(f"the local AKS does not answer: {error.details()}")
