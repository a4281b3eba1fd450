"""The rules as an analyzer of the engine, which starts `packages/kubeflow-aks/policy-pack` for `--policy-pack`.

The protocol is `proto/pulumi/analyzer.proto` in pulumi/pulumi. It needs only packages of the Pulumi SDK.
"""

import os
import signal
import sys
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from types import FrameType
from typing import Any, Final

import grpc
from google.protobuf import empty_pb2, struct_pb2
from pulumi.runtime.proto import analyzer_pb2, analyzer_pb2_grpc, plugin_pb2
from typing_extensions import override

from kubeflow_aks.policy import RULES
from kubeflow_aks.policy.exceptions import Accepted, ExceptionsError, covering, load
from kubeflow_aks.policy.rule import STACK, UNKNOWN, Resource, Rule, Violation
from kubeflow_aks.project import COMMAND, nearest_project
from kubeflow_aks.recorder.marks import SECRET, SIGNATURE, UNKNOWNS
from kubeflow_aks.version import version

NAME: Final = "kubeflow-aks"
_VERSION: Final = version()
_THREADS: Final = 8
_MESSAGE_BYTES: Final = 400 << 20
"""The engine's own limit."""
_PARENT_SECONDS: Final = 1.0
"""How often to check that the engine still runs; a killed engine does not stop its analyzers."""
_SEVERITY: Final = {
    "low": analyzer_pb2.POLICY_SEVERITY_LOW,
    "medium": analyzer_pb2.POLICY_SEVERITY_MEDIUM,
    "high": analyzer_pb2.POLICY_SEVERITY_HIGH,
}
_Level = analyzer_pb2.EnforcementLevel


class Analyzer(analyzer_pb2_grpc.AnalyzerServicer):
    """Checks the resources of one operation on one stack for the engine."""

    def __init__(self, rows: Iterable[Accepted]) -> None:
        self.stopped: Final = threading.Event()
        self._rows: Final = tuple(rows)
        self._stack = ""
        self._levels = {rule.name: _Level.MANDATORY if rule.mandatory else _Level.ADVISORY for rule in RULES}
        self._analyzed: dict[str, Resource] = {}

    @override
    def Handshake(self, request: Any, context: Any) -> Any:
        return analyzer_pb2.AnalyzerHandshakeResponse()

    @override
    def GetPluginInfo(self, request: Any, context: Any) -> Any:
        return plugin_pb2.PluginInfo(version=_VERSION)

    @override
    def GetAnalyzerInfo(self, request: Any, context: Any) -> Any:
        policies = [
            analyzer_pb2.PolicyInfo(
                name=rule.name,
                description=rule.description,
                enforcementLevel=self._levels[rule.name],
                severity=_SEVERITY[rule.severity],
                policy_type=analyzer_pb2.POLICY_TYPE_RESOURCE
                if rule.per_resource
                else analyzer_pb2.POLICY_TYPE_STACK,
            )
            for rule in RULES
        ]
        return analyzer_pb2.AnalyzerInfo(name=NAME, version=_VERSION, supportsConfig=True, policies=policies)

    @override
    def ConfigureStack(self, request: Any, context: Any) -> Any:
        self._stack = request.stack
        return analyzer_pb2.AnalyzerStackConfigureResponse()

    @override
    def Configure(self, request: Any, context: Any) -> Any:
        levels = {
            name: config.enforcementLevel for name, config in request.policyConfig.items() if name != "all"
        }
        if unknown := sorted(levels.keys() - self._levels.keys()):
            names = ", ".join(unknown)
            context.abort(
                grpc.StatusCode.INVALID_ARGUMENT, f"{names}: no such rule; `{COMMAND} policy` lists all"
            )
        self._levels |= levels
        return empty_pb2.Empty()

    @override
    def Analyze(self, request: Any, context: Any) -> Any:
        analyzed = self._analyzed[request.urn] = resource(request)
        return self._response(self._violations(rule, [analyzed]) for rule in RULES if rule.per_resource)

    @override
    def AnalyzeStack(self, request: Any, context: Any) -> Any:
        # This request has outputs, which a preview does not know; rules check inputs, which `Analyze` had. Only for the
        # stack itself the outputs are what the program sets.
        stack = [self._analyzed.get(it.urn) or resource(it) for it in request.resources if it.type != STACK]
        outputs = [resource(it) for it in request.resources if it.type == STACK]
        return self._response(self._violations(rule, stack if rule.every else outputs) for rule in RULES)

    @override
    def Remediate(self, request: Any, context: Any) -> Any:
        return analyzer_pb2.RemediateResponse()

    @override
    def Cancel(self, request: Any, context: Any) -> Any:
        self.stopped.set()
        return empty_pb2.Empty()

    def interrupted(self, _signal: int, _frame: FrameType | None) -> None:
        """Handles the signal by which the engine stops its analyzers."""
        self.stopped.set()

    def _violations(self, rule: Rule, resources: list[Resource]) -> Iterator[Violation]:
        """Violations to report: without accepted ones, and undecided ones only of mandatory rules."""
        level = self._levels[rule.name]
        for violation in rule.violations(resources) if level != _Level.DISABLED else ():
            undecided_advice = violation.undecided and level == _Level.ADVISORY
            if not undecided_advice and not covering(self._rows, self._stack, violation):
                yield violation

    def _response(self, violations: Iterable[Iterable[Violation]]) -> Any:
        return analyzer_pb2.AnalyzeResponse(
            diagnostics=[
                analyzer_pb2.AnalyzeDiagnostic(
                    policyName=it.rule.name,
                    policyPackName=NAME,
                    policyPackVersion=_VERSION,
                    description=it.rule.description,
                    message=f"{it.rule.description} {it.message}",
                    urn=it.urn,
                    enforcementLevel=_Level.ADVISORY if it.undecided else self._levels[it.rule.name],
                    severity=_SEVERITY[it.rule.severity],
                )
                for of_one_rule in violations
                for it in of_one_rule
            ]
        )


