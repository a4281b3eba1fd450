"""The CLI itself reads every stack file of the table as the table states, and passes exactly that to the program."""

import json
import os
import random
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
from pulumi import automation
from pulumi.runtime import config

from kubeflow_aks.local_aks.engine.workspace import Command
from kubeflow_aks.recorder.project_file import StackFileError
from kubeflow_aks.recorder.stack_files import read_stack
from kubeflow_aks.tools import Tools
from program.settings.stack import from_text
from tests.local.commands import PATIENCE_SECONDS
from tests.recorder.stack_files import (
    PASSPHRASE,
    SECRET,
    StackFile,
    comparable,
    scalars,
    stack_files,
    write,
)

_ROWS = stack_files()
_FOR_THE_PROGRAM = {
    "encrypted values inside",
    "null at the top is empty text",
    "scalars read differently",
}
"""Some of the rows, because a preview takes seconds."""


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A backend of files that nothing else uses."""
    folder = tmp_path_factory.mktemp("cli")
    (folder / "state").mkdir()
    return {
        **os.environ,
        "PULUMI_HOME": str(folder / "home"),
        "PULUMI_BACKEND_URL": f"file://{folder / 'state'}",
        "PULUMI_CONFIG_PASSPHRASE": PASSPHRASE,
        "PULUMI_SKIP_UPDATE_CHECK": "true",
    }


@pytest.fixture
def pulumi(tools: Tools, environment: dict[str, str], tmp_path: Path) -> Callable[..., CompletedProcess[str]]:
    """Runs the CLI in a project of its own, whose stack `dev` is made."""

    def run(*command: str) -> CompletedProcess[str]:
        line = [str(tools["pulumi"]), "--non-interactive", "--cwd", str(tmp_path), *command]
        return subprocess.run(
            line, env=environment, capture_output=True, text=True, check=False, timeout=PATIENCE_SECONDS
        )

    write(tmp_path, _ROWS[0])
    (tmp_path / "Pulumi.dev.yaml").unlink()
    made = run("stack", "select", "--create", "dev")
    assert made.returncode == 0, made.stderr
    return run


def test_the_cli_reads_every_file_as_the_table_states(
    pulumi: Callable[..., CompletedProcess[str]], tmp_path: Path
) -> None:
    def difference(number: int, row: StackFile) -> str:
        file = f"row{number}.yaml"
        write(tmp_path, row, file)
        done = pulumi("config", "--json", "--show-secrets", "--stack", "dev", "--config-file", file)
        if done.returncode or row.gives is None:
            return "" if done.returncode and row.refused else f"{row.name}: {done.stdout or done.stderr}"
        entries: dict[str, dict[str, Any]] = json.loads(done.stdout)
        values = comparable({key: entry["value"] for key, entry in entries.items()})
        secret = sorted(key for key, entry in entries.items() if entry["secret"])
        expected = comparable(row.gives), sorted(row.secret)
        return "" if (values, secret) == expected else f"{row.name}: {values} {secret}"

    with ThreadPoolExecutor(2) as pool:
        assert list(filter(None, pool.map(difference, range(len(_ROWS)), _ROWS))) == []


def test_a_scalar_without_quotes_is_read_as_the_cli_reads_it_or_refused(
    pulumi: Callable[..., CompletedProcess[str]], tmp_path: Path
) -> None:
    chance = random.Random(1)  # noqa: S311 - made up, not secret
    made_up = {
        "".join(chance.choices("0123456789.+-_:eExXoObBTZtnyaf~", k=chance.choice((1, 2, 3, 4, 6, 10))))
        for _ in range(3000)
    }
    accepted: dict[str, str] = {}
    for scalar in sorted(made_up):
        write(tmp_path, scalars("one", {scalar: ""}))
        with suppress(StackFileError):
            accepted[scalar] = read_stack(tmp_path, "dev").values["project:k0"]
    assert len(accepted) > 1000
    row = scalars("all", accepted)
    write(tmp_path, row, "all.yaml")
    done = pulumi("config", "--json", "--stack", "dev", "--config-file", "all.yaml")
    assert done.returncode == 0, done.stderr
    entries: dict[str, dict[str, Any]] = json.loads(done.stdout)
    texts = [entries[key]["value"] for key in row.gives or ()]
    differences = [
        (scalar, ours, theirs)
        for (scalar, ours), theirs in zip(accepted.items(), texts, strict=True)
        if ours != theirs and from_text("k", ours) != from_text("k", theirs)
    ]
    assert differences == []


@pytest.mark.parametrize(
    "row", [row for row in _ROWS if row.name in _FOR_THE_PROGRAM], ids=lambda row: row.name
)
def test_the_engine_passes_to_the_program_what_the_table_states(
    tools: Tools, environment: dict[str, str], tmp_path: Path, row: StackFile
) -> None:
    received: dict[str, str] = {}
    secret: set[str] = set()

    def program() -> None:
        received.update(config.CONFIG.get())
        secret.update(key for key in received if config.is_config_secret(key))

    write(tmp_path, row)
    workspace = automation.LocalWorkspace(
        work_dir=str(tmp_path), program=program, env_vars=environment, pulumi_command=Command(tools["pulumi"])
    )
    stack = automation.Stack.create_or_select("dev", workspace)
    write(tmp_path, row)  # a new stack's file is written anew
    stack.preview()
    assert row.gives is not None
    assert comparable(received) == comparable(row.gives)
    assert secret == set(row.secret)
    assert SECRET in json.dumps(received) or not secret
