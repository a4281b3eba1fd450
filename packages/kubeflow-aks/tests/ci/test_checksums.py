"""The CLIs that workflows bring are what the repository's checksums say; played by the commands in the YAML."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from kubeflow_aks.project import PROJECT_ROOT
from tests.ci.workflows import ACTIONS, parsed

ARCHIVE: Final = "pulumi-v3.1.0-linux-x64.tar.gz"
NOTE: Final = "# a comment\n"
[AZURE] = [file for file in ACTIONS if file.parent.name == "azure"]
STEPS: Final = {step["name"]: step for step in parsed(AZURE)["runs"]["steps"]}


@dataclass(frozen=True)
class Job:
    """A job's folders, in which `curl` brings an archive that lies beside it."""

    folder: Path

    def pulumi(self, checksums: str) -> subprocess.CompletedProcess[str]:
        """The step that brings the CLI."""
        (self.folder / "checksums.txt").write_text(checksums)
        variables = {
            "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}",
            "VERSION": "3.1.0",
            "CHECKSUMS": str(self.folder / "checksums.txt"),
            "RUNNER_TEMP": str(self.folder / "temporary"),
            "PROGRAMS": str(self.folder / "programs"),
        }
        assert set(STEPS["Pulumi CLI"]["env"]) <= set(variables)
        words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", STEPS["Pulumi CLI"]["run"]]
        return subprocess.run(words, env=variables, capture_output=True, text=True, check=False)

    @property
    def line(self) -> str:
        """What `sha256sum` prints of the archive."""
        return f"{hashlib.sha256((self.folder / 'archive').read_bytes()).hexdigest()}  {ARCHIVE}"

    @property
    def unpacked(self) -> bool:
        """Whether later steps find the CLI."""
        return os.access(self.folder / "programs" / "pulumi", os.X_OK)


@pytest.fixture
def job(tmp_path: Path) -> Job:
    for name in ("bin", "programs", "temporary", "pulumi"):
        (tmp_path / name).mkdir()
    (tmp_path / "pulumi" / "pulumi").write_text("#!/bin/sh\n")
    with tarfile.open(tmp_path / "archive", "w:gz") as archive:
        archive.add(tmp_path / "pulumi", "pulumi")
    curl = tmp_path / "bin" / "curl"
    curl.write_text(
        '#!/bin/sh\nwhile [ "$1" != --output ]; do shift; done\n'
        f'test "$3" = https://get.pulumi.com/releases/sdk/{ARCHIVE} && cp {tmp_path}/archive "$2"\n'
    )
    sudo = tmp_path / "bin" / "sudo"
    sudo.write_text('#!/bin/sh\nexec "$@"\n')
    for command in (curl, sudo):
        command.chmod(0o755)
    return Job(tmp_path)


def test_the_pinned_archive_is_unpacked(job: Job) -> None:
    done = job.pulumi(f"{NOTE}{'0' * 64}  pulumi-v3.0.0-linux-x64.tar.gz\n{job.line}\n")
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert job.unpacked


@pytest.mark.parametrize(
    "pinned",
    [f"{'0' * 64}  {ARCHIVE}\n", f"{'0' * 64}  pulumi-v3.0.0-linux-x64.tar.gz\n"],
    ids=["other", "version"],
)
def test_an_archive_that_is_not_pinned_stops_the_job_before_anything_of_it_runs(
    job: Job, pinned: str
) -> None:
    done = job.pulumi(f"{NOTE}{pinned}")
    assert done.returncode == 1
    assert (
        done.stdout == f"::error::{ARCHIVE} is not the one in {job.folder}/checksums.txt; it has {job.line}\n"
    )
    assert not job.unpacked
    assert not (job.folder / "temporary" / "pulumi").exists()


def test_a_line_of_another_name_with_the_same_end_is_not_the_archives(job: Job) -> None:
    assert job.pulumi(f"{NOTE}{job.line}.old\n").returncode == 1
    assert job.pulumi(f"{NOTE}{'0' * 64}  x\n#{job.line}\n").returncode == 1


def test_the_first_run_says_what_to_pin(job: Job) -> None:
    done = job.pulumi(NOTE)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(f": {job.line}\n")
    assert job.unpacked


def test_the_shipped_checksums_have_the_form_of_sha256sum() -> None:
    lines = (AZURE.parent / "checksums.txt").read_text(encoding="utf-8").splitlines()
    form = re.compile(r"[0-9a-f]{64}  pulumi-v[0-9.]+-linux-x64\.tar\.gz")
    assert [line for line in lines if not line.startswith("#") and not form.fullmatch(line)] == []


def test_a_module_of_kubelogin_that_is_not_the_one_in_go_sum_stops_the_job(tmp_path: Path) -> None:
    """Go compares what it downloads with go.sum before it compiles anything."""
    step = STEPS["kubelogin, for clusters without local accounts"]
    shutil.copytree(PROJECT_ROOT / ".github/kubelogin", tmp_path / ".github/kubelogin")
    sums = tmp_path / ".github/kubelogin/go.sum"
    module = re.compile(r"^(github\.com/Azure/kubelogin v\S+ h1:)\S+$", re.MULTILINE)
    tampered, count = module.subn(rf"\g<1>{'A' * 43}=", sums.read_text(encoding="utf-8"))
    assert count
    sums.write_text(tampered, encoding="utf-8")
    if shutil.which("go") is None:
        pytest.skip("go is not on PATH")
    variables = {"RUNNER_TEMP": str(tmp_path), "PROGRAMS": str(tmp_path), "GOTOOLCHAIN": "auto"}
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=tmp_path,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert not (tmp_path / "kubelogin").exists()
    if "checksum mismatch" not in done.stderr and "dial tcp" in done.stderr:
        pytest.skip("Go's module proxy does not answer")
    assert "verifying github.com/Azure/kubelogin@" in done.stderr
    assert "checksum mismatch" in done.stderr
