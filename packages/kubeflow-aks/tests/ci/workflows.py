"""The workflows and actions of this repository, parsed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import yaml

from kubeflow_aks.project import PROJECT_ROOT

GITHUB: Final = PROJECT_ROOT / ".github"
WORKFLOWS: Final = sorted((GITHUB / "workflows").glob("*.yml"))
ACTIONS: Final = sorted((GITHUB / "actions").glob("*/action.yml"))
Yaml = dict[str, Any]


@dataclass(frozen=True)
class Step:
    """One step and where it stands; `job` is empty in an action."""

    file: Path
    job: str
    step: Yaml

    @property
    def run(self) -> str:
        """Its shell commands; empty for one that uses an action."""
        return self.step.get("run", "")


@cache
def parsed(file: Path) -> Yaml:
    """A file; `on` is a key, though YAML 1.1 takes it for a truth."""
    document = yaml.safe_load(file.read_text(encoding="utf-8"))
    return {"on" if key is True else key: value for key, value in document.items()}


def workflow(name: str) -> Yaml:
    """A workflow by its file's name."""
    return parsed(GITHUB / "workflows" / f"{name}.yml")


def jobs() -> Iterator[tuple[str, str, Yaml]]:
    """File name, job's name and job."""
    for file in WORKFLOWS:
        for name, job in parsed(file)["jobs"].items():
            yield file.name, name, job


def steps() -> list[Step]:
    """Every step of all workflows and actions."""
    listed = [Step(file, "", step) for file in ACTIONS for step in parsed(file)["runs"]["steps"]]
    for file in WORKFLOWS:
        for name, job in parsed(file)["jobs"].items():
            listed += [Step(file, name, step) for step in job["steps"]]
    return listed


def commands(name: str, job: str, step: str) -> str:
    """The shell commands of one step, by the names that a reader sees."""
    [text] = [one["run"] for one in workflow(name)["jobs"][job]["steps"] if one.get("name") == step]
    return text
