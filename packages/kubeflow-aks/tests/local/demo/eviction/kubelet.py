"""What the kubelets of simulated nodes leave out: containers that are real processes, of this machine.

kwok only marks a pod as running; here its command runs. The process gets a kubelet's signals: SIGTERM when the pod is
being deleted, SIGKILL to it and its children when the grace period is over, and nothing at all when the VM is gone. How
it ended is reported as long as the VM is there.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tests.local.demo_stack import DemoStack, Object, Play
from tests.local_aks.simulation.metadata_service import MetadataService

LEFT_TO_US: Final = {"local-aks/stop-seconds": "600"}
"""Annotation of pods whose end kwok leaves to the kubelet here."""
METADATA: Final = "$(METADATA)"
"""Stands in a command for the address of the VM's metadata service, which is the same on every VM of Azure."""

_POLL_SECONDS: Final = 0.05


@dataclass
class Container:
    """A pod's process.

    Attributes:
        work: the pod's label of that name.
        node: where the pod is.
        log: file with the process's output.
        signals: what it was sent, in order.
        sigterm_at: simulated second of the SIGTERM.
        reported: whether its VM was there to tell how it ended.
    """

    work: str
    node: str
    log: Path
    process: subprocess.Popen[bytes]
    signals: list[signal.Signals] = field(default_factory=list[signal.Signals])
    sigterm_at: float | None = None
    reported: bool = False

    @property
    def log_lines(self) -> list[str]:
        """Its whole lines so far."""
        *whole, _ = self.log.read_text(encoding="utf-8").split("\n")
        return whole

    @property
    def runs(self) -> bool:
        """Whether it has not ended yet."""
        return self.process.poll() is None

    def stop(self) -> None:
        """SIGTERM goes to the container's first process."""
        self.signals.append(signal.SIGTERM)
        self.process.terminate()

    def kill(self) -> None:
        """SIGKILL goes to all of them; nothing happens where none runs."""
        if self.runs:
            self.signals.append(signal.SIGKILL)
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


class Kubelet:
    """The processes of one namespace's pods."""

    def __init__(
        self,
        demo: DemoStack,
        play: Play,
        namespace: str,
        folder: Path,
        variables: Callable[[str, int], Mapping[str, str]],
    ) -> None:
        """Nothing starts yet.

        Args:
            demo: the cluster.
            play: the simulation that its nodes live by.
            namespace: of the pods.
            folder: for what the processes say.
            variables: what stands for `$(NAME)` in the command of a piece of work, given its label and how many pods of
                it ran before.
        """
        self._demo = demo
        self._play = play
        self._namespace = namespace
        self._folder = folder
        self._variables = variables
        self._containers: dict[str, Container] = {}
        self._services: dict[str, str] = {}
        self._stack = ExitStack()

    def of(self, work: str) -> list[Container]:
        """The processes of a piece of work, the first one first."""
        return [container for container in list(self._containers.values()) if container.work == work]

    @contextmanager
    def running(self) -> Generator[None]:
        """Looks after the pods as long as the context lasts; afterwards no process is left."""
        stop = threading.Event()
        failed: list[BaseException] = []

        def look() -> None:
            try:
                while not stop.wait(_POLL_SECONDS):
                    with self._play.clock.held():
                        self._look()
            except BaseException as error:  # noqa: BLE001 - raised below, in the thread of the test
                failed.append(error)

        thread = threading.Thread(target=look, name="kubelet")
        with self._stack:
            thread.start()
            try:
                yield
            finally:
                stop.set()
                thread.join()
                for container in self._containers.values():
                    container.kill()
        if failed:
            raise failed[0]

    def _look(self) -> None:
        vms = {node["metadata"]["name"] for node in self._demo.cluster.nodes()}
        pods = {pod["metadata"]["uid"]: pod for pod in self._demo.pods(self._namespace)}
        for uid, pod in pods.items():
            begins = pod["status"].get("phase") == "Running" and "deletionTimestamp" not in pod["metadata"]
            if begins and uid not in self._containers and pod["spec"]["nodeName"] in vms:
                self._containers[uid] = self._start(pod)
        for uid, container in self._containers.items():
            self._look_after(container, pods.get(uid), is_there=container.node in vms)

    def _look_after(self, container: Container, pod: Object | None, *, is_there: bool) -> None:
        if container.reported:
            return
        if not container.runs:
            if is_there and pod:
                self._report(pod, container.process.returncode)
                container.reported = True
            return
        if pod is None or not is_there:
            container.kill()
        elif "deletionTimestamp" in pod["metadata"]:
            now = self._play.clock.now()
            if container.sigterm_at is None:
                container.sigterm_at = now
                container.stop()
            elif now - container.sigterm_at >= pod["metadata"]["deletionGracePeriodSeconds"]:
                container.kill()

    def _start(self, pod: Object) -> Container:
        node, work = pod["spec"]["nodeName"], pod["metadata"]["labels"]["work"]
        [spec] = pod["spec"]["containers"]
        replaced = {f"$({name})": value for name, value in self._variables(work, len(self.of(work))).items()}
        replaced |= {METADATA: self._metadata(node), **self._mounts(pod, spec)}
        command: list[str] = [sys.executable if word == "python" else word for word in spec["command"]]
        for old, new in replaced.items():
            command = [word.replace(old, new) for word in command]
        log = self._folder / f"{pod['metadata']['name']}.log"
        with log.open("w", encoding="utf-8") as output:
            process = subprocess.Popen(
                command, cwd=spec["workingDir"], stdout=output, stderr=output, start_new_session=True
            )
        return Container(work, node, log, process)

    def _metadata(self, node: str) -> str:
        if node not in self._services:
            service = MetadataService(node, self._play.journal)
            self._services[node] = self._stack.enter_context(service.serving())
        return self._services[node]

    def _mounts(self, pod: Object, container: Object) -> dict[str, str]:
        """Folders of this machine by the paths where the container has them."""
        claims = {
            volume["name"]: volume["persistentVolumeClaim"]["claimName"]
            for volume in pod["spec"].get("volumes", [])
            if "persistentVolumeClaim" in volume
        }
        return {
            mount["mountPath"]: self._folder_of(claims[mount["name"]])
            for mount in container.get("volumeMounts", [])
            if mount["name"] in claims
        }

    def _folder_of(self, claim: str) -> str:
        bound = self._demo.kubectl.get("persistentvolumeclaim", claim, "--namespace", self._namespace)
        volume = self._demo.kubectl.get("persistentvolume", bound["spec"]["volumeName"])
        return volume["spec"]["hostPath"]["path"]

    def _report(self, pod: Object, code: int) -> None:
        """As the kubelet does: a process that a signal ended has 128 and the signal's number."""
        [container] = pod["status"]["containerStatuses"]
        ended = {
            "exitCode": code if code >= 0 else 128 - code,
            "reason": "Error" if code else "Completed",
            "startedAt": container["state"]["running"]["startedAt"],
        }
        status = {
            "phase": "Failed" if code else "Succeeded",
            "containerStatuses": [
                {**container, "ready": False, "started": False, "state": {"terminated": ended}}
            ],
        }
        self._demo.kubectl.run(
            *("patch", "pod", pod["metadata"]["name"], "--namespace", self._namespace),
            *("--subresource", "status", "--type", "merge", "--patch", json.dumps({"status": status})),
        )
