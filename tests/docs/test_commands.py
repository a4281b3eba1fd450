"""Each command in the documentation is run, or says here why not."""

import json
import shlex
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from cost.__main__ import main as cost
from handoff.__main__ import main as handoff
from policy.__main__ import main as policy
from preview.__main__ import main as preview
from preview.quota import main as quota
from preview.readme import DAY
from recorder.run import PROJECT_ROOT
from tests.docs.pages import PAGES, README, commands, mentioned, name
from tests.handoff.made_up_outputs import values
from tests.verify.api_server import outputs_of, running
from verify.__main__ import main as verify

NEEDS_AZURE = "needs Azure"
NEEDS_CLUSTER = "needs a cluster on Azure"
ELSEWHERE = {
    "az": NEEDS_AZURE,
    "pulumi": NEEDS_AZURE,
    "kubectl": NEEDS_CLUSTER,
    "juju": NEEDS_CLUSTER,
    "helm": NEEDS_CLUSTER,
    "build/dev/handoff/bootstrap.sh": "tests/handoff run it with stand-ins of what it calls",
    "build/dev/handoff/teardown.sh": "tests/handoff run it with stand-ins of what it calls",
    "export": "sets a variable",
}
"""Programs whose commands no test runs, with the reason."""
RUN_BY_CI = {"make test", "make test-program", "make test-local"}
"""Commands that would run the suite inside itself: `.ci/run` runs them."""
PREVIEWS = ("make preview", "make quota", "make policy", "make cost")
"""Commands that run the program in process."""
RUNS: dict[str, tuple[Callable[[Sequence[str]], int], str]] = {
    "preview": (preview, "Plan of kubeflow-aks-"),
    "preview.quota": (quota, "Quota"),
    "policy": (policy, "satisfied  spot-is-marked "),
    "cost": (lambda arguments: cost([*arguments, "--offline"]), "Expected cost: $"),
}
"""What such a command runs, and how what it prints begins."""
LOCAL = {
    "make demo",
    "make demo STACK=dev",
    "make demo-down",
    "make local-up",
    "make local-shell",
    "make pr-preview",
    "make pr-preview BASE=main STACK=demo",
}
"""Commands that take minutes: `tests/local` runs them, and `.ci/run` that."""
SWITCHES = {"make stop STACK=dev", "make start STACK=dev"}
"""Commands that `tests/local/delivery/test_power.py` runs for another stack, as a job has it."""
VERIFIES = "make verify"
"""Commands that ask a cluster."""
DRILLS = {"make drill STACK=dev"}
"""Commands that `tests/local/drill/test_drill.py` runs for the demo stack."""
HANDOFFS = "make handoff"
"""Commands that need the outputs of a stack."""
IN_THE_SHELL = "docs/local-aks.md"
"""Page whose other commands are for the shell of `make local-shell`; `tests/local/test_demo.py` runs them there."""
EVERY = sorted({(name(page), command) for page in PAGES for command in commands(page)})
NAMED = {command for page in PAGES for command in mentioned(page, "make")}
"""Calls of make that a page's text names."""
MADE = sorted({command for _, command in EVERY if command.startswith("make ")})


def steps(command: str) -> list[str]:
    """The commands that make would run."""
    dry = subprocess.run(
        [*shlex.split(command), "-n"], cwd=PROJECT_ROOT, capture_output=True, text=True, check=True
    )
    return dry.stdout.replace("\\\n", "").splitlines()


def test_the_readme_has_the_two_commands_and_the_demo() -> None:
    assert {"make preview", "make test", "make demo", "make demo-down"} <= set(commands(README))


@pytest.mark.parametrize(("page", "command"), EVERY)
def test_each_command_is_run_or_says_why_not(page: str, command: str) -> None:
    program = next(word for word in shlex.split(command) if "=" not in word)
    assert program == "make" or program in ELSEWHERE or page == IN_THE_SHELL, (
        f"{page}: no test runs {command!r}"
    )


