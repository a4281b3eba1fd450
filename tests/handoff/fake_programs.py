"""Stand-ins of `juju`, `kubectl` and `tofu` that keep what they were told in files, and note how they were called."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

_PROGRAM = """#!/usr/bin/env bash
set -u
state=$FAKE_STATE
program=$(basename "$0")
printf '%s %s\\n' "$program" "$*" >>"$state/calls"
first=$1
case $program in tofu | terraform) shift; first=$1 ;; esac
# A file `fail/<program>-<command>` makes a command fail with that text, as often as it has lines.
failing=$state/fail/$program-$first
if [ -s "$failing" ]; then
  head -n 1 "$failing" >&2
  sed -i 1d "$failing"
  exit 1
fi
if [ -e "$state/slow/$program-$first" ]; then sleep 60; fi
has() { [ -e "$state/$1" ]; }
put() { mkdir -p "$(dirname "$state/$1")" && printf '%s' "${2:-}" >"$state/$1"; }
drop() { rm -rf "${state:?}/$1"; }
"""
_JUJU = """
case $first in
  version) cat "$state/version" ;;
  show-cloud) has "clouds/$2" ;;
  add-cloud | add-k8s) put "clouds/$2" "$first" ;;
  update-k8s) has "clouds/$2" ;;
  show-credential) has "credentials/$2" ;;
  add-credential) has "clouds/$2" && put "credentials/$2" ;;
  update-credential) has "credentials/$2" ;;
  show-controller) has "controllers/$2" ;;
  bootstrap) has "credentials/$2" && put "controllers/$3" && put "namespaces/controller-$3" Active ;;
  switch) has "controllers/$2" && [ -z "${JUJU_CONTROLLER-}${JUJU_MODEL-}" ] && put current "$2" ;;
  show-model) has "models/${2#*:}" ;;
  destroy-model) drop "models/${2#*:}"; drop "namespaces/${2#*:}" ;;
  destroy-controller) drop "controllers/$2"; drop "namespaces/controller-$2" ;;
  remove-credential) drop "credentials/$2" ;;
  remove-cloud) drop "clouds/$2" ;;
  status)
    # Each call has the next of the prepared answers, and the last one for ever.
    cat "$state/status/$(ls "$state/status" | head -n 1)"
    if [ "$(ls "$state/status" | wc -l)" -gt 1 ]; then rm "$state/status/$(ls "$state/status" | head -n 1)"; fi ;;
  *) echo "no such command: $first" >&2; exit 2 ;;
esac
"""
_KUBECTL = """
shift 3  # --kubeconfig, its file, --request-timeout
case $1-$2 in
  get---raw) if [ -s "$state/unreachable" ]; then cat "$state/unreachable" >&2; exit 1; fi; echo '{}' ;;
  get-namespace) if has "namespaces/$3"; then cat "$state/namespaces/$3"; fi ;;
  get-events) if has events; then cat "$state/events"; fi ;;
  get-pods) if has pods; then cat "$state/pods"; fi ;;
  get-configmap) if has configmap; then cat "$state/configmap"; fi ;;
  logs-*) cat "$state/pod-log" ;;
  *) echo "no such command: $*" >&2; exit 2 ;;
esac
"""
_TOFU = """
case $1-${2:-} in
  init-*) mkdir -p "${DEPLOY:?}/.terraform" ;;
  workspace-select) if [ "$3" = -or-create ]; then put "workspaces/$4"; fi ;;
  workspace-list) echo "* default"; ls "$state/workspaces" 2>/dev/null | sed 's/^/  /' ;;
  workspace-delete) drop "workspaces/$4" ;;
  apply-*)
    grep -q . "$state/current" || exit 1
    put models/kubeflow
    put namespaces/kubeflow Active
    put password "${TF_VAR_dex_static_password-}" ;;
  *) echo "no such command: $*" >&2; exit 2 ;;
