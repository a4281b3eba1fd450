"""A checkout as a job has it, where the workflows' own commands run; `pulumi` and `az` are the local AKS's."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from kubeflow_aks.local_aks.azure import server as azure_native
from kubeflow_aks.local_aks.azure.power import Switch
from kubeflow_aks.local_aks.azure.state import AzureState
from kubeflow_aks.local_aks.engine import program
from kubeflow_aks.local_aks.kubernetes_provider import server as kubernetes
from kubeflow_aks.local_aks.lifecycle import programs, service_files
from kubeflow_aks.local_aks.lifecycle.service_files import Endpoints
from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.tools import Tools
from tests.ci import workflows
from tests.local.commands import PATIENCE_SECONDS
from tests.local.engine.deployment import TODAY, Cluster

_SERVE: Final = """\
import subprocess, sys
from pathlib import Path
sys.path.append({root!r})
from kubeflow_aks.local_aks.engine import program
with program.served(Path.cwd()) as address:
    sys.exit(subprocess.run([{pulumi!r}, *sys.argv[1:], f"--client={{address}}"]).returncode)
"""
_COMMAND: Final = """\
#!/bin/sh
case "$1" in
  preview | up) if env | grep -q ^PULUMI_K8S_; then exec {python} {served} "$@"; fi ;;
  destroy) ;;
  *) exec {pulumi} "$@" ;;
esac
exec {pulumi} "$@" --client={address}
"""
"""The CLI as it is, but for its language host: that of `kubeflow_aks.local_aks.engine`.

