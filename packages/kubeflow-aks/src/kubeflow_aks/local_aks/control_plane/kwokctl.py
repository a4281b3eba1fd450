"""A real Kubernetes control plane on this machine: etcd, kube-apiserver, -controller-manager and -scheduler, and kwok.

kwokctl makes certificates and starts the processes from our binaries. What differs from its defaults:

- only the API server has a port, on 127.0.0.1, and answers nobody without a credential; etcd listens on Unix sockets in
  the run directory, which is the user's alone; the others serve nothing;
- nodes and pods live by `stages/*.yaml`;
- etcd leaves it to the machine when data reaches the disk;
- scheduler and controller manager may ask the API server more often than 50 times a second and are not elected: there
  is one of each, and one that is too busy to renew its lease ends;
- a node without a heartbeat is given up after 50 s, the default of Kubernetes 1.34; kwokctl's is 40 s, times a
  heartbeat factor of 5;
- the API server has AKS's admission plugins.
"""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from kubeflow_aks.clients.kubernetes import kubeconfig
from kubeflow_aks.clients.kubernetes.api import ApiServer
from kubeflow_aks.clients.kubernetes.connection import Connection
from kubeflow_aks.clients.kubernetes.errors import KubeError, UnreachableError
from kubeflow_aks.exit_codes import CommandError
from kubeflow_aks.local_aks.run import files, processes
from kubeflow_aks.local_aks.run.directory import RunDirectory
from kubeflow_aks.local_aks.run.processes import PidFile
from kubeflow_aks.text.columns import cut
from kubeflow_aks.tools import Tools

COMPONENTS: Final = ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok-controller")
"""Names of the processes, in the order of their start."""

_PROGRAMS: Final = {name: "kwok" if name == "kwok-controller" else name for name in COMPONENTS}
"""File name of each one's program."""

STAGES: Final = Path(__file__).parent / "stages"
"""How nodes and pods live; kwok adds none of its own stages when one is given."""

_ETCD: Final = "unix://etcd.sock"
"""Where etcd serves the API server: a file in the folder that both work in. Its whole path could be longer than the 107
bytes that a socket may have."""
_ETCD_PEERS: Final = "unix://etcd-peers.sock"
_ADMISSION_PLUGINS: Final = ("ExtendedResourceToleration", "PodNodeSelector", "PodTolerationRestriction")
"""What AKS enables beyond Kubernetes' own defaults (docs/facts/aks.md#gpu-taint-and-admission-plugins; faq.yml)."""
_ADDED_ARGUMENTS: Final[Mapping[str, Mapping[str, str]]] = {
    "etcd": {"unsafe-no-fsync": "true"},
    "kube-apiserver": {
        "enable-admission-plugins": ",".join(_ADMISSION_PLUGINS),
        "anonymous-auth": "false",
    },
    "kube-controller-manager": {
        "kube-api-qps": "1000",
        "kube-api-burst": "2000",
        "leader-elect": "false",
    },
    "kube-scheduler": {"kube-api-qps": "1000", "kube-api-burst": "2000", "leader-elect": "false"},
}
_REPLACED_ARGUMENTS: Final[Mapping[str, Mapping[str, str]]] = {
    "etcd": {"listen-client-urls": _ETCD, "listen-peer-urls": _ETCD_PEERS},
    "kube-apiserver": {"etcd-servers": _ETCD},
    "kube-controller-manager": {"secure-port": "0"},
    "kube-scheduler": {"secure-port": "0"},
    "kwok-controller": {"server-address": "", "node-port": "0"},
}
"""Arguments that kwokctl gives, with our values; a port of 0 is none."""
_NODE_MONITOR_GRACE_MS: Final = 50_000
_NODE_LEASE_SECONDS: Final = 40
_RESPONSE_SECONDS: Final = 5.0
_ACCOUNT: Final = "/api/v1/namespaces/default/serviceaccounts/default"
_READY_SECONDS: Final = 240
"""Longer than a busy machine takes; one with two free cores takes 5 s."""
_POLL_SECONDS: Final = 0.2
_ATTEMPTS: Final = 3
_LOG_LINES: Final = 5
_LINE: Final = 400
"""Letters of a line that are shown."""
_PANIC: Final = re.compile(r'^panic: |"level":"(panic|fatal)"')
_NOT_HEALTHY: Final = "failed to wait for apiserver being healthy"
"""What the controller manager logs when it ends because the API server took longer than 10 s, as on a busy machine
(kubernetes/kubernetes v1.34.4, cmd/kube-controller-manager/app/controllermanager.go)."""


class ControlPlaneError(CommandError):
    """The control plane does not start; the text is meant for the user."""


class _PortTakenError(ControlPlaneError):
    pass


