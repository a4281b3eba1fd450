"""Output of a command on terminals and into files that can't take it."""

import errno
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.text import output


def test_what_an_encoding_lacks_is_replaced_one_for_one(monkeypatch: pytest.MonkeyPatch) -> None:
    for encoding, expected in (("ascii", "|- `- 2-3 <~ ?\n"), ("latin-1", "|- `- 2-3 <~ ü\n")):
        written = io.BytesIO()
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding=encoding))
        assert output.run(lambda: print("├─ └─ 2–3 ≤… ü") or 3) == 3
        assert written.getvalue().decode(encoding) == expected


class Full(io.StringIO):
    """A file whose disk is full, which shows when what is buffered has to go there."""

    def flush(self) -> None:
        """Fails."""
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_is_reported(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdout", Full())
    assert output.run(lambda: print("x") or 0) == 1
    assert capsys.readouterr().err == "the output could not be written: No space left on device\n"


def test_a_full_disk_for_both_outputs_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    with Path("/dev/full").open("wb", buffering=0) as full:
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(full, write_through=True))
        monkeypatch.setattr(sys, "stderr", io.TextIOWrapper(full, write_through=True))
        assert output.run(lambda: print("x") or 0) == 1


def test_a_reader_that_has_gone_is_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb", buffering=0) as pipe:
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(pipe, write_through=True))
        assert output.run(lambda: print("x") or 0) == 0


def test_closed_outputs_are_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    assert output.run(lambda: print("x") or 0) == 0


def test_the_command_itself_writes_ascii_and_reads_no_configuration_of_the_environment(
    tmp_path: Path,
) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: kubeflow-aks\n")
    (tmp_path / "Pulumi.trial.yaml").write_text("config: {locätion: x}\n", encoding="utf-8")
    (tmp_path / "__main__.py").write_text(
        "import pulumi\nfrom program.settings.stack import stack_values\n"
        "raise pulumi.RunError(f'├ {stack_values()}')\n",
        encoding="utf-8",
    )
    odd = {"PYTHONIOENCODING": "ascii", "PULUMI_CONFIG": "garbage", "PULUMI_CONFIG_SECRET_KEYS": "garbage"}
    done = subprocess.run(
        [sys.executable, "-m", "kubeflow_aks", "preview", "trial", "--root", str(tmp_path)],
        cwd=PROJECT_ROOT,
        env={**os.environ, **odd},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "error: | {'loc?tion': 'x'}\n")
