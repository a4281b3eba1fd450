"""Stand-ins of `juju`, `kubectl` and `tofu` that keep their state in files, and note how they were called.

What `juju` answers is a recording of the real client, with its exit code (`recorded_juju`). Only what a living
controller answers is not: `models`, `status`, `deploy`, `config`, `destroy-model` and `destroy-controller` follow the
client's source (juju/juju at 3cabf69373cf, cmd/juju/controller/listmodels.go and the folder cmd/juju/application).
"""

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
from typing import Any

import psutil

from tests.handoff import recorded_juju

_PROGRAM = """#!/usr/bin/env bash
set -u
state=$FAKE_STATE
program=${0##*/}
call="$program $*"
first=$1
case $program in tofu | terraform) shift; first=$1 ;; esac
# The one that goes to the controller has a name of its own.
case "$*" in update-credential*--controller*) first=update-credential-controller ;; esac
# As the real ones do: a signal begins the clean-up, a second one ends it. Whoever reads the call may send one.
cleaning=$state/cleans-up/$program-$first
if [ -e "$cleaning" ]; then
  trap 'echo INT >>"$state/signals"; [ -s "$cleaning" ] || exit 1' INT
  trap 'echo TERM >>"$state/signals"; exit 1' TERM
fi
printf '%s\\n' "$call" >>"$state/calls"
# A file `fail/<program>-<command>` makes a command fail with that text, as often as it has lines.
failing=$state/fail/$program-$first
if [ -s "$failing" ]; then
  head -n 1 "$failing" >&2
  sed -i 1d "$failing"
  exit 1
fi
if [ -e "$state/slow/$program-$first" ]; then exec sleep 60; fi
while [ -e "$cleaning" ]; do sleep 0.05; done
has() { [ -e "$state/$1" ]; }
put() { mkdir -p "$(dirname "$state/$1")" && printf '%s' "${2:-}" >"$state/$1"; }
drop() { rm -rf "${state:?}/$1"; }
controller_id=11111111-2222-4333-8444-555555555555
cloud=$(<"$state/recorded/cloud")
"""
_JUJU = """
recorded() {
  cat "$state/recorded/$1.out"
  cat "$state/recorded/$1.err" >&2
  exit "$(<"$state/recorded/$1.code")"
}
# By what is known: the recording of a name, or that of its absence.
recorded_if() { if has "$1"; then recorded "$2"; else recorded "$3"; fi; }
changed() { "$@"; recorded "$first"; }
case $first in
  version) if has version; then cat "$state/version"; else recorded version; fi ;;
  clouds) recorded_if "clouds/$cloud" clouds clouds-none ;;
  credentials) recorded_if "credentials/$cloud" credentials credentials-none ;;
  controllers)
    case $(cat "$state/controllers/$cloud-controller" 2>/dev/null) in
      '') recorded controllers-none ;;
      half-made) recorded controllers-half-made ;;
      *) recorded controllers ;;
    esac ;;
  add-cloud) if has "clouds/$2"; then recorded add-cloud-again; fi; changed put "clouds/$2" ;;
  add-k8s) put "clouds/$2" && put "credentials/$2" ;;
  update-k8s) put "clouds/$2"; recorded update-k8s ;;
  add-credential) changed put "credentials/$2" ;;
  update-credential*) recorded_if "credentials/$2" update-credential update-credential-none ;;
  bootstrap)
    if has "controllers/$3"; then recorded bootstrap-half-made; fi
    if has "namespaces/controller-$3"; then recorded bootstrap-namespace-there; fi
    if ! has "credentials/$2"; then recorded bootstrap-no-credential; fi
    put "controllers/$3" living && put "namespaces/controller-$3" "Active id $controller_id"
    case " $* " in *" --no-switch "*) ;; *) put current "$3" ;; esac ;;
  unregister) if ! has "controllers/$2"; then recorded unregister-none; fi; changed drop "controllers/$2" ;;
  models)
    if [ "$(<"$state/controllers/$3")" = half-made ]; then recorded models-half-made; fi
    if has silent; then echo '{}'; echo 'ERROR open connection timed out' >&2; exit 1; fi
    if has models/kubeflow; then kubeflow='{"name": "admin/kubeflow", "short-name": "kubeflow"}, '; fi
    echo "{\\"models\\": [${kubeflow-}{\\"name\\": \\"admin/controller\\", \\"short-name\\": \\"controller\\"}]}" ;;
  destroy-model) drop "models/${2#*:}"; drop "namespaces/${2#*:}" ;;
  destroy-controller) drop "controllers/$2"; drop "namespaces/controller-$2" ;;
  remove-credential) changed drop "credentials/$2" ;;
  remove-cloud) if ! has "clouds/$2"; then recorded remove-cloud-none; fi; changed drop "clouds/$2" ;;
  status)
    # Each call has the next of the prepared answers, and the last one for ever.
    cat "$state/status/$(ls "$state/status" | head -n 1)"
    if [ "$(ls "$state/status" | wc -l)" -gt 1 ]; then rm "$state/status/$(ls "$state/status" | head -n 1)"; fi ;;
  refresh) ;;
  deploy)
    if has "charms/$2"; then echo "ERROR cannot add application \\"$2\\": application already exists" >&2; exit 1; fi
    put "charms/$2" "$(cat "${9#settings_yaml=@}")" ;;
  config)
    if ! has "charms/$4"; then echo "ERROR application \\"$4\\" not found" >&2; exit 1; fi
    if [ "$5" = --format ]; then
      python3 -c 'import json, sys; print(json.dumps({"settings": {"settings_yaml": {"value": sys.stdin.read()}}}))' \\
        <"$state/charms/$4"
    elif ! has "keeps-settings"; then
      put "charms/$4" "$(cat "${5#settings_yaml=@}")"
    fi ;;
  *) echo "no such command: $first" >&2; exit 2 ;;
esac
"""
_KUBECTL = """
[ -f "$KUBECONFIG" ] || exit 2
case $1 in --request-timeout=*) shift ;; esac
case $1-$2 in
  get---raw) if [ -s "$state/unreachable" ]; then cat "$state/unreachable" >&2; exit 1; fi; echo '{}' ;;
  get-namespace) if has "namespaces/$3"; then cat "$state/namespaces/$3"; fi ;;
  label-namespace) case $4 in *=*) put "labels/$3" "$4" ;; *) drop "labels/$3" ;; esac ;;
  delete-mutatingwebhookconfiguration) drop "webhooks/$3" ;;
  delete-namespace) drop "namespaces/$3" ;;
  wait---for=delete) if has "gone-in-time"; then drop "$(printf '%s' "$3" | sed s/^namespace/namespaces/)"; fi ;;
  get-statefulset) if has replicas; then cat "$state/replicas"; fi ;;
  get-persistentvolumeclaims) printf 'a Bound\nb Bound\n' ;;
  get-events) if has events; then cat "$state/events"; fi ;;
  get-pods) if has pods; then cat "$state/pods"; fi ;;
  get-configmap) if has configmap; then cat "$state/configmap"; fi ;;
  logs-*) cat "$state/pod-log" ;;
  *) echo "no such command: $*" >&2; exit 2 ;;
esac
"""
_TOFU = """
data=${DEPLOY:?}/${TF_DATA_DIR:-.terraform}
workspace=${TF_WORKSPACE:-$(cat "$data/environment" 2>/dev/null || echo default)}
case $1-${2:-} in
  init-*) mkdir -p "$data" ;;
  workspace-select)
    name=$3
    if [ "$3" = -or-create ]; then name=$4 && put "workspaces/$4"; fi
    mkdir -p "$data" && printf '%s' "$name" >"$data/environment" ;;
  workspace-list) echo "* default"; ls "$state/workspaces" 2>/dev/null | sed 's/^/  /' ;;
  workspace-delete) [ "$workspace" != "$4" ] && drop "workspaces/$4" ;;
  apply-*)
    controller=${JUJU_CONTROLLER_ADDRESSES:-${JUJU_CONTROLLER:-$(cat "$state/current")}}
    echo "$workspace $controller" >>"$state/applied"
    put models/kubeflow
    put namespaces/kubeflow "Active id $controller_id"
    put password "${TF_VAR_dex_static_password-}" ;;
  *) echo "no such command: $*" >&2; exit 2 ;;
esac
"""
_CALLED_AS = {"juju": _JUJU, "kubectl": _KUBECTL, "tofu": _TOFU}