@dataclass(frozen=True)
class ControlPlane:
    """The control plane of one run directory; `report` takes lines for the user."""

    run: RunDirectory
    tools: Tools
    report: Callable[[str], None] = print

    def start(self) -> bool:
        """Starts what does not run, and waits until pods can be created; whether anything was started.

        Raises:
            ControlPlaneError: it does not start. Nothing is left of a new one; one that ran before is kept.
        """
        if self.running():
            return False
        if self.run.kubeconfig.exists() and self.run.kwok.exists():
            self._go_on()
            return True
        if self.run.kwok.exists():
            self.report("an earlier control plane was left half-started: clearing it away")
            self.stop()
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                self._create()
            except _PortTakenError:
                self.stop()
                if attempt == _ATTEMPTS:
                    raise
            except BaseException:  # Ctrl-C too: a half-started control plane helps nobody
                self.stop()
                raise
            else:
                break
        return True

    def stop(self) -> None:
        """Stops the processes of this run directory's control plane and removes its data."""
        stop(self.run)

    def running(self) -> bool:
        """Whether every process runs and the API server is ready to take pods, once it answers."""
        deadline = time.monotonic() + _READY_SECONDS
        while all(file.running() is not None for file in pid_files(self.run)):
            if self._ready():
                return True
            if time.monotonic() > deadline:
                break
            time.sleep(_POLL_SECONDS)
        return False

    def _create(self) -> None:
        self.run.kwok.mkdir(mode=0o700)
        config = self.run.kwok / "kwokctl.yaml"
        config.write_text(self._configuration())
        context = self.run.kwok / "context"
        self._kwokctl(
            "create",
            "cluster",
            "--config",
            config,
            "--kubeconfig",
            context,
            "--timeout",
            f"{_READY_SECONDS}s",
        )
        loaded = kubeconfig.inline_credential_files(kubeconfig.load(str(context)))
        files.write(self.run.kubeconfig, yaml.safe_dump(loaded))
        self._await_ready()

    def _go_on(self) -> None:
        """Starts the processes that ended; etcd has kept what was in the cluster."""
        ended = [name for name in COMPONENTS if component(self.run, name).running() is None]
        self.report(f"{', '.join(ended) or 'the control plane'} of this local AKS ended: starting again")
        try:
            self._start_ended()
            self._await_ready()
        except ControlPlaneError as error:
            raise ControlPlaneError(
                f"{error}\nwhat is in the cluster is kept; `./kubeflow-aks local down` removes it"
            ) from None

    def _start_ended(self) -> None:
        """Starts the processes that do not run; kwokctl leaves alone what does, which it knows by the bare id alone."""
        for name in COMPONENTS:
            file = component(self.run, name)
            if pid := file.running():
                files.write(file.path, str(pid))
            else:
                file.path.unlink(missing_ok=True)  # its id may be another process's by now
                processes.stop_unnoted(file.mark, {_PROGRAMS[name]})
        self._kwokctl("start", "cluster")

    def _await_ready(self) -> None:
        deadline = time.monotonic() + _READY_SECONDS
        while not self._ready():
            self._raise_if_one_died()
            if any(map(self._gave_up, COMPONENTS)):
                self._start_ended()
            if time.monotonic() > deadline:
                raise ControlPlaneError(
                    f"the control plane is not ready after {_READY_SECONDS} s\n{self._logs()}"
                )
            time.sleep(_POLL_SECONDS)

    def _configuration(self) -> str:
        """The configuration for kwokctl and all stages as one YAML stream."""
        options: dict[str, Any] = {
            "runtime": "binary",
            "bindAddress": "127.0.0.1",
            "etcdBinary": str(self.tools["etcd"]),
            "kubeApiserverBinary": str(self.tools["kube-apiserver"]),
            "kubeControllerManagerBinary": str(self.tools["kube-controller-manager"]),
            "kubeSchedulerBinary": str(self.tools["kube-scheduler"]),
            "kwokControllerBinary": str(self.tools["kwok"]),
            "kubectlBinary": str(self.tools["kubectl"]),
            "kubeApiserverPort": free_port(),
            "heartbeatFactor": 1,
            "nodeLeaseDurationSeconds": _NODE_LEASE_SECONDS,
            "kubeControllerManagerNodeMonitorGracePeriodMilliseconds": _NODE_MONITOR_GRACE_MS,
        }
        configuration = {
            "apiVersion": "config.kwok.x-k8s.io/v1alpha1",
            "kind": "KwokctlConfiguration",
            "options": options,
            "componentsPatches": [{"name": name, "extraArgs": list(_arguments(name))} for name in COMPONENTS],
        }
        stages = [stage.read_text() for stage in sorted(STAGES.glob("*.yaml"))]
        return "---\n".join((yaml.safe_dump(configuration), *stages))

    def _kwokctl(self, *arguments: str | Path) -> None:
        """Runs a kwokctl command; it would wait a minute for a component that has died already."""
        command = [self.tools["kwokctl"], "--name", self.run.name, *arguments]
        with (self.run.kwok / "kwokctl.log").open("w+") as log:
            with subprocess.Popen(command, env=self._environment(), stdout=log, stderr=log) as process:  # noqa: S603
                try:
                    while process.poll() is None:
                        self._raise_if_one_died()
                        time.sleep(_POLL_SECONDS)
                except BaseException:
                    process.kill()
                    raise
            self._raise_if_one_died()
            if process.returncode:
                log.seek(0)
                raise ControlPlaneError(f"kwokctl: {_reason(log.read())}")

    def _environment(self) -> dict[str, str]:
        """This process's environment, with folders of the run directory for what kwokctl and kubectl keep."""
        return {**self.run.environment(self.tools.environment()), "KWOK_WORKDIR": str(self.run.kwok)}

    def _ready(self) -> bool:
        """Whether pods can be created: they need the service account that the controller manager makes."""
        try:
            target = kubeconfig.active(kubeconfig.parse(administrator(self.run)))
            return bool(ApiServer(Connection(target, response_seconds=_RESPONSE_SECONDS)).read(_ACCOUNT))
        except (FileNotFoundError, KubeError):
            return False

    def _raise_if_one_died(self) -> None:
        for name in COMPONENTS:
            if not self._died(name) or self._gave_up(name):
                continue
            log = _last_lines(_log(self.run, name))
            if "address already in use" in log:
                raise _PortTakenError(f"a port that {name} needs was taken while it started:\n{log}")
            raise ControlPlaneError(f"{name} stopped as soon as it was started:\n{log}")

    def _died(self, name: str) -> bool:
        file = component(self.run, name)
        begun = file.path.exists() and file.path.read_text()  # kwokctl makes the file, then fills it
        return bool(begun) and file.running() is None

    def _gave_up(self, name: str) -> bool:
        """Whether a component ended because the API server took too long; on a node kubelet starts it again."""
        return self._died(name) and _NOT_HEALTHY in _last_lines(_log(self.run, name))

    def _logs(self) -> str:
        return "\n".join(f"{name}:\n{_last_lines(_log(self.run, name))}" for name in COMPONENTS)


