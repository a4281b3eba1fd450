"""Providers that answer with nothing but the part of their package's schema that is referred to."""

from __future__ import annotations

import json
import re
from typing import Any

import grpc
from google.protobuf import empty_pb2
from pulumi.runtime.proto import provider_pb2
from typing_extensions import override

from kubeflow_aks.local_aks.protocol.provider import Provider
from kubeflow_aks.project import PROJECT_ROOT

COMPONENTS = PROJECT_ROOT / "tests/components/__snapshots__/test_package/test_the_schema_is_what_it_was.json"
"""What the plugin answers; `tests/components/test_package.py` compares the two."""


class Schema(Provider):
    """A package by the names of its types, with more of them where that is stated."""

    def __init__(self, package: str, version: str, **more: Any) -> None:
        super().__init__(package, version)
        self._more = more

    @override
    def Cancel(self, request: empty_pb2.Empty, context: grpc.ServicerContext) -> empty_pb2.Empty:
        return empty_pb2.Empty()

    @override
    def GetSchema(
        self, request: provider_pb2.GetSchemaRequest, context: grpc.ServicerContext
    ) -> provider_pb2.GetSchemaResponse:
        schema = {"name": self._package, "version": self._version, **self._more}
        return provider_pb2.GetSchemaResponse(schema=json.dumps(schema))


def azure_native(**resources: Any) -> Schema:
    """Those of azure-native's resources that the components' schema refers to, and others.

    Args:
        resources: schemas of others, by their tokens.
    """
    text = COMPONENTS.read_text(encoding="utf-8")
    [version] = {dependency["version"] for dependency in json.loads(text)["dependencies"]}
    referred: dict[str, Any] = {key: {} for key in re.findall(r"azure-native:containerservice:\w+", text)}
    go = {"importBasePath": "github.com/pulumi/pulumi-azure-native-sdk/v3"}
    return Schema("azure-native", version, resources=referred | resources, language={"go": go})
