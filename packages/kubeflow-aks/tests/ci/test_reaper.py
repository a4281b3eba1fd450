"""Which stacks the reaper touches, with a `pulumi` that records its arguments."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest

from kubeflow_aks.ci import reaper
from kubeflow_aks.cli.process import ended
from kubeflow_aks.clients.pulumi import Pulumi

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
EXPIRED, LATER = "2026-11-22T10:00:00Z", "2026-11-22T18:00:00Z"
Backend = Callable[..., Pulumi]
_COMMAND = """#!/bin/sh
echo "$@" >> calls
case "$1 $2" in
  "stack ls") if [ -e removed ]; then cat without.json; else cat stacks.json; fi ;;
  "stack export") cat "state-$4.json" ;;
  "destroy --yes") cat "destroy-$4" >&2; exit "$(cat "code-$4")" ;;
  "stack rm") touch removed ;;
esac
"""


def state(expires: str) -> str:
    group = {
        "urn": "a::b::c::g",
        "type": "azure-native:resources:ResourceGroup",
        "inputs": {"tags": {"expires": expires}},
    }
    return json.dumps({"version": 3, "deployment": {"resources": [group]}})


@pytest.fixture
def backend(tmp_path: Path) -> Backend:
    """Makes a backend of stacks by name and state; `fails` is what destroying one prints."""

    def make(fails: str = "", **states: str) -> Pulumi:
        names = [name.replace("_", "-") for name in states]
        (tmp_path / "stacks.json").write_text(json.dumps([{"name": name} for name in names]))
        (tmp_path / "without.json").write_text("[]")
        for name, text in zip(names, states.values(), strict=True):
            (tmp_path / f"state-{name}.json").write_text(text)
            (tmp_path / f"destroy-{name}").write_text(fails)
            (tmp_path / f"code-{name}").write_text("255" if fails else "0")
        command = tmp_path / "pulumi"
        command.write_text(_COMMAND)
        command.chmod(0o700)
        return Pulumi(tmp_path, str(command))

    return make


def run(pulumi: Pulumi, *, destroys: bool = False) -> int:
    """Runs the command."""
    return ended(lambda: reaper.run(pulumi.project, destroy=destroys, pulumi=pulumi, now=NOW))


destroy = partial(run, destroys=True)


def calls(tmp_path: Path) -> list[str]:
    lines = (tmp_path / "calls").read_text().splitlines()
    return [line.removesuffix(" --non-interactive --color never") for line in lines]


def test_without_the_option_it_destroys_nothing(
    backend: Backend, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(backend(demo_a=state(EXPIRED))) == 0
    assert capsys.readouterr().out == f"demo-a: would be destroyed: expired {EXPIRED}\n"
    assert calls(tmp_path) == ["stack ls --json", "stack export --stack demo-a"]


def test_what_is_no_demo_is_not_even_read(backend: Backend, tmp_path: Path) -> None:
    stacks = {
        "prod": state(EXPIRED),
        "demo": state(EXPIRED),
        "mydemo_a": state(EXPIRED),
        "Demo_a": state(EXPIRED),
    }
    assert destroy(backend(**stacks)) == 0
    assert calls(tmp_path) == ["stack ls --json"]


def test_an_expired_one_is_destroyed_and_forgotten_and_the_others_stay(
    backend: Backend, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert destroy(backend(demo_a=state(EXPIRED), demo_b=state(LATER))) == 0
    assert capsys.readouterr().out == f"demo-a: destroyed: expired {EXPIRED}\ndemo-b: runs until {LATER}\n"
    changing = [line for line in calls(tmp_path) if not line.startswith(("stack ls", "stack export"))]
    assert changing == ["destroy --yes --stack demo-a", "stack rm --yes --preserve-config --stack demo-a"]


def test_one_that_is_locked_is_named_and_left(backend: Backend, capsys: pytest.CaptureFixture[str]) -> None:
    locked = (
        "error: the stack is currently locked by 1 lock(s). Either wait for the other process(es) to end or …"
    )
    assert destroy(backend(locked, demo_a=state(EXPIRED))) == 0
    assert capsys.readouterr().out == "demo-a: left: another operation is under way\n"


def test_one_that_another_reaper_took_is_no_failure(
    backend: Backend, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pulumi = backend("error: no stack named 'demo-a' found", demo_a=state(EXPIRED))
    (tmp_path / "pulumi").write_text(_COMMAND.replace('cat "destroy-$4"', 'touch removed; cat "destroy-$4"'))
    assert destroy(pulumi) == 0
    assert "another reaper was faster" in capsys.readouterr().out


def test_one_that_is_not_destroyed_as_a_whole_stays_and_fails_the_run(
    backend: Backend, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert destroy(backend("error: 409 OperationNotAllowed", demo_a=state(EXPIRED))) == 1
    printed = capsys.readouterr()
    assert (
        printed.err
        == "error: demo-a: not destroyed as a whole: `pulumi destroy` failed: error: 409 OperationNotAllowed\n"
    )
    assert not any(line.startswith("stack rm") for line in calls(tmp_path))


@pytest.mark.parametrize("text", ["", "no JSON", "[]", '{"deployment": null}'])
def test_one_whose_state_can_not_be_read_is_named_and_left(
    text: str, backend: Backend, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert destroy(backend(demo_a=text)) == 0
    assert capsys.readouterr().out.startswith("demo-a: left: ")
    assert not any(line.startswith("destroy") for line in calls(tmp_path))


def test_no_demos_and_no_backend_are_one_line_each(
    backend: Backend, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(backend()) == 0
    assert capsys.readouterr().out == "no demo stacks\n"
    assert run(Pulumi(tmp_path, str(tmp_path / "no such command"))) == 3
    assert capsys.readouterr().err.startswith("error: the stacks can't be listed: ")


@pytest.mark.parametrize(
    "text", ["", "null", "1", "{}x", '"demo-a"', "[1]", "[{}]", '[{"name": 1}]', '{"a": "b"}']
)
def test_a_list_of_another_form_is_one_line(
    text: str, backend: Backend, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pulumi = backend(demo_a=state(EXPIRED))
    (tmp_path / "stacks.json").write_text(text)
    assert destroy(pulumi) == 3
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("error: the stacks can't be listed: ")
    assert calls(tmp_path) == ["stack ls --json"]


GROUP = '"urn": "a::b::c::g", "type": "azure-native:resources:ResourceGroup"'


@pytest.mark.parametrize(
    "deployment",
    [
        "[1]",
        '"x"',
        '{"resources": [1]}',
        '{"resources": [{}]}',
        '{"resources": [{"urn": 1, "type": 2}]}',
        '{"resources": "x"}',
        '{"resources": {"a": 1}}',
        f'{{"resources": [{{{GROUP}, "inputs": 1}}]}}',
        f'{{"resources": [{{{GROUP}, "inputs": {{"tags": "{EXPIRED}"}}}}]}}',
    ],
)
def test_a_state_of_another_form_is_left_and_the_others_are_still_looked_at(
    deployment: str, backend: Backend, capsys: pytest.CaptureFixture[str]
) -> None:
    pulumi = backend(demo_a=f'{{"version": 3, "deployment": {deployment}}}', demo_b=state(EXPIRED))
    assert destroy(pulumi) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("demo-a: left: ")
    assert second == f"demo-b: destroyed: expired {EXPIRED}"


@pytest.mark.parametrize("tag", ["0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59"])
def test_a_moment_outside_the_calendar_is_left(
    tag: str, backend: Backend, capsys: pytest.CaptureFixture[str]
) -> None:
    assert destroy(backend(demo_a=state(tag))) == 0
    assert capsys.readouterr().out.startswith(f"demo-a: left: expires is '{tag}'; expected a moment")
