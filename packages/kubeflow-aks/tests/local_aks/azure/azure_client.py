"""The engine's side of the provider protocol, for one provider instance."""

from collections.abc import Callable, Mapping
from typing import Any

import grpc
from google.protobuf import empty_pb2
from pulumi.runtime.proto import plugin_pb2, provider_pb2, provider_pb2_grpc

from kubeflow_aks.local_aks.protocol import wire

Json = dict[str, Any]

TOKEN = "open sesame"  # noqa: S105 - of no other server
"""What the tests' servers want to hear."""


def urn(token: str, name: str = "r") -> str:
    return f"urn:pulumi:dev::kubeflow::{token}::{name}"


class Client:
    """A connection of its own, as the engine opens one for each provider instance."""

    def __init__(self, port: int, **config: str) -> None:
        """Connect and configure, with the token unless there is another `clientSecret`."""
        options = [("grpc.use_local_subchannel_pool", 1)]
        self.channel: Any = grpc.insecure_channel(f"127.0.0.1:{port}", options=options)
        self.stub: Any = provider_pb2_grpc.ResourceProviderStub(self.channel)
        self.stub.Attach(plugin_pb2.PluginAttach(address="127.0.0.1:1"))
        self.configured: provider_pb2.ConfigureResponse = self.stub.Configure(
            provider_pb2.ConfigureRequest(
                args=wire.encode({"clientSecret": TOKEN, **config}),
                sends_old_inputs=True,
                sends_old_inputs_to_delete=True,
            )
        )

    def close(self) -> None:
        """Hang up."""
        self.channel.close()

    def version(self) -> str:
        """The plugin's version."""
        return str(self.stub.GetPluginInfo(empty_pb2.Empty()).version)

    def check(
        self, token: str, news: Mapping[str, Any], olds: Mapping[str, Any] | None = None, **request: Any
    ) -> tuple[Json, list[str]]:
        """Checked inputs and failures."""
        answer = self.stub.Check(
            provider_pb2.CheckRequest(
                urn=urn(token, request.pop("name", "r")),
                news=wire.encode(news),
                olds=wire.encode(olds or {}),
                randomSeed=b"seed",
                **request,
            )
        )
        return wire.decode(answer.inputs), [failure.reason for failure in answer.failures]

    def diff(
        self,
        token: str,
        old: Mapping[str, Any],
        new: Mapping[str, Any],
        outputs: Mapping[str, Any] | None = None,
    ) -> provider_pb2.DiffResponse:
        """Differences of old and new inputs."""
        answer: provider_pb2.DiffResponse = self.stub.Diff(
            provider_pb2.DiffRequest(
                urn=urn(token),
                old_inputs=wire.encode(old),
                news=wire.encode(new),
                olds=wire.encode(outputs or {}),
            )
        )
        return answer

    def create(self, token: str, inputs: Mapping[str, Any], *, preview: bool = False) -> tuple[str, Json]:
        """Id and outputs of a new resource."""
        answer = self.stub.Create(
            provider_pb2.CreateRequest(urn=urn(token), properties=wire.encode(inputs), preview=preview)
        )
        return answer.id, wire.decode(answer.properties)

    def read(
        self, token: str, arm_id: str, inputs: Mapping[str, Any], outputs: Mapping[str, Any]
    ) -> tuple[str, Json, Json]:
        """Id, outputs and inputs of live state; an empty id when there is none."""
        answer = self.stub.Read(
            provider_pb2.ReadRequest(
                urn=urn(token), id=arm_id, inputs=wire.encode(inputs), properties=wire.encode(outputs)
            )
        )
        return answer.id, wire.decode(answer.properties), wire.decode(answer.inputs)

    def update(
        self,
        token: str,
        arm_id: str,
        news: Mapping[str, Any],
        outputs: Mapping[str, Any] | None = None,
        *,
        preview: bool = False,
    ) -> Json:
        """Outputs after an update."""
        answer = self.stub.Update(
            provider_pb2.UpdateRequest(
                urn=urn(token),
                id=arm_id,
                news=wire.encode(news),
                olds=wire.encode(outputs or {}),
                preview=preview,
            )
        )
        return wire.decode(answer.properties)

    def delete(self, token: str, arm_id: str) -> None:
        """Delete a resource."""
        self.stub.Delete(provider_pb2.DeleteRequest(urn=urn(token), id=arm_id))

    def invoke(self, token: str, **arguments: Any) -> Json:
        """Result of a function."""
        answer = self.stub.Invoke(provider_pb2.InvokeRequest(tok=token, args=wire.encode(arguments)))
        return wire.decode(getattr(answer, "return"))

    def cancel(self) -> None:
        """What Ctrl-C makes the engine send."""
        self.stub.Cancel(empty_pb2.Empty())


Connect = Callable[..., Client]
"""Opens one more connection, with the configuration of its provider instance as keywords."""
