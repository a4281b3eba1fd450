"""Preview on the real engine: our program against the same resources written one after the other in one flat file.

Both previews are of a deployed stack that nothing changes. The flat file is generated from what our program deployed:
one statement for each resource, with literal values, the same options and dependencies, and none of our settings,
planning and components. Its state is ours without the components, so that both previews find all unchanged.
Each preview runs in a process of its own, which loads the SDKs, as with `pulumi preview`.
"""

from __future__ import annotations

import json
import shutil
import statistics
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from kubeflow_aks import tools
from kubeflow_aks.local_aks.azure import server as azure_native
from kubeflow_aks.local_aks.azure.state import AzureState
from kubeflow_aks.local_aks.control_plane.kwokctl import ControlPlane
from kubeflow_aks.local_aks.engine import Engine
from kubeflow_aks.local_aks.kubernetes_provider import server as kubernetes
from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.recorder.run import record
from kubeflow_aks.tools import Tools
from tests.benchmarks import flat
from tests.benchmarks.one_preview import preview

STACK: Final = "demo"
REPEATS: Final = 7
TARGET: Final = 1.10
"""Most time that our program may take, as a ratio to the flat one (our choice)."""
_PROJECT: Final = "kubeflow-aks"


def main() -> int:
    """Prints the table; returns 1 where the target is missed."""
    toolset = tools.find()
    if isinstance(toolset, tools.Missing):
        print(toolset, file=sys.stderr)
        return 1
    with TemporaryDirectory(prefix="bench-engine-") as folder, _deployed(Path(folder), toolset) as ours:
        programs = {"our program": ours, **_flat(Path(folder), ours)}
        seconds = _alternating(programs)
    base = statistics.median(seconds["flat"])
    print(f"preview of the deployed {STACK} stack, median of {REPEATS} alternating runs")
    for name, times in seconds.items():
        median = statistics.median(times)
        print(f"{name:40} {median:6.2f} s {median / base:6.2f} ×")
    ratio = statistics.median(seconds["our program"]) / base
    print(f"our program ÷ flat: {ratio:.2f} (target ≤ {TARGET:.2f})")
    return int(ratio > TARGET)


@contextmanager
def _deployed(folder: Path, toolset: Tools) -> Generator[Engine]:
    """Our program, deployed on a control plane of its own."""
    run = RunDirectory.at(folder / "run")
    plane = ControlPlane(run, toolset, report=lambda _line: None)
    plane.start()
    azure = azure_native.serve(
        AzureState(run.azure), token=run.azure_token(), kubeconfig=run.kubeconfig.read_text
    )
    inside = kubernetes.serve(servers=kubernetes.servers_of(run.kubeconfig))
    try:
        ports = {"azure-native": azure.port, "kubernetes": inside.port}
        engine = Engine(run, toolset, ports, PROJECT_ROOT, STACK)
        engine.up()
        yield engine
    finally:
        azure.stop()
        inside.stop()
        plane.stop()


def _flat(folder: Path, ours: Engine) -> dict[str, Engine]:
    """The flat program without azure-native's version aliases, as ours is, and with them."""
    resources = ours.export()["resources"]
    recorded = record(STACK).resources
    engines: dict[str, Engine] = {}
    for name, aliases in (("flat", False), ("flat, with azure-native's aliases", True)):
        source = flat.program(resources, recorded, aliases=aliases)
        root = flat.project(folder / f"project-{len(engines)}", _PROJECT, STACK, source)
        run = RunDirectory.at(folder / f"run-{len(engines)}")
        for secret in ("passphrase", "azure-token"):
            shutil.copy(ours.run.root / secret, run.root)
        for part in ("pulumi_state", "pulumi_workspace"):
            shutil.copytree(getattr(ours.run, part), getattr(run, part))
        for file in run.pulumi_state.glob(f".pulumi/stacks/**/{STACK}.json"):
            file.write_text(json.dumps(flat.state(json.loads(file.read_text()))))
        engines[name] = Engine(run, ours.tools, ours.providers, root, STACK)
    return engines


def _alternating(programs: dict[str, Engine]) -> dict[str, list[float]]:
    """Seconds of each preview, in turns."""
    seconds: dict[str, list[float]] = {name: [] for name in programs}
    for _ in range(REPEATS):
        for name, engine in programs.items():
            result = preview(engine)
            if result.changed():
                raise RuntimeError(f"{name}: not what is deployed:\n{result.console}")
            seconds[name].append(result.seconds)
    return seconds


if __name__ == "__main__":
    sys.exit(main())
