"""The running service of a local AKS as the commands of `az` use it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubeflow_aks.local_aks.lifecycle import service_files
from kubeflow_aks.local_aks.run.directory import RunDirectory

if TYPE_CHECKING:
    from kubeflow_aks.local_aks.azure_cli.channel import Channel


class ServiceUnavailableError(Exception):
    """The local AKS does not answer; the text is meant for the user."""


class Client:
    """Addresses and credentials of a local AKS, and the connection to its Azure, made at first use."""

    def __init__(self, run: RunDirectory) -> None:
        """Find the service.

        Raises:
            ServiceUnavailableError: the service does not run.
        """
        try:
            self._endpoints = service_files.read_endpoints(run)
        except FileNotFoundError:
            raise ServiceUnavailableError(
                "no local AKS is running here; `./kubeflow-aks local up` starts one"
            ) from None
        self.run = run
        self._channel: Channel | None = None
        self.bearer_token = run.bearer_token
        self.resource_manager = f"http://127.0.0.1:{self._endpoints.resource_manager}/"
        """Address of the simulated resource manager."""

    @property
    def azure(self) -> Channel:
        """The connection to Azure.

        Raises:
            ServiceUnavailableError: the service does not answer, or not to this user.
        """
        from kubeflow_aks.local_aks.azure_cli.channel import Channel  # noqa: PLC0415 - over half a second

        if self._channel is None:
            try:
                self._channel = Channel(self._endpoints.azure_native, self.run.azure_token())
            except ServiceUnavailableError as error:
                from kubeflow_aks.local_aks.lifecycle import stopped  # noqa: PLC0415 - psutil doubles the start of `az`

                raise ServiceUnavailableError("; ".join([str(error), *stopped.lines(self.run)])) from None
        return self._channel

    def close(self) -> None:
        """End the connection, if there is one."""
        if self._channel is not None:
            self._channel.close()