esac
"""
_CALLED_AS = {"juju": _JUJU, "kubectl": _KUBECTL, "tofu": _TOFU}

PASSWORD = "hunter2-hush"  # noqa: S105 - of nobody
_ASKS = {"version", "status", "list", "show-cloud", "show-credential", "show-controller", "show-model"}


def status(**applications: str) -> str:
    """What `juju status --format json` says of applications in these states."""
    found = {name: {"application-status": {"current": state}} for name, state in applications.items()}
    return json.dumps({"applications": found})


@dataclass(frozen=True)
class Fakes:
    """A hand-off's folder, and a machine with these programs on its PATH.

    Attributes:
        folder: of the hand-off.
        root: folder for everything else.
    """

    folder: Path
    root: Path

    @classmethod
    def installed(cls, folder: Path, root: Path) -> Fakes:
        """The programs in a new folder; Juju is of the right version and knows nothing yet."""
        fakes = cls(folder, root)
        for name in ("state/fail", "state/status", "bin", "deploy"):
            (root / name).mkdir(parents=True)
        for name, text in _CALLED_AS.items():
            program = root / "bin" / name
            program.write_text(_PROGRAM + text)
            program.chmod(0o700)
        for name in (
            "bash",
            "env",
            "cat",
            "grep",
            "tail",
            "head",
            "sed",
            "tee",
            "mkdir",
            "dirname",
            "basename",
            "ls",
        ):
            (root / "bin" / name).symlink_to(f"/usr/bin/{name}")
        for name in ("rm", "awk", "sleep", "wc"):
            (root / "bin" / name).symlink_to(f"/usr/bin/{name}")
        (root / "bin" / "python3").symlink_to(sys.executable)
        (root / "deploy" / "main.tf").touch()
        fakes.put("version", "3.6.9-ubuntu-amd64\n")
        fakes.put("status/1", status(minio="active", kfp_api="active"))
        return fakes

    def put(self, name: str, text: str = "") -> None:
        """Part of what the programs know."""
        path = self.root / "state" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)

    def has(self, name: str) -> bool:
        """Whether the programs know of it."""
        return (self.root / "state" / name).exists()

    def without(self, program: str) -> None:
        """Take a program away."""
        (self.root / "bin" / program).unlink()

    def fails(self, command: str, *texts: str) -> None:
        """Let a command, such as `juju-bootstrap`, fail once with each of these texts."""
        self.put(f"fail/{command}", "".join(f"{text}\n" for text in texts))

    def calls(self, *programs: str) -> list[str]:
        """What was called since the last question."""
        file = self.root / "state" / "calls"
        found = file.read_text().splitlines() if file.exists() else []
        file.unlink(missing_ok=True)
        return [line for line in found if not programs or line.split()[0] in programs]

    def changes(self) -> list[str]:
        """The commands that changed something, without their options."""
        chdir = f"-chdir={self.root / 'deploy'} "
        words = [line.replace(chdir, "").split() for line in self.calls("juju", "tofu")]
        return [" ".join(line[:2]) for line in words if not _ASKS.intersection(line[1:3])]

    def wait_for(self, call: str) -> None:
        """Until a program was called with words that begin so."""
        deadline = time.monotonic() + 30
        log = self.root / "state" / "calls"
        while not (log.exists() and f"\n{call}" in f"\n{log.read_text()}"):
            assert time.monotonic() < deadline, f"nobody called {call}"
            time.sleep(0.02)

    def _environment(self, changed: Mapping[str, str]) -> dict[str, str]:
        given = {
            "PATH": str(self.root / "bin"),
            "FAKE_STATE": str(self.root / "state"),
            "JUJU": "juju",
            "DEPLOY": str(self.root / "deploy"),
            "POLL_SECONDS": "0",
            "WAIT_MINUTES": "0",
            "TF_VAR_dex_static_username": "someone@example.org",
            "TF_VAR_dex_static_password": PASSWORD,
            **changed,
        }
        return {key: value for key, value in given.items() if value != "unset"}

    def run(self, script: str, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """One of the scripts; nobody answers its questions."""
        return subprocess.run(
            [str(self.folder / script), *options],
            env=self._environment(environment),
            cwd=os.sep,
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
            timeout=60,
        )

    @contextmanager
    def started(self, script: str, *options: str) -> Generator[subprocess.Popen[bytes]]:
        """One of the scripts while it runs, in a process group of its own."""
        with subprocess.Popen(
            [str(self.folder / script), *options],
            env=self._environment({}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        ) as process:
            try:
                yield process
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
