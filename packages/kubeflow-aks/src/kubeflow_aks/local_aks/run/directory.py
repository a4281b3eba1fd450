"""The folder that holds everything one local AKS writes: keys, state, logs, process ids. Removing it removes all."""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import secrets
import shutil
import stat
import tempfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kubeflow_aks.exit_codes import CommandError
from kubeflow_aks.local_aks.run import files
from kubeflow_aks.ownership import NotOurFolderError

if TYPE_CHECKING:
    from kubeflow_aks.local_aks.run.processes import PidFile

MARKER: Final = ".local-aks"
"""Marks a folder that a local AKS made and may remove; contains the folder's own path."""
_SECRET: Final = re.compile(r"[\w-]{43}", re.ASCII)
"""What `secrets.token_urlsafe(32)` makes."""
_SECRETS: Final = ("passphrase", "azure-token", "bearer-token")
_PASSPHRASE, _AZURE_TOKEN, _BEARER_TOKEN = _SECRETS
_AFTER_REMOVAL: Final = Path(__file__).with_name("removed")
"""Programs that refuse to run, for shells that outlive their run directory."""


class AlreadyInUseError(CommandError):
    """Another command works in the same run directory."""


@dataclass(frozen=True)
class RunDirectory:
    """One run's folder, by its absolute path; private to the user, for it holds a cluster administrator's key."""

    root: Path

    @classmethod
    def at(cls, root: Path) -> RunDirectory:
        """The run directory at `root`, made if nothing is there.

        Raises:
            NotOurFolderError: something else is.
        """
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not any(root.iterdir()) and not root.is_symlink():
            cls(root.resolve()).mark()
        return cls.existing(root)

    @classmethod
    def existing(cls, root: Path) -> RunDirectory:
        """The run directory that `at` made at `root`.

        Raises:
            NotOurFolderError: it is a link or in one, as `build/<stack>/local`; another user's, or something else.
        """
        run = cls(root.resolve())
        marker = run.root / MARKER
        try:
            folder, file = root.lstat(), marker.lstat()
            mine = folder.st_uid == file.st_uid == os.getuid()
            plain = stat.S_ISDIR(folder.st_mode) and stat.S_ISREG(file.st_mode)
            plain &= not any(parent.is_symlink() for parent in root.absolute().parents[:2])
            if mine and plain and marker.read_text(encoding="utf-8") == str(run.root):
                return run
        except (OSError, UnicodeDecodeError):
            pass
        raise NotOurFolderError(
            f"{root} was not made by the local AKS and is left alone; remove or move it yourself"
        )

    def mark(self) -> None:
        """Writes the marker, by which the folder is known as a local AKS's."""
        (self.root / MARKER).write_text(str(self.root), encoding="utf-8")

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

    def environment(self, base: Mapping[str, str]) -> dict[str, str]:
        """Variables for a client program of this cluster, on top of others.

        kubectl would keep what the API server can do in the user's home, a folder for each cluster.
        """
        return {**base, "KUBECONFIG": str(self.kubeconfig), "KUBECACHEDIR": str(self.kwok / "kubectl-cache")}

    def with_program(self, name: str, script: str, base: Mapping[str, str]) -> dict[str, str]:
        """Variables under which a program of this run's own is the first of its name, on top of others.

        Once the run directory is removed, one that refuses to run takes its place: not the machine's own.

        Args:
            name: what it is called by; there is one of that name in `removed`.
            script: its text; one that runs meanwhile is not disturbed.
            base: the others.
        """
        program = self.root / "bin" / name
        program.parent.mkdir(exist_ok=True)
        draft = program.with_suffix(f".{os.getpid()}")
        draft.write_text(script, encoding="utf-8")
        draft.chmod(0o700)
        draft.replace(program)
        first = f"{program.parent}{os.pathsep}{_AFTER_REMOVAL}{os.pathsep}"
        return {**base, "PATH": first + base.get("PATH", os.defpath).removeprefix(first)}

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
        from kubeflow_aks.local_aks.run.processes import PidFile  # noqa: PLC0415 - psutil doubles the start of `az`

        return PidFile(self.root / "pids" / f"{name}.pid", mark=str(self.root))

    def pid_files(self) -> list[PidFile]:
        """The pid files of every process that this run started; kwokctl keeps its own."""
        return [self.pid_file(path.stem) for path in sorted((self.root / "pids").glob("*.pid"))]

    @property
    def passphrase_file(self) -> Path:
        """Where `passphrase` is."""
        return self.root / _PASSPHRASE

    def passphrase(self) -> str:
        """The throw-away passphrase that the engine encrypts secrets with; made at first use."""
        return self._secret(_PASSPHRASE)

    def azure_token(self) -> str:
        """What a connection to the simulated Azure must bring to be answered; made at first use."""
        return self._secret(_AZURE_TOKEN)

    def bearer_token(self) -> str:
        """What `az` signs in to the simulated resource manager with; made at first use."""
        return self._secret(_BEARER_TOKEN)

    def _secret(self, name: str) -> str:
        """A random text in a file for its owner only, made at first use."""
        file = self.root / name
        if not file.exists():
            handle, draft = tempfile.mkstemp(dir=self.root, prefix=f".{name}.")
            with os.fdopen(handle, "w") as sink:
                sink.write(secrets.token_urlsafe(32))
            with suppress(FileExistsError):
                file.hardlink_to(draft)
            Path(draft).unlink()
        return files.read(file, _secret)

    def check_secrets(self) -> None:
        """Reads those that there are.

        Raises:
            DamagedFileError: one is damaged.
        """
        for name in _SECRETS:
            with suppress(FileNotFoundError):
                files.read(self.root / name, _secret)

    @property
    def azure_token_file(self) -> Path:
        """Where `azure_token` is."""
        return self.root / _AZURE_TOKEN

    @contextmanager
    def lock(self) -> Generator[None]:
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
        """Removes the folder and all in it; stop its processes first.

        Raises:
            OSError: something can't be removed; the folder is still known as ours.
        """
        shutil.rmtree(self.root, ignore_errors=True)
        if not self.root.exists():
            return
        try:
            shutil.rmtree(self.root)
        except OSError:
            with suppress(OSError):
                self.mark()
            raise


def _secret(text: str) -> str:
    """A secret as it was made; a ValueError for another text."""
    if not _SECRET.fullmatch(text):
        raise ValueError("no secret")
    return text
