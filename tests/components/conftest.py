"""Pulumi's own way to test a component: mocks instead of an engine (Pulumi documentation, "Unit testing").

A test makes a component and reads its requests to Azure or Kubernetes as plain values. Reading waits until everything
that was made is registered, and raises what went wrong meanwhile.
"""

import asyncio
import json
from collections.abc import Generator
from functools import cached_property
from typing import Any, TypeVar, cast

import pulumi
import pytest
from pulumi.runtime import mocks, settings
from pulumi.runtime.stack import wait_for_rpcs
from pulumi_azure_native import containerservice as aks

from components.azure.aliases import without_version_aliases
from components.package import Package
from kubeflow_aks.recorder.answers import Answers
from kubeflow_aks.recorder.waiting import leave_out_positions
from tests.components import sample_arguments

T = TypeVar("T")

forget_the_awaited = pulumi.runtime.test(lambda: None)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
"""Each test function of Pulumi's begins by that."""


def wait() -> None:
    """Waits until every resource is registered and every Output has its value."""
    try:
        asyncio.get_event_loop().run_until_complete(wait_for_rpcs())
    except Exception:
        forget_the_awaited()  # so that only one test fails by it
        raise


def value(output: pulumi.Output[T]) -> T:
    """The output's value, once everything is registered."""
    wait()
    return asyncio.get_event_loop().run_until_complete(cast(Any, output).future())


class Monitor(mocks.MockMonitor):
    """Keeps whole requests, because mocks get the inputs of a resource but none of its options.

    Source: github.com/pulumi/pulumi/issues/14421.
    """

    def __init__(self, answers: mocks.Mocks) -> None:
        super().__init__(answers)
        self.requests: dict[str, Any] = {}
        """The requests by name; components left out."""

    def RegisterResource(self, request: Any) -> Any:  # noqa: N802 - name of the protocol
        """Keeps the request."""
        if request.custom:
            self.requests[request.name] = request
        return cast(Any, super()).RegisterResource(request)


class Cloud(Answers):
    """Answers as Azure and Kubernetes would, and keeps the requests."""

    def __init__(self) -> None:
        self._made: dict[str, pulumi.Resource] = {}
        self._bodies: dict[str, dict[str, Any]] = {}
        self.invokes: list[str] = []
        self.invoked_providers: list[str | None] = []
        """URN and id of the provider of each invoke, None for the default one."""
        self.monitor = Monitor(self)

    def new_resource(self, args: mocks.MockResourceArgs) -> tuple[str | None, dict[str, Any]]:
        """Keeps the body of a request; components make none."""
        if args.custom:
            self._bodies[args.name] = cast(Any, args).inputs
        return super().new_resource(args)

    def call(self, args: mocks.MockCallArgs) -> dict[str, Any]:
        """Keeps the name of an invoke and its provider."""
        self.invokes.append(args.token)
        self.invoked_providers.append(args.provider)
        return super().call(args)

    @property
    def opts(self) -> pulumi.ResourceOptions:
        """Options for the component under test, so that its children are recorded."""
        return pulumi.ResourceOptions(transformations=[self._keep])

    def _keep(self, args: pulumi.ResourceTransformationArgs) -> pulumi.ResourceTransformationResult | None:
        self._made[args.name] = args.resource
        return without_version_aliases(args)  # as the program has it; each test takes half as long

    @cached_property
    def managed_cluster(self) -> aks.ManagedCluster:
        """The cluster that components are for."""
        return sample_arguments.managed_cluster()

    def names(self, component: str) -> list[str]:
        """Names of everything a component made, its own first."""
        wait()
        return [name for name in self._made if name == component or name.startswith(f"{component}-")]

    def inputs(self, name: str) -> dict[str, Any]:
        """The body of the request for the resource of that name: wire names, plain values.

        Raises:
            KeyError: no such resource was made.
        """
        wait()
        return self._bodies[name]

    def options(self, name: str) -> Any:
        """The options of the resource of that name, as the engine gets them: a `RegisterResourceRequest`.

        Raises:
            KeyError: no such resource was made.
        """
        wait()
        return self.monitor.requests[name]


@pytest.fixture(scope="module", autouse=True)
def event_loop() -> Generator[asyncio.AbstractEventLoop]:
    """One for each file; what a test did not wait for is done before it closes."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    forget_the_awaited()
    yield loop
    if pending := asyncio.all_tasks(loop):
        _, left = loop.run_until_complete(asyncio.wait(pending, timeout=60))
        assert not left, "a test leaves an Output that never has a value"
    loop.close()
    asyncio.set_event_loop(None)


@pytest.fixture(scope="module")
def cloud(event_loop: asyncio.AbstractEventLoop) -> Cloud:  # noqa: ARG001 - the loop that the mocks run in
    """Mocks of their own for each file, so that none sees what another left behind."""
    settings.ROOT.set(None)
    leave_out_positions()  # as the commands do
    answers = Cloud()
    pulumi.runtime.set_mocks(
        answers, project="kubeflow-aks", stack="test", preview=False, monitor=answers.monitor
    )
    return answers


@pytest.fixture(scope="session")
def package() -> Package:
    """The components as the plugin has them; reading their docstrings takes longer than all of its tests."""
    return Package()


@pytest.fixture(scope="session")
def schema(package: Package) -> dict[str, Any]:
    """Their schema."""
    return json.loads(package.schema or "")
