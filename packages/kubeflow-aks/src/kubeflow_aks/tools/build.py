"""Builds the tools that are missing: groups side by side, each binary whole or not at all, one builder at a time."""

import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final

from kubeflow_aks.tools import golang, released
from kubeflow_aks.tools.errors import explain
from kubeflow_aks.tools.installed import install, locate, manifests_folder, note_use, remove_unused
from kubeflow_aks.tools.manifest import Tool
from kubeflow_aks.tools.places import SOURCE, build_cache, cache

Report = Callable[[str], None]

_REMOVABLE: Final = "-modcacherw"
"""Modules are unpacked so that they can be removed again."""
_POLL_SECONDS: Final = 0.02
_REPORT_SECONDS: Final = 60.0
_SIGNAL_SECONDS: Final = 0.5
"""A signal that comes just before a wait is noticed when that ends."""


def build(tools: Sequence[Tool], *, jobs: int, report: Report, download: bool = False) -> None:
    """Builds what is missing; what is finished stays finished, whatever happens to the rest.

    What Go downloads and compiles on the way (about 12 GB) is removed when all is built; after a build that failed it
    stays, so that the next one goes on from there.

    Args:
        tools: the tools to have in the end.
        jobs: how many builds run side by side; tools of one group share packages, so they follow one another.
        report: takes progress lines.
        download: whether to take first what the projects release and the repository has checksums of.

    Raises:
        UsageError: the mirror to download from is not an address by https.
        BuildError: one of them cannot be built or downloaded.
    """
    if all(locate(tool) for tool in tools):
        return
    cache().mkdir(parents=True, exist_ok=True)
    with only_builder(cache() / "lock", report):
        missing = [tool for tool in tools if locate(tool) is None]  # another builder may have made some
        if not missing:
            return
        with _scratch(cache()) as scratch:
            if download:
                missing = released.get(missing, scratch, report)
            if missing:
                go = golang.find_or_install(report)
                golang.make_caches()
                _Builder(go, scratch, report, steps=len(missing)).run(missing, jobs)
        note_use(tools)
        shutil.rmtree(build_cache(), ignore_errors=True)
        for unused in remove_unused():
            report(f"removed tools that nobody has used for a month: {unused}")


@dataclass
class _Builder:
    go: Path
    scratch: Path
    report: Report
    steps: int
    started: int = 0
    stopping: threading.Event = field(default_factory=threading.Event)
    counting: threading.Lock = field(default_factory=threading.Lock)

    def run(self, tools: Sequence[Tool], jobs: int) -> None:
        groups: dict[str, list[Tool]] = defaultdict(list)
        for tool in tools:
            groups[tool.group].append(tool)
        with ThreadPoolExecutor(jobs) as pool:
            try:
                going_on = {pool.submit(self._build_group, group) for group in groups.values()}
                while going_on:
                    done, going_on = wait(going_on, _SIGNAL_SECONDS, FIRST_EXCEPTION)
                    for future in done:
                        future.result()
            finally:
                self.stopping.set()

    def _build_group(self, tools: Sequence[Tool]) -> None:
        for tool in tools:
            if not self.stopping.is_set():
                self._build(tool)

    def _build(self, tool: Tool) -> None:
        with self.counting:
            self.started += 1
            step = f"step {self.started} of {self.steps}  {tool}"
        self.report(f"{step}  building, expected {_minutes(tool.minutes * 60)}")
        begun = time.monotonic()
        unfinished = self.scratch / tool.name
        with (self.scratch / f"{tool.name}.log").open("w+") as log:
            code = self._wait(self._start(tool, unfinished, log), step, tool, begun)
            if self.stopping.is_set() and code:
                return
            if code:
                log.seek(0)
                raise explain(tool, log.read())
        if tool.manifests:
            self._keep_manifests(tool)
        install(tool, unfinished)
        self.report(f"{step}  built in {_minutes(time.monotonic() - begun)}")

    def _keep_manifests(self, tool: Tool) -> None:
        """Copies them before the binary is in its place, so that whoever finds it has them too."""
        query = (
            ("-m", "-f", "{{.Dir}}", tool.module) if tool.module else ("-f", "{{.Module.Dir}}", tool.package)
        )
        command = [self.go, "list", "-mod=readonly", _REMOVABLE, *query]
        answer = subprocess.run(  # noqa: S603 - go, with arguments from the manifest
            command,
            cwd=SOURCE / tool.group,
            env=golang.environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        if answer.returncode:
            raise explain(tool, answer.stderr)
        files: list[Path] = []
        for pattern in tool.manifests.split():
            matching = list(Path(answer.stdout.strip()).glob(pattern))
            if not matching:
                raise explain(tool, f"its module has no {pattern}")
            files += matching
        folder = manifests_folder(tool)
        folder.mkdir(parents=True, exist_ok=True)
        for file in files:
            shutil.copyfile(file, folder / file.name)  # without its mode: the module cache is read-only

    def _start(self, tool: Tool, output: Path, log: IO[str]) -> subprocess.Popen[str]:
        command = [self.go, "build", *tool.build_flags, _REMOVABLE, "-o", output, tool.package]
        return subprocess.Popen(  # noqa: S603 - go, with arguments from the manifest
            command,
            cwd=SOURCE / tool.group,
            env=golang.environment(),
            stdout=log,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,  # so that one signal reaches the compilers too
        )

    def _wait(self, process: subprocess.Popen[str], step: str, tool: Tool, begun: float) -> int:
        """Waits for one build and reports every minute that it runs; stops it when another has failed."""
        due = begun + _REPORT_SECONDS
        while (code := process.poll()) is None:
            if self.stopping.wait(_POLL_SECONDS):
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGTERM)
                return process.wait()
            if time.monotonic() >= due:
                due += _REPORT_SECONDS
                elapsed = _minutes(time.monotonic() - begun)
                self.report(f"{step}  {elapsed} elapsed, expected {_minutes(tool.minutes * 60)}")
        return code


@contextmanager
def only_builder(lock: Path, report: Report) -> Generator[None]:
    """Waits until no other builder works in this cache; the lock ends with the process that holds it."""
    import fcntl  # noqa: PLC0415 - Windows has none, and reads the versions that are built elsewhere

    with lock.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            report("another build is running, waiting for it")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextmanager
def _scratch(folder: Path) -> Generator[Path]:
    """A folder for unfinished binaries, on the same disk as the finished ones; what a killed builder left is swept."""
    for leftover in folder.glob("unfinished-*"):
        shutil.rmtree(leftover, ignore_errors=True)
    scratch = Path(tempfile.mkdtemp(prefix="unfinished-", dir=folder))
    try:
        yield scratch
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _minutes(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"