def administrator(run: RunDirectory) -> str:
    """The administrator's kubeconfig.

    Raises:
        FileNotFoundError: there is none.
        DamagedFileError: it does not have all that a client needs.
    """
    return files.read(run.kubeconfig, _complete)


def _complete(text: str) -> str:
    """A kubeconfig with an address, an authority, a certificate and its key; a ValueError without."""
    try:
        target = kubeconfig.active(kubeconfig.parse(text))
        kubeconfig.tls(target)
        parts = [kubeconfig.pem(target.cluster, "certificate-authority"), str(target.cluster["server"])]
        parts += [kubeconfig.pem(target.user, key) for key in ("client-certificate", "client-key")]
    except UnreachableError as error:
        raise ValueError(str(error)) from None
    if not all(parts):
        raise ValueError("a part is missing")
    return text


def stop(run: RunDirectory) -> None:
    """Stops the control plane of a run directory and removes its data; needs no tools."""
    processes.stop_unnoted(str(run.kwok), {"kwokctl"})  # it would go on starting what is stopped here
    processes.stop(pid_files(run), patience=0)  # what they would tidy up is removed with the folder
    processes.stop_unnoted(
        str(run.kwok), _PROGRAMS.values()
    )  # kwokctl was stopped between a start and its note
    shutil.rmtree(run.kwok, ignore_errors=True)
    run.kubeconfig.unlink(missing_ok=True)


def component(run: RunDirectory, name: str) -> PidFile:
    """One of `COMPONENTS` of a run directory's control plane."""
    return pid_files(run)[COMPONENTS.index(name)]


def _arguments(component: str) -> Iterator[dict[str, Any]]:
    """A component's arguments beside or instead of kwokctl's, in the form of its `extraArgs`."""
    for key, value in _ADDED_ARGUMENTS.get(component, {}).items():
        yield {"key": key, "value": value}
    for key, value in _REPLACED_ARGUMENTS.get(component, {}).items():
        yield {"key": key, "value": value, "override": True}


def _cluster_folder(run: RunDirectory) -> Path:
    return run.kwok / "clusters" / run.name


def pid_files(run: RunDirectory) -> list[PidFile]:
    """The pid files that kwokctl writes; every component's command line names a file of its folder."""
    folder = _cluster_folder(run)
    return [PidFile(folder / "pids" / f"{name}.pid", mark=str(folder)) for name in COMPONENTS]


def log_file(run: RunDirectory, name: str) -> Path:
    """Where one of `COMPONENTS` logs."""
    return _cluster_folder(run) / "logs" / f"{name}.log"


def _log(run: RunDirectory, name: str) -> str:
    try:
        return log_file(run, name).read_text(errors="replace")
    except OSError:
        return ""


def _reason(log: str) -> str:
    """The error in the last line of kwokctl's log, which is JSON."""
    try:
        entry = json.loads(log.strip().splitlines()[-1])
    except (IndexError, ValueError):
        return _last_lines(log)
    return str(entry.get("err") or entry.get("msg")).strip()


def _last_lines(text: str) -> str:
    """The last lines of a log, or the first of what a program in Go prints when it panics, which has the reason."""
    lines = text.strip().splitlines()
    panics = (number for number, line in enumerate(lines) if _PANIC.search(line))
    first = next(panics, max(0, len(lines) - _LOG_LINES))
    return "\n".join(f"    {cut(line, _LINE)}" for line in lines[first : first + _LOG_LINES])


def free_port() -> int:
    """A free port on 127.0.0.1."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return server.getsockname()[1]
