"""az, pulumi and git that are missing, hang, fail or print garbage: one error type and one line each."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from kubeflow_aks.clients.az import Az, AzError
from kubeflow_aks.clients.errors import ClientError
from kubeflow_aks.clients.git import GitError, git
from kubeflow_aks.clients.pulumi import LockedError, Pulumi, PulumiError
from kubeflow_aks.exit_codes import ExitCode
from kubeflow_aks.project import PROJECT_ROOT
from tests.clients.conftest import Program


def az(command: str) -> None:
    Az(command, seconds=20).json("cloud", "show")


def pulumi(command: str) -> None:
    Pulumi(Path("/"), command).stacks()


CLIENTS = pytest.mark.parametrize(
    ("call", "error", "named"), [(az, AzError, "`az cloud show`"), (pulumi, PulumiError, "`pulumi stack ls`")]
)


@CLIENTS
def test_a_missing_program_is_named(
    call: Callable[[str], None], error: type[ClientError], named: str, tmp_path: Path
) -> None:
    path = tmp_path / "none" / named.strip("`").split()[0]
    with pytest.raises(
        error, match=r"/none/(az|pulumi)` is missing; install the (Azure|Pulumi) CLI$"
    ) as raised:
        call(str(path))
    assert raised.value.exit_code is ExitCode.INCONCLUSIVE


@CLIENTS
@pytest.mark.parametrize("script", ["echo no JSON", "printf '\\377'", "echo ["])
def test_garbage_is_not_quoted(
    call: Callable[[str], None], error: type[ClientError], named: str, script: str, program: Program
) -> None:
    with pytest.raises(error, match=f"^{named} printed something unexpected; expected its JSON"):
        call(program(script))


@CLIENTS
def test_a_failure_is_the_last_lines_of_its_errors(
    call: Callable[[str], None], error: type[ClientError], named: str, program: Program
) -> None:
    with pytest.raises(error) as raised:
        call(program("printf 'one\\n\\n  two \\033[31m\\n' >&2; exit 3"))
    assert str(raised.value) == f"{named} failed: one | two \\x1b[31m"
    with pytest.raises(error) as raised:
        call(program("exit 3"))
    assert str(raised.value) == f"{named} failed: exit code 3"


@CLIENTS
def test_a_program_that_cannot_be_started_is_reported(
    call: Callable[[str], None], error: type[ClientError], named: str, program: Program
) -> None:
    path = Path(program("true"))
    path.write_bytes(b"\x7fELF no program")
    with pytest.raises(error, match="cannot be run: Exec format error") as raised:
        call(str(path))
    assert named not in str(raised.value)  # the file that cannot be started, not the command


def test_az_has_a_time_limit(program: Program) -> None:
    with pytest.raises(AzError, match=r"^`az account show` took longer than 0 s: waits eyJ$"):
        Az(program("echo waits eyJ >&2; exec sleep 30", name="az"), seconds=0.2).run(
            "account", "show", "--query", "id"
        )


@pytest.mark.parametrize(("limit", "sent"), [(2.0, None), (60.0, signal.SIGINT)], ids=["limit", "interrupt"])
def test_a_program_with_a_time_limit_ends_with_all_that_it_started(
    limit: float, sent: signal.Signals | None, program: Program, tmp_path: Path
) -> None:
    """As the real `az`, a shell script that starts Python."""
    command = program(f"sleep 60 & echo $! > {tmp_path}/draft; mv {tmp_path}/draft {tmp_path}/child; wait")
    call = f"from kubeflow_aks.clients.az import Az; Az({command!r}, seconds={limit}).run('account')"
    caller = subprocess.Popen([sys.executable, "-c", call], cwd=PROJECT_ROOT, stderr=subprocess.PIPE)
    eventually((tmp_path / "child").exists)
    if sent:
        caller.send_signal(sent)
    _, errors = caller.communicate(timeout=120)
    assert (b"KeyboardInterrupt" if sent else b"took longer than 2 s") in errors
    child = int((tmp_path / "child").read_text())
    eventually(lambda: not is_running(child))


def eventually(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def is_running(process: int) -> bool:
    command = ["ps", "-o", "stat=", "-p", str(process)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout[:1] not in {"", "Z"}


@pytest.mark.parametrize(
    "secret", ["Bearer abc.def", "bearer  x", "eyJ0eXAiOiJKV1QiLCJhbGciOiJSUzI1NiJ9.e30.sig"]
)
def test_a_token_in_an_error_of_az_is_not_shown(secret: str, program: Program) -> None:
    with pytest.raises(AzError) as raised:
        Az(program(f"echo 'ERROR: 407 for {secret}' >&2; exit 1")).run("account", "show")
    assert str(raised.value) == "`az account show` failed: 407 for [secret]"


def test_the_code_of_azures_error_is_read(program: Program) -> None:
    with pytest.raises(AzError) as raised:
        Az(program("echo 'ERROR: (ResourceNotFound) The Resource …' >&2; exit 3")).run("aks", "show")
    assert raised.value.code == "ResourceNotFound"


def test_outputs_that_pulumi_printed_before_it_failed_are_not_shown(program: Program) -> None:
    command = program("echo hush; echo 'error: no stack' >&2; exit 1")
    with pytest.raises(PulumiError) as raised:
        Pulumi(Path("/"), command).outputs("dev")
    assert str(raised.value) == "`pulumi stack output` failed: error: no stack"


def test_a_locked_stack_has_an_error_of_its_own(program: Program) -> None:
    command = program("echo 'error: the stack is currently locked by 1 lock(s)' >&2; exit 255")
    with pytest.raises(LockedError, match=r"^`pulumi destroy` failed: error: the stack is currently locked"):
        Pulumi(Path("/"), command).destroy("demo-a")


def test_a_missing_git_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GitError, match=r"^`git` is missing; install git$"):
        git(tmp_path, "status")