PASSWORD = "hunter2-hush"  # noqa: S105 - of nobody
OWN = "11111111-2222-4333-8444-555555555555"
"""Id of the controller that this machine's Juju knows."""
_ASKS = {"version", "status", "list", "clouds", "credentials", "controllers", "models"}


def status(**applications: str) -> str:
    """What `juju status --format json` says of applications in these states."""
    states = {name: {"application-status": {"current": state}} for name, state in applications.items()}
    return json.dumps({"applications": states})


def charms(**revisions: tuple[str, str, int]) -> str:
    """What it says of active applications, each with its charm, channel and revision."""
    listed = {
        name.replace("_", "-"): {
            "application-status": {"current": "active"},
            "charm-name": charm,
            "charm-channel": channel,
            "charm-rev": revision,
        }
        for name, (charm, channel, revision) in revisions.items()
    }
    return json.dumps({"applications": listed})


def _cloud(folder: Path) -> str:
    """What a hand-off calls the cluster."""
    names = (folder / "names.sh").read_text(encoding="utf-8")
    return next(line for line in names.splitlines() if line.startswith("CLOUD=")).removeprefix("CLOUD=")


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
        (root / "deploy" / "versions.tf").touch()
        recorded_juju.install(root / "state" / "recorded", _cloud(folder))
        fakes.put("status/1", status(minio="active", kfp_api="active"))
        return fakes

    def beside(self, other: Fakes) -> Fakes:
        """The same for another hand-off of this machine: one Juju, one Terraform root, a cluster of its own."""
        for name in ("clouds", "controllers", "credentials", "workspaces"):
            (other.root / "state" / name).mkdir()
        for name in ("clouds", "controllers", "credentials", "workspaces", "applied", "current"):
            (self.root / "state" / name).symlink_to(other.root / "state" / name)
        (self.root / "deploy" / "versions.tf").unlink()
        (self.root / "deploy").rmdir()
        (self.root / "deploy").symlink_to(other.root / "deploy")
        return self

    def put(self, name: str, text: str = "") -> None:
        """Part of what the programs know."""
        path = self.root / "state" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)

    def with_real(self, program: Path) -> Path:
        """Puts the real program of that name on the PATH; returns the stand-in, which is not on it any more."""
        name = program.name
        aside = self.root / "aside" / name
        aside.parent.mkdir(exist_ok=True)
        (self.root / "bin" / name).rename(aside)
        (self.root / "bin" / name).symlink_to(program)
        return aside

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
        lines = file.read_text().splitlines() if file.exists() else []
        file.unlink(missing_ok=True)
        return [line for line in lines if not programs or line.split()[0] in programs]

    def changes(self) -> list[str]:
        """The commands that changed something, without their options."""
        chdir = f"-chdir={self.root / 'deploy'} "
        words = [line.replace(chdir, "").split() for line in self.calls("juju", "tofu")]
        return [" ".join(line[:2]) for line in words if not _ASKS.intersection(line[1:3])]

    def wait_for(self, call: str) -> None:
        """Until a program was called with words that begin so."""
        deadline = time.monotonic() + 120
        log = self.root / "state" / "calls"
        while not (log.exists() and f"\n{call}" in f"\n{log.read_text()}"):
            assert time.monotonic() < deadline, f"nobody called {call}"
            time.sleep(0.02)

    def _environment(self, changed: Mapping[str, str]) -> dict[str, str]:
        variables = {
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
        return {key: value for key, value in variables.items() if value != "unset"}

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
            timeout=300,
        )

    @contextmanager
    def started(self, script: str, *options: str, **environment: str) -> Generator[subprocess.Popen[bytes]]:
        """One of the scripts while it runs, in a process group of its own."""
        with subprocess.Popen(
            [str(self.folder / script), *options],
            env=self._environment(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        ) as process:
            try:
                yield process
            finally:
                end(process)


def end(script: subprocess.Popen[Any]) -> None:
    """Ends a script and the programs that it runs, which have sessions of their own."""
    with suppress(psutil.NoSuchProcess):
        for child in psutil.Process(script.pid).children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                child.kill()
    with suppress(ProcessLookupError):
        os.killpg(script.pid, signal.SIGKILL)
    script.wait()
