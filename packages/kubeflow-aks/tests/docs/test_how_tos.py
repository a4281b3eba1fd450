"""Every how-to is followed from first to last block in a copy of the project; what is not played is listed here.

Keys of a stack file are written into the file of the page's stack, a command of this repository is run, and `pulumi up`
and `pulumi preview` run the program on the recorder with the file as it is then. No engine and no cloud are needed.
"""

from __future__ import annotations

import ast
import json
import re
import shlex
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from kubeflow_aks.preview.readme import DAY
from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.recorder.run import record
from tests.cost.actual.rows import export, node
from tests.cost.reports import report
from tests.docs.pages import README, command_lines, fenced, name
from tests.handoff.made_up_outputs import with_basis
from tests.verify.api_server import outputs_of, running

PAGES: Final = [
    page
    for page in (README, *sorted((PROJECT_ROOT / "docs/how-to").glob("*.md")))
    if page.name != "extend-the-program.md"  # which tests/docs/test_extend_the_program.py follows
]
STACKS: Final = {
    "docs/how-to/start-an-environment.md": "staging",
    "docs/how-to/move-a-pool.md": "demo",
    "docs/how-to/upgrade-kubernetes.md": "prod",
    "docs/how-to/harden-production.md": "prod",
    "docs/how-to/choose-a-network-policy-engine.md": "prod",
}
"""The stack whose file a page changes; that of the others is `dev`."""
NEW: Final = {"staging"}
"""Stacks whose file the page writes from nothing."""
NO_STACK_FILE: Final = {
    "docs/how-to/add-a-spot-pool.md": "a pod's template",
    "docs/how-to/give-profiles-a-default-pool.md": "settings of the charm namespace-node-affinity",
    "docs/how-to/run-the-first-pipeline.md": "objects of a profile (tests/local/test_first_pipeline.py)",
    "docs/how-to/return-work-to-spot.md": "a Job's label",
    "docs/how-to/check-policy.md": "rows of policy-exceptions.yaml (tests/policy)",
    "docs/how-to/use-the-gpu-operator.md": "values of NVIDIA's Helm chart",
}
"""What the yaml blocks without `config:` of a page are."""
NOT_PLAYED: Final = {
    "az": "needs Azure",
    "helm": "needs a cluster",
    "juju": "needs a cluster",
    "kubectl": "needs a cluster; tests/local/moves plays those of docs/how-to/move-a-pool.md",
    "export": "sets a variable of the reader's shell",
    "build/dev/handoff/bootstrap.sh": "needs Juju; tests/handoff run it with replacements",
    "build/dev/handoff/refresh.sh": "needs Juju; tests/handoff run it with replacements",
    "build/dev/handoff/teardown.sh": "needs Juju; tests/handoff run it with replacements",
    "kubeflow-aks": "where the package is installed; tests/docs/test_another_repository.py",
    "pip": "tests/docs/test_another_repository.py, tests/docs/test_use_the_components.py",
    "pulumi cancel": "needs the engine; tests/local/engine/test_faults.py",
    "pulumi destroy": "needs the engine; tests/local/engine/test_destroy.py",
    "pulumi import": "needs the engine; tests/local/teams, tests/local/engine/test_adopted.py",
    "pulumi login": "needs a backend",
    "pulumi package": "needs Pulumi's Python host",
    "pulumi refresh": "needs the engine; tests/local/engine/test_faults.py",
    "pulumi stack": "needs a backend",
    "./kubeflow-aks adopt": "needs a cluster; tests/adopt, tests/local/engine/test_adopted.py",
    "./kubeflow-aks demo": "needs the built tools; tests/local/test_demo.py",
    "./kubeflow-aks diff": "needs the built tools; tests/local/pull_request",
    "./kubeflow-aks drill": "needs a cluster; tests/local/drill",
    "./kubeflow-aks local": "needs the built tools; tests/local/test_demo.py",
    "./kubeflow-aks start": "needs Azure; tests/local/delivery/test_power.py",
    "./kubeflow-aks stop": "needs Azure; tests/local/delivery/test_power.py",
}
"""Commands that are not played, by their first word or two, with the reason and where they are tested."""


