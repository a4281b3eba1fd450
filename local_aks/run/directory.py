"""The folder that holds everything one local AKS writes: keys, state, logs, process ids. Removing it removes all."""

from __future__ import annotations

import fcntl
import hashlib
import os
import secrets
import shutil
import tempfile
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from local_aks.run.processes import PidFile


class AlreadyInUseError(Exception):
    """Another command works in the same run directory."""


@dataclass(frozen=True)
class RunDirectory:
    """One run's folder; it is private to the user, for it holds a cluster administrator's key.

    Attributes:
        root: absolute path.
    """

    root: Path

    @classmethod
    def at(cls, root: Path) -> RunDirectory:
        """The run directory at `root`, made if it is not there."""
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        return cls(root.resolve())

    @property
    def name(self) -> str:
        """A name of its own for what this run starts."""
        return f"local-aks-{hashlib.sha256(str(self.root).encode()).hexdigest()[:8]}"

    @property
    def kwok(self) -> Path:
        """What kwokctl keeps: certificates, etcd's data, logs."""
        return self.root / "kwok"

    @property
    def kubeconfig(self) -> Path:
        """The administrator's kubeconfig, complete in itself."""
        return self.root / "kubeconfig"

    @property
    def pulumi_home(self) -> Path:
        """The engine's own settings and plugins."""
        return self.root / "pulumi" / "home"

    @property
    def pulumi_state(self) -> Path:
        """The engine's file backend."""
        return self.root / "pulumi" / "state"

    @property
    def pulumi_workspace(self) -> Path:
        """Project and stack settings of the engine's own."""
        return self.root / "pulumi" / "workspace"

    @property
    def azure(self) -> Path:
        """What exists in the simulated Azure."""
        return self.root / "azure"

    def log(self, name: str) -> Path:
        """The log file of a process that this run starts."""
        folder = self.root / "logs"
        folder.mkdir(exist_ok=True)
        return folder / f"{name}.log"

    def pid_file(self, name: str) -> PidFile:
        """The pid file of a process whose command line names this folder."""
        return PidFile(self.root / "pids" / f"{name}.pid", mark=str(self.root))

    def pid_files(self) -> list[PidFile]:
        """The pid files of every process that this run started; kwokctl keeps its own."""
        return [self.pid_file(path.stem) for path in sorted((self.root / "pids").glob("*.pid"))]

    def passphrase(self) -> str:
        """The throw-away passphrase that the engine encrypts secrets with; made at first use."""
        return self._secret("passphrase")

    def azure_token(self) -> str:
        """What a connection to the simulated Azure must bring to be answered; made at first use."""
        return self._secret("azure-token")

    def _secret(self, name: str) -> str:
        """A random text that stays the same, in a file for its owner only; whoever asks first, makes it."""
        file = self.root / name
        if not file.exists():
            handle, draft = tempfile.mkstemp(dir=self.root, prefix=f".{name}.")
            with os.fdopen(handle, "w") as sink:
                sink.write(secrets.token_urlsafe(32))
            with suppress(FileExistsError):
                file.hardlink_to(draft)
            Path(draft).unlink()
        return file.read_text()

    @contextmanager
    def claim(self) -> Generator[None]:
        """Keeps other commands out of this folder; ends with the process.

        Raises:
            AlreadyInUseError: another command is in it.
        """
        with (self.root / "lock").open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise AlreadyInUseError(f"another local AKS command is running in {self.root}") from None
            yield

    def remove(self) -> None:
        """Removes the folder and all in it; stop its processes first."""
        shutil.rmtree(self.root, ignore_errors=True)
