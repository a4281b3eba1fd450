"""A stand-in for the `go` command, steered by files beside it."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

_PROGRAM = """#!{python} -IS
import json, os, pathlib, sys, time
here = pathlib.Path(__file__).parent
if sys.argv[1] == "env":
    print((here / "go.version").read_text())
    sys.exit()
if sys.argv[1] == "list":
    print(here / "module")
    sys.exit()
if sys.argv[1] == "mod":
    with (here / "go.calls").open("a") as calls:
        calls.write(sys.argv[-1] + "\\n")
    if (here / "refused").exists():
        print(json.dumps({{"Error": (here / "refused").read_text()}}))
        sys.exit(1)
    print(json.dumps({{"Dir": str(here / "module"), "Sum": (here / "sum").read_text()}}))
    sys.exit()
output, name = pathlib.Path(sys.argv[sys.argv.index("-o") + 1]), sys.argv[-1].rsplit("/", 1)[-1]
with (here / "go.calls").open("a") as calls:
    calls.write(f"{{pathlib.Path.cwd().name}} {{' '.join(sys.argv[1:])}}\\n")
(pathlib.Path(os.environ["GOCACHE"]) / name).touch()
if (here / f"slow.{{name}}").exists():
    (here / f"started.{{name}}").write_text(str(os.getpid()))
    time.sleep(float((here / f"slow.{{name}}").read_text()))
failure = here / f"fail.{{name}}"
if failure.exists():
    output.write_text("half a binary")
    print(failure.read_text(), file=sys.stderr)
    sys.exit(1)
output.write_text("#!/bin/sh\\n")
output.chmod(0o755)
"""


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
        """Puts a Go 1.26.0 that builds anything at once into `folder`."""
        program = folder / "go"
        program.write_text(_PROGRAM.format(python=sys.executable))
        program.chmod(0o755)
        fake = cls(folder)
        fake.reports("go1.26.0")
        return fake
