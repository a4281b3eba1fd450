"""Each command in the documentation exists: a target of make, a command of ours, or a program of others.

`tests/docs/test_how_tos.py` runs those of the README and of the how-tos.
"""

import re
import shlex
import subprocess
from collections.abc import Iterator

import click
import pytest

from kubeflow_aks.cli.commands import kubeflow_aks
from kubeflow_aks.project import PROJECT_ROOT
from tests.docs.pages import PAGES, README, commands, mentioned, name
from tests.tracked import tracked

OTHERS = {
    *("az", "export", "helm", "juju", "kubectl", "pip", "pulumi"),
    "kubeflow-aks",  # where the package is installed; tests/docs/test_another_repository.py runs it there
    ".venv/bin/python",
    *("build/dev/handoff/bootstrap.sh", "build/dev/handoff/refresh.sh", "build/dev/handoff/teardown.sh"),
}
"""Programs that are not of this repository, or that it writes."""
OF_THE_LAUNCHER = {"set-up"}
"""What `kubeflow_aks/launcher.py` does itself."""
IN_THE_SHELL = "docs/local-aks.md"
"""Page with commands for the shell of `local shell`; `tests/local/test_demo.py` runs them there."""
EVERY = sorted({(name(page), command) for page in PAGES for command in commands(page)})
MADE = {command for _, command in EVERY if command.startswith("make ")}
NAMED = {command for page in PAGES if page.parent.name != "decisions" for command in mentioned(page, "make")}
"""Calls of make that a page's text names; a decision also names what there was before."""


def test_the_readme_has_the_three_commands_to_try() -> None:
    assert {"./kubeflow-aks preview", "./kubeflow-aks cost", "./kubeflow-aks demo"} <= set(commands(README))


@pytest.mark.parametrize(("page", "command"), EVERY)
def test_each_command_is_known(page: str, command: str) -> None:
    program = next(word for word in shlex.split(command) if "=" not in word)
    assert program in OTHERS | {"make", "./kubeflow-aks"} or page == IN_THE_SHELL, f"{page}: {command!r}"


@pytest.mark.parametrize("command", sorted(MADE | NAMED))
def test_make_knows_the_target(command: str) -> None:
    subprocess.run(
        [*shlex.split(command), "-n"], cwd=PROJECT_ROOT, capture_output=True, text=True, check=True
    )


def test_every_pulumi_command_names_its_stack() -> None:
    for page, command in EVERY:
        words = shlex.split(command)
        if words[0] == "pulumi" and words[1] not in {"login", "package"} and words[1:3] != ["stack", "init"]:
            assert "--stack" in words, f"{page}: {command}"


def _named() -> Iterator[tuple[str, str]]:
    """Commands of ours that pages, messages and workflows name, with the file."""
    for path in tracked("*.md", "*.py", "*.sh", "*.yml", "*.yaml"):
        file = str(path.relative_to(PROJECT_ROOT))
        if "decisions" not in file:
            for match in _OURS.finditer(path.read_text(encoding="utf-8")):
                yield file, match["words"]


_OURS = re.compile(r"\./kubeflow-aks (?P<words>[a-z][^`\n\"']*)")


def _unknown(words: list[str]) -> list[str]:
    """The command or the options of a line that do not exist."""
    group, left = kubeflow_aks, list(words)
    context = click.Context(group)
    while isinstance(group, click.Group):
        if not left:
            return []  # a text about the group
        word = left.pop(0).rstrip(".,;:)")
        command = group.get_command(context, word)
        if command is None:
            return [] if word in OF_THE_LAUNCHER else [word]
        group = command
    declared = {option for parameter in group.params for option in parameter.opts + parameter.secondary_opts}
    options = {word.partition("=")[0].rstrip(".,;:)") for word in left if word.startswith("--")}
    return sorted(options - declared - {"--help", "--"})


def test_each_command_of_ours_that_is_named_exists() -> None:
    named = sorted(set(_named()))
    assert len(named) > 120
    assert {line: unknown for line in named if (unknown := _unknown(line[1].split()))} == {}


def test_an_option_that_does_not_exist_is_found() -> None:
    assert _unknown(["ci", "drift", "dev", "--odd=x"]) == ["--odd"]
    assert _unknown(["drift", "dev"]) == ["drift"]
