"""The real engine with the policy pack; no control plane, for policy is judged before it is used."""

from __future__ import annotations

import json
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from pulumi import automation
from pulumi.automation.errors import CommandError

from kubeflow_aks.local_aks import kubernetes_provider as kubernetes
from kubeflow_aks.local_aks.azure import server as azure
from kubeflow_aks.local_aks.azure.state import AzureState
from kubeflow_aks.local_aks.engine import Engine
from kubeflow_aks.local_aks.protocol import server
from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.tools import Tools
from tests.local import hosts
from tests.local.policy.accepting import Accepting

PACK = PROJECT_ROOT / "kubeflow_aks" / "policy" / "pack"
PROGRAM = PROJECT_ROOT / "tests" / "local" / "programs" / "registering"

Reported = tuple[str, str, str, str]
"""Level, rule, name of the resource, and the message after the rule's description."""


@dataclass(frozen=True)
class Judged:
    """One operation.

    Attributes:
        violations: the violations that the rules reported.
        errors: what the engine reported beside that.
        failed: whether it ended with an exit code that is not 0.
        state: names of the resources that exist afterwards.
    """

    violations: list[Reported]
    errors: str
    failed: bool
    state: set[str]


@dataclass(frozen=True)
class Policed:
    """A program whose every operation is judged."""

    engine: Engine

    def configured(self, **extra: Any) -> Policed:
        """The same stack with other configuration on top of its file."""
        return Policed(replace(self.engine, extra_config=extra))

    def operate(
        self, operation: Literal["preview", "up"], *, pack: Path = PACK, levels: dict[str, str] | None = None
    ) -> Judged:
        """Previews or brings up the program.

        Args:
            operation: which of both.
            pack: the executable.
            levels: enforcement level by rule, as `--policy-pack-config` takes it.
        """
        config = self.engine.run.root / "levels.json"
        config.write_text(json.dumps(levels or {}))
        stack = self.engine._stack  # pyright: ignore[reportPrivateUsage] - policy is this test's alone
        call: Any = {"preview": stack.preview, "up": stack.up}[operation]
        violations, errors, failed = list[Reported](), list[str](), False

        def heard(event: automation.EngineEvent) -> None:
            if policy := event.policy_event:
                name = (policy.resource_urn or "").rpartition("::")[2]
                level = str(policy.enforcement_level)
                violations.append((level, policy.policy_name, name, _plain(policy.message)))
            if (diagnostic := event.diagnostic_event) and diagnostic.severity == "error":
                errors.append(_plain(diagnostic.message))

        with self.engine._program():  # pyright: ignore[reportPrivateUsage]
            try:
                call(
                    policy_packs=[str(pack)],
                    policy_pack_configs=[str(config)],
                    on_output=errors.append,
                    on_error=errors.append,
                    on_event=heard,
                    color="never",
                    suppress_progress=True,
                )
            except CommandError as error:
                failed = True
                errors.append(str(error))
        resources: list[dict[str, str]] = self.engine.export().get("resources", [])
        return Judged(
            sorted(violations), "\n".join(errors), failed, {it["urn"].rpartition("::")[2] for it in resources}
        )


@contextmanager
def policed(folder: Path, tools: Tools, root: Path, stack: str, **extra: Any) -> Generator[Policed]:
    """A program on a state of its own: ours with the stand-ins, any other with providers that take everything.

    Args:
        folder: for what the engine writes.
        tools: the engine.
        root: the program's folder.
        stack: name of a stack that has a file there.
        extra: configuration on top of the file.
    """
    run = RunDirectory.at(folder)
    if ours := root == PROJECT_ROOT:
        cloud = azure.serve(AzureState(run.azure), token=run.azure_token(), kubeconfig=str)
        servers = {"azure-native": cloud, "kubernetes": kubernetes.serve(servers=())}
    else:
        servers = {name: server.serve(Accepting(name, "1.0.0")) for name in ("azure-native", "kubernetes")}
    try:
        ports = {name: it.port for name, it in servers.items()}
        with hosts.shared() as serve:
            yield Policed(Engine(run, tools, ports, root, stack, extra, None if ours else serve))
    finally:
        for it in servers.values():
            it.stop()


def _plain(text: str) -> str:
    """A message without the engine's marks for colours."""
    for mark in ("<{%reset%}>", "<{%fg 13%}>", "<{%fg 1%}>"):
        text = text.replace(mark, "")
    return text.strip()
