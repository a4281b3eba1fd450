"""A machine that the scripts run on: a real `kubectl`, and stand-ins of the rest or the real Juju."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tests.handoff.fake_programs import end

_PATIENCE_SECONDS: Final = 600


@dataclass
class Running:
    """A script at work.

    Attributes:
        process: the script, leader of a process group of its own.
        printed: what it printed so far, standard error with it.
        closed: whether that is all.
    """

    process: subprocess.Popen[str]
    printed: list[str] = field(default_factory=list[str])
    closed: bool = False

    def wait_for(self, text: str) -> None:
        """Until it printed a text."""
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while text not in self.output:
            assert not self.closed or text in self.output, self.output
            assert time.monotonic() < deadline, self.output
            time.sleep(0.02)

    def signal(self, number: signal.Signals, *, everybody: bool) -> int:
        """Its exit code after a signal to its group, as of a terminal, or to it alone, as of a CI."""
        (os.killpg if everybody else os.kill)(self.process.pid, number)
        return self.process.wait(timeout=_PATIENCE_SECONDS)

    @property
    def output(self) -> str:
        """All that it printed so far."""
        return "".join(self.printed)

    def read(self) -> None:
        """Keeps what it prints until it has ended."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.printed.append(line)
        self.closed = True


@dataclass(frozen=True)
class Machine:
    """The hand-off's folder, the real client with data of its own, and no answers to questions.

    Attributes:
        handed: the folder.
        home: for all that the programs write.
        juju: the client.
        kubectl: kubectl.
    """

    handed: Path
    home: Path
    juju: Path
    kubectl: Path

    @property
    def environment(self) -> dict[str, str]:
        """What the scripts start with."""
        inherited = {key: value for key, value in os.environ.items() if not key.startswith(("JUJU", "TF_"))}
        return {
            **inherited,
            "PATH": os.pathsep.join((str(self.kubectl.parent), os.environ["PATH"])),
            "JUJU": str(self.juju),
            "JUJU_DATA": str(self.home / "juju"),
            "KUBECACHEDIR": str(self.home / "kubectl"),
        }

    def ask(self, *words: str) -> subprocess.CompletedProcess[str]:
        """A command of Juju's."""
        environment = self.environment | {"KUBECONFIG": str(self.handed / "kubeconfig")}
        return subprocess.run(
            [self.juju, *words],
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=_PATIENCE_SECONDS,
        )

    def run(self, script: str, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """A script to its end."""
        return subprocess.run(
            [self.handed / script, *options],
            env=self.environment | environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=_PATIENCE_SECONDS,
        )

    @contextmanager
    def started(self, script: str, *options: str) -> Generator[Running]:
        """A script while it runs; nothing of it is left."""
        with subprocess.Popen(
            [self.handed / script, *options],
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        ) as process:
            running = Running(process)
            reader = threading.Thread(target=running.read, daemon=True)
            reader.start()
            try:
                yield running
            finally:
                end(process)
                reader.join(timeout=_PATIENCE_SECONDS)
