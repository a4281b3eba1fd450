"""A stand-in for the `go` command, steered by files beside it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

_PROGRAM: Final = """#!/bin/sh
here=${0%/*}
for last; do :; done
case $1 in
env)
  read -r version < "$here/go.version"
  echo "$version"
  exit ;;
list)
  echo "$here/module"
  exit ;;
mod)
  echo "$last" >> "$here/go.calls"
  if [ -e "$here/refused" ]; then
    read -r error < "$here/refused"
    echo "{\\"Error\\": \\"$error\\"}"
    exit 1
  fi
  read -r sum < "$here/sum"
  echo "{\\"Dir\\": \\"$here/module\\", \\"Sum\\": \\"$sum\\"}"
  exit ;;
esac
name=${last##*/}
echo "${PWD##*/} $*" >> "$here/go.calls"
while [ "$1" != -o ]; do shift; done
output=$2
: > "$GOCACHE/$name"
if [ -e "$here/slow.$name" ]; then
  echo $$ > "$here/started.$name"
  read -r seconds < "$here/slow.$name"
  /bin/sleep "$seconds"
fi
if [ -e "$here/fail.$name" ]; then
  echo "half a binary" > "$output"
  /bin/cat "$here/fail.$name" >&2
  exit 1
fi
echo "#!/bin/sh" > "$output"
/bin/chmod 755 "$output"
"""
"""In sh, which starts ten times as fast as Python; on PATH is nothing else."""


@dataclass(frozen=True)
class FakeGo:
    """Steers the stand-in by files beside it."""

    folder: Path

    def reports(self, version: str) -> None:
        """Makes `go env GOVERSION` answer this."""
        (self.folder / "go.version").write_text(version)

    def fails_on(self, package: str, output: str) -> None:
        """Makes the build of a package (its last element) print this and fail."""
        (self.folder / f"fail.{package}").write_text(output)

    def succeeds_on(self, package: str) -> None:
        """Takes a failure back."""
        (self.folder / f"fail.{package}").unlink()

    def hangs_on(self, package: str, seconds: float = 60) -> None:
        """Makes the build of a package take that long."""
        (self.folder / f"slow.{package}").write_text(str(seconds))

    def started(self, package: str) -> Path:
        """The file, holding the process id, that appears once a hanging build runs."""
        return self.folder / f"started.{package}"

    def has_module_file(self, path: str, text: str) -> None:
        """Puts a file into the folder that every package's module is in."""
        file = self.folder / "module" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(0o444)  # as in the module cache

    def serves_modules(self, digest: str) -> None:
        """Makes the download of any module give the folder with the module's files, and this hash."""
        (self.folder / "sum").write_text(digest)

    def serves_no_modules(self, error: str) -> None:
        """Makes the download of any module fail."""
        (self.folder / "refused").write_text(error)

    def calls(self) -> list[str]:
        """One line per build: the folder it ran in and its arguments; per download: the module."""
        log = self.folder / "go.calls"
        return log.read_text().splitlines() if log.exists() else []

    @classmethod
    def install(cls, folder: Path) -> FakeGo:
        """Puts a Go 1.26.6 that builds anything at once into `folder`."""
        program = folder / "go"
        program.write_text(_PROGRAM)
        program.chmod(0o755)
        fake = cls(folder)
        fake.reports("go1.26.6")
        return fake