_ASSIGNED: Final = re.compile(r"[A-Z_0-9]+=")
"""A variable in front of a command."""


@pytest.fixture(autouse=True)
def exceptions_that_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    """The shipped exceptions of policy are judged on a day of their own time."""
    monkeypatch.setattr("kubeflow_aks.policy.command.today", lambda: date.fromisoformat(DAY))


@dataclass
class Reader:
    """Follows one page.

    Attributes:
        root: a copy of the project's files that a reader edits.
        stack: the stack whose file the page changes.
        played: what was carried out, and what was not with its reason.
    """

    root: Path
    page: str
    stack: str
    played: list[str] = field(default_factory=list[str])

    def __post_init__(self) -> None:
        for file in (PROJECT_ROOT / "__main__.py", *PROJECT_ROOT.glob("Pulumi*.yaml")):
            shutil.copy(file, self.root)
        for file in self.root.glob("Pulumi.*.yaml"):
            keys = yaml.safe_load(file.read_text(encoding="utf-8"))["config"]
            self._write(file, keys | {"kubeflow-aks:asOf": DAY})

    def follow(self, language: str, text: str) -> None:
        """One block."""
        if language == "yaml":
            self._edit(yaml.safe_load(text))
        elif language == "json":
            json.loads(text)
        elif (
            language == "python"
        ):  # the imports of this repository; other packages may be in another environment
            imports: list[ast.stmt] = [
                node
                for node in ast.parse(text).body
                if isinstance(node, ast.ImportFrom)
                and (PROJECT_ROOT / str(node.module).partition(".")[0]).is_dir()
                and not str(node.module).startswith("ckf_spot")
            ]
            exec(compile(ast.Module(imports, []), self.page, "exec"), {})  # noqa: S102 - the page is ours
        elif language == "sh":
            for line in command_lines(text):
                self._command(line)

    def _file(self, stack: str) -> Path:
        return self.root / f"Pulumi.{stack}.yaml"

    def _write(self, file: Path, keys: dict[str, Any]) -> None:
        file.write_text(
            yaml.safe_dump({"config": keys}, allow_unicode=True, sort_keys=False), encoding="utf-8"
        )

    def _edit(self, document: Any) -> None:
        """Keys of a stack file replace those that it has."""
        if "config" not in document:
            assert self.page in NO_STACK_FILE, (
                "a yaml block is neither keys of a stack file nor in NO_STACK_FILE"
            )
            return
        file = self._file(self.stack)
        assert file.exists() == (self.stack not in NEW)
        before: dict[str, Any] = (
            yaml.safe_load(file.read_text(encoding="utf-8"))["config"] if file.exists() else {}
        )
        keys: dict[str, Any] = document["config"]
        self._write(file, {"kubeflow-aks:asOf": DAY} | before | keys)
        self.played.append(f"{file.name} edited")
        self._record(self.stack)

    def _record(self, stack: str) -> None:
        """What an engine would do: the program, with the stack's file as it is now."""
        assert self._file(stack).exists(), f"the page has not written Pulumi.{stack}.yaml"
        assert record(stack, root=self.root, preview=True).resources

    def _command(self, line: str) -> None:
        words = [
            word.replace("$STACK", self.stack) for word in shlex.split(line) if not _ASSIGNED.match(word)
        ]
        program = words[0]
        match words:
            case ["pulumi", "up" | "preview", *options]:
                self._record(options[options.index("--stack") + 1])
            case ["pulumi", "config", "set", "--stack", stack, key, value]:
                keys = yaml.safe_load(self._file(stack).read_text(encoding="utf-8"))["config"]
                self._write(self._file(stack), keys | {f"kubeflow-aks:{key}": yaml.safe_load(value)})
            case ["pulumi", "stack", "init", stack, *options]:
                assert self._file(stack).exists(), f"the page has not written Pulumi.{stack}.yaml"
                assert "--secrets-provider" in options, (
                    "a stack without a key keeps its secrets under a passphrase"
                )
            case ["./kubeflow-aks", command, *arguments] if command in RUNS:
                assert RUNS[command](self, [command, *arguments]) == 0, line
            case _:
                reason = NOT_PLAYED.get(" ".join(words[:2])) or NOT_PLAYED.get(program)
                assert reason, f"neither played nor in NOT_PLAYED: {line}"
                self.played.append(f"not played, {reason}: {line}")
                return
        self.played.append(line)