One host serves all commands. One that runs the program with a variable that the SDK of Kubernetes reads has a host of
its own, which inherits it.
"""


@dataclass(frozen=True)
class Checkout:
    """One job's folder.

    Attributes:
        folder: the tree; nothing of the user's own is in it or changed.
        run: what the local AKS writes.
        environment: of every step.
    """

    folder: Path
    run: RunDirectory
    environment: Mapping[str, str]

    @property
    def azure(self) -> AzureState:
        """The simulated Azure."""
        return AzureState(self.run.azure)

    @property
    def temporary(self) -> Path:
        """`RUNNER_TEMP`."""
        return Path(self.environment["RUNNER_TEMP"])

    def step(self, workflow: str, job: str, step: str, **values: str) -> subprocess.CompletedProcess[str]:
        """One step of a workflow, by the commands in its YAML.

        Args:
            workflow: name of its file.
            job: key of the job.
            step: name of the step.
            values: what its own `env` and the job's have in place of expressions.
        """
        [definition] = [
            one for one in workflows.workflow(workflow)["jobs"][job]["steps"] if one.get("name") == step
        ]
        named = {**workflows.workflow(workflow)["jobs"][job].get("env", {}), **definition.get("env", {})}
        variables = {key: value for key, value in named.items() if "${{" not in str(value)}
        assert set(values) <= set(named)
        # As the runner does it: pipes count only where a step names the shell.
        shell = (
            ["bash", "--noprofile", "--norc", "-eo", "pipefail"] if "shell" in definition else ["bash", "-e"]
        )
        return self.shell([*shell, "-c", definition["run"]], **variables, **values)

    def shell(self, command: list[str], **values: str) -> subprocess.CompletedProcess[str]:
        """A command in the checkout."""
        return subprocess.run(
            command,
            cwd=self.folder,
            env={**self.environment, **values},
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_SECONDS,
        )

    def pulumi(self, *words: str) -> subprocess.CompletedProcess[str]:
        """A command of the CLI that must work."""
        done = self.shell(["pulumi", *words, "--non-interactive", "--color", "never"])
        assert done.returncode == 0, done.stdout + done.stderr
        return done

    def sign_in(self, stack: str) -> None:
        """Gives an existing stack the simulated Azure's token, as a secret."""
        done = subprocess.run(
            [
                "pulumi",
                "config",
                "set",
                "azure-native:clientSecret",
                "--secret",
                "--stack",
                stack,
                "--non-interactive",
            ],
            cwd=self.folder,
            env=self.environment,
            input=self.run.azure_token(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr

    def stacks(self) -> list[str]:
        """Names of the stacks in the backend."""
        return sorted(stack["name"] for stack in json.loads(self.pulumi("stack", "ls", "--json").stdout))

    def outputs(self) -> dict[str, str]:
        """What steps wrote for later ones."""
        lines = Path(self.environment["GITHUB_OUTPUT"]).read_text(encoding="utf-8").splitlines()
        return dict(line.split("=", 1) for line in lines)

    def configure(self, stack: str, **settings: Any) -> None:
        """Adds settings to a stack's file."""
        file = self.folder / f"Pulumi.{stack}.yaml"
        document = yaml.safe_load(file.read_text(encoding="utf-8"))
        document["config"].update({f"kubeflow-aks:{key}": value for key, value in settings.items()})
        file.write_text(yaml.safe_dump(document), encoding="utf-8")


def copied(tree: Path) -> Path:
    """A copy of this tree, uncommitted edits included, in which make finds the environment ready."""
    words = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(words, cwd=PROJECT_ROOT, capture_output=True, text=True, check=True)
    for name in listed.stdout.split("\0"):
        if name and (PROJECT_ROOT / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(PROJECT_ROOT / name, tree / name)
    for file in tree.glob("requirements*.txt"):
        os.utime(file, (0, 0))  # older than whatever was installed by them
    environment = tree / ".venv"
    environment.mkdir()
    for entry in Path(sys.prefix).iterdir():
        (environment / entry.name).symlink_to(entry)
    return tree


@contextmanager
def checked_out(
    folder: Path, tools: Tools, cluster: Cluster, *, switch: Switch | None = None
) -> Generator[Checkout]:
    """A checkout of this tree, uncommitted edits included, with both stand-ins in this process.

    Args:
        folder: for everything.
        tools: the programs to run.
        cluster: the session's.
        switch: stops and starts what a cluster consists of.
    """
    run = RunDirectory.at(folder / "run")
    tree = copied(folder / "tree")
    state, temporary, commands, home = (folder / name for name in ("state", "temporary", "bin", "home"))
    for made in (state, temporary, commands, home):
        made.mkdir()
    (home / "logs").touch()  # a file where the engine would make its folder: nobody reads them
    served, pulumi = folder / "served.py", str(tools["pulumi"])
    served.write_text(_SERVE.format(root=str(PROJECT_ROOT), pulumi=pulumi), encoding="utf-8")
    command = commands / "pulumi"
    azure = azure_native.serve(
        AzureState(run.azure),
        token=run.azure_token(),
        kubeconfig=cluster.kubeconfig.read_text,
        speed=float("inf"),
        today=lambda: TODAY,
        empty_cluster=cluster.erase,
        switch=switch,
    )
    inside = kubernetes.serve(servers=kubernetes.servers_of(cluster.kubeconfig))
    ports = Endpoints(azure.port, inside.port)
    service_files.write_endpoints(run, ports)
    environment = {
        **programs.with_az(run, os.environ),
        "PULUMI_BACKEND_URL": f"file://{state}?metadata=skip",
        "PULUMI_CONFIG_PASSPHRASE": run.passphrase(),
        "PULUMI_DEBUG_PROVIDERS": f"azure-native:{azure.port},kubernetes:{inside.port}",
        "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
        "PULUMI_HOME": str(home),
        "PULUMI_SKIP_UPDATE_CHECK": "true",
        "RUNNER_TEMP": str(temporary),
        "GITHUB_OUTPUT": str(temporary / "output"),
        "GITHUB_STEP_SUMMARY": str(temporary / "summary"),
    }
    environment["PATH"] = f"{commands}:{environment['PATH']}"
    made = Checkout(tree, run, environment)
    for stack in ("demo", "dev"):
        made.configure(stack, asOf=TODAY.isoformat())
    try:
        cluster.erase()
        with program.served(tree) as address:
            names = {"python": sys.executable, "served": served, "pulumi": pulumi, "address": address}
            command.write_text(_COMMAND.format(**names), encoding="utf-8")
            command.chmod(0o700)
            yield made
    finally:
        azure.stop()
        inside.stop()
        cluster.erase()