def main() -> int:
    """Serves until the engine stops it or exits.

    Returns:
        0; 1 if the exceptions cannot be read, with an error on stderr.
    """
    engine = os.getppid()
    try:
        # The engine starts it in the program's folder (docs/facts/pulumi.md#policy-packs).
        rows = load(nearest_project(), rules={rule.name for rule in RULES})
    except ExceptionsError as error:
        print(error, file=sys.stderr)
        return 1
    analyzer = Analyzer(rows)
    signal.signal(signal.SIGINT, analyzer.interrupted)
    options = [("grpc.max_receive_message_length", _MESSAGE_BYTES)]
    server = grpc.server(ThreadPoolExecutor(_THREADS), options=options)
    analyzer_pb2_grpc.add_AnalyzerServicer_to_server(analyzer, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    print(port, flush=True)  # the engine reads this line, and nothing else may be in front of it
    while os.getppid() == engine and not analyzer.stopped.wait(_PARENT_SECONDS):
        pass
    server.stop(None)
    return 0


def resource(request: Any) -> Resource:
    """The resource of an `AnalyzeRequest` or an `AnalyzerResource`."""
    secrets: set[str] = set()
    return Resource(
        urn=request.urn,
        type=request.type,
        name=request.name,
        inputs=_mapping(request.properties, secrets, ""),
        secret_inputs=frozenset(secrets),
        protect=request.options.protect,
        ignore_changes=frozenset(request.options.ignoreChanges),
    )


def _mapping(struct: struct_pb2.Struct, secrets: set[str], path: str) -> dict[str, Any]:
    return {
        key: _plain(value, secrets, f"{path}.{key}" if path else key) for key, value in struct.fields.items()
    }


def _plain(value: struct_pb2.Value, secrets: set[str], path: str) -> Any:
    """A value of the protocol; unknown and secret values are `UNKNOWN`, as in `kubeflow_aks.policy.plan`."""
    match value.WhichOneof("kind"):
        case "struct_value":
            fields = value.struct_value.fields
            if SIGNATURE in fields and fields[SIGNATURE].string_value == SECRET:
                secrets.add(path)
                return UNKNOWN
            return _mapping(value.struct_value, secrets, path)
        case "list_value":
            return [_plain(item, secrets, f"{path}[{i}]") for i, item in enumerate(value.list_value.values)]
        case "string_value":
            return UNKNOWN if value.string_value in UNKNOWNS else value.string_value
        case "number_value":
            number = value.number_value
            return int(number) if number.is_integer() else number
        case "bool_value":
            return value.bool_value
        case _:
            return None


if __name__ == "__main__":
    sys.exit(main())