def _plain(reader: Reader, arguments: list[str]) -> int:
    from kubeflow_aks.cli.process import main  # noqa: PLC0415 - Azure's SDK comes with some commands

    return main([*arguments, "--root", str(reader.root)])


def _offline(reader: Reader, arguments: list[str]) -> int:
    """With a bill that came and a record of nodes, where the command reads some."""
    charge = node("cpuspot", 40, 0.05)
    charge = replace(charge, resource=charge.resource.replace("MADE-NODES", "kubeflow-aks-dev-nodes"))
    files = {"october.csv": export([charge]), "where.json": json.dumps(report(nodes=[], since=40))}
    for file in files.keys() & set(arguments):
        (reader.root / file).write_text(files[file], encoding="utf-8")
        arguments[arguments.index(file)] = str(reader.root / file)
    return _plain(reader, [*arguments, "--offline", "--build", str(reader.root / "build")])


def _sizes(_: Reader, arguments: list[str]) -> int:
    """It needs no project."""
    from kubeflow_aks.cli.process import main  # noqa: PLC0415 - Azure's SDK comes with some commands

    return main([*arguments, "--offline"])


_FAMILIES: Final = (
    "standardDSv5Family",
    "standardDDSv5Family",
    "Standard NCASv3_T4 Family",
    "cores",
    "lowPriorityCores",
)


def _quota_of(family: str) -> dict[str, Any]:
    return {"currentValue": "0", "limit": "1000", "name": {"value": family}, "unit": "Count"}


def _quota(reader: Reader, arguments: list[str]) -> int:
    """With a subscription's answer that has room for everything."""
    usage = reader.root / "usage.json"
    usage.write_text(json.dumps([_quota_of(family) for family in _FAMILIES]), encoding="utf-8")
    return _plain(reader, [*arguments, "--usage", str(usage)])


def _handoff(reader: Reader, arguments: list[str]) -> int:
    """With outputs in a file, as a reader without Pulumi has them."""
    outputs, stack = reader.root / "outputs.json", arguments[1]
    outputs.write_text(json.dumps(with_basis(stack=stack)), encoding="utf-8")
    code = _plain(reader, [*arguments, "--outputs", str(outputs), "--build", str(reader.root / "build")])
    assert (reader.root / f"build/{stack}/handoff/bootstrap.sh").exists()
    return code


def _verify(reader: Reader, arguments: list[str]) -> int:
    """On an API server that shows a good cluster."""
    with running() as server:
        outputs = outputs_of(server.url, reader.root)
        return _plain(reader, [*arguments, "--outputs", str(outputs)])


RUNS: Final[dict[str, Callable[[Reader, list[str]], int]]] = {
    "preview": _plain,
    "policy": _plain,
    "cost": _offline,
    "quota": _quota,
    "sizes": _sizes,
    "handoff": _handoff,
    "verify": _verify,
}
"""How a command of ours is run in a test."""


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_a_page_can_be_followed_as_it_is_written(page: Path, tmp_path: Path) -> None:
    reader = Reader(tmp_path, name(page), STACKS.get(name(page), "dev"))
    for language, text in fenced(page):
        reader.follow(language, text)
    assert reader.played or not [language for language, _ in fenced(page) if language in {"sh", "yaml"}]