@pytest.mark.parametrize("command", sorted({*MADE, *NAMED}))
def test_make_knows_the_target(command: str) -> None:
    assert steps(command)


@pytest.mark.parametrize("command", [made for made in MADE if made.startswith(PREVIEWS)])
def test_the_preview_that_make_runs_works(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """On a copy that fixes the day, so that the end of a support window does not fail the suite."""
    [(step, run, shown)] = [
        (step, *found)
        for step in steps(command)
        for module, found in RUNS.items()
        if f" -m {module} " in step
    ]
    assert step.endswith(' -- "$STACK"')
    stack = next(
        (word.removeprefix("STACK=") for word in shlex.split(command) if word.startswith("STACK=")), "dev"
    )
    for file in ("__main__.py", "Pulumi.yaml"):
        shutil.copy(PROJECT_ROOT / file, tmp_path)
    text = (PROJECT_ROOT / f"Pulumi.{stack}.yaml").read_text(encoding="utf-8")
    (tmp_path / f"Pulumi.{stack}.yaml").write_text(f'{text}  kubeflow-aks:asOf: "{DAY}"\n', encoding="utf-8")
    assert run([stack, "--root", str(tmp_path)]) == 0
    assert capsys.readouterr().out.startswith(shown)


@pytest.mark.parametrize("command", [made for made in MADE if made.startswith(HANDOFFS)])
def test_the_hand_off_that_make_runs_works(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    [step] = [step for step in steps(command) if " -m handoff " in step]
    assert step.endswith(' --build=build -- "$STACK"')
    outputs = tmp_path / "outputs.json"
    outputs.write_text(json.dumps(values()), encoding="utf-8")
    assert handoff([f"--outputs={outputs}", f"--build={tmp_path}", "--", "dev"]) == 0
    assert capsys.readouterr().out.startswith("Written to ")


@pytest.mark.parametrize("command", [made for made in MADE if made.startswith(VERIFIES)])
def test_what_make_verify_runs_works(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    [step] = [step for step in steps(command) if " -m verify " in step]
    assert step.endswith(' -- "$STACK"')
    with running() as server:
        outputs = outputs_of(server.url, tmp_path)
        told = [f"--outputs={outputs}", *(["--format=json"] if "FORMAT=json" in command else [])]
        verify([*told, "--", "dev"])
    shown = '{\n  "version": 1,' if "FORMAT=json" in command else "✔ "
    assert capsys.readouterr().out.startswith(shown)


@pytest.mark.parametrize(
    "command", [made for made in MADE if not made.startswith((*PREVIEWS, HANDOFFS, VERIFIES))]
)
def test_every_other_target_is_run_by_ci(command: str) -> None:
    ci = (PROJECT_ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    local = "".join(
        file.read_text(encoding="utf-8")
        for pattern in ("test_demo*.py", "*/test_make.py")
        for file in (PROJECT_ROOT / "tests/local").glob(pattern)
    )
    given = ", ".join(f'"{word}"' for word in shlex.split(command)[1:])
    if command in DRILLS:
        [step] = [step for step in steps(command) if " -m drill " in step]
        assert step.endswith(' --build=build -- "$STACK"')
        drilled = (PROJECT_ROOT / "tests/local/drill/test_drill.py").read_text(encoding="utf-8")
        assert '"-m", "drill", f"--build={self.build}"' in drilled
        return
    if command in SWITCHES:
        power = (PROJECT_ROOT / "tests/local/delivery/test_power.py").read_text(encoding="utf-8")
        assert f'["make", "{shlex.split(command)[1]}", ' in power
        return
    assert (command in LOCAL and f"make(build, {given}" in local) or (command in RUN_BY_CI and command in ci)


def test_every_pulumi_command_names_its_stack() -> None:
    for page, command in EVERY:
        words = shlex.split(command)
        if words[0] == "pulumi" and words[1] != "login" and words[1:3] != ["stack", "init"]:
            assert "--stack" in words, f"{page}: {command}"
